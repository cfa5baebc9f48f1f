"""The providers' token formats, as data: prefix, alphabet, length.

Written from the providers' public documentation. Lengths are lower bounds a little under the documented ones, because
providers lengthen their tokens and a shortened token in a note is still most of a secret. Checksums are not tested: a
wrong one would clear nothing.
"""

from __future__ import annotations

from memory_lsp.core.secret_rule import Rule, inner_rule, token_rule, word_rule

_HEX = "[0-9a-f]"
_ANY = "[A-Za-z0-9]"
_URL = "[A-Za-z0-9_-]"
_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"

TOKEN_RULES: tuple[Rule, ...] = (
    # Code hosts and package registries
    token_rule("github-token", "GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", f"{_ANY}{{34,255}}"),
    token_rule("github-fine-grained-token", "GitHub fine-grained token", "github_pat_", r"\w{50,255}"),
    token_rule(
        "gitlab-token",
        "GitLab token",
        "glpat- gldt- glrt- glrtr- glft- glsoat- glimt- glptt- glagent- glcbt- glffct- gloas- glwt-",
        r"[\w-]{18,300}(?:\.[\w.]{5,30})?",
    ),
    token_rule("gitlab-runner-token", "GitLab runner registration token", "GR1348941", f"{_URL}{{18,60}}"),
    inner_rule(
        "gitlab-session", "GitLab session cookie", "_gitlab_session=", f"_gitlab_session=(?P<value>{_HEX}{{32}})", 0
    ),
    token_rule("bitbucket-token", "Bitbucket app password", "ATBB", f"{_ANY}{{28,40}}"),
    token_rule("npm-token", "npm access token", "npm_", f"{_ANY}{{34,60}}"),
    token_rule("pypi-token", "PyPI token", "pypi-AgEIcHlwaS5vcmc pypi-AgENdGVzdC5weXBpLm9yZw", f"{_URL}{{40,300}}"),
    token_rule("rubygems-token", "RubyGems API key", "rubygems_", f"{_HEX}{{44,52}}"),
    token_rule("crates-token", "crates.io token", "cio", f"{_ANY}{{32}}"),
    token_rule("nuget-key", "NuGet API key", "oy2", "[a-z0-9]{43}"),
    token_rule("clojars-token", "Clojars deploy token", "CLOJARS_", "[0-9A-Za-z]{50,64}"),
    token_rule("docker-token", "Docker Hub token", "dckr_pat_ dckr_oat_", f"{_URL}{{26,60}}"),
    token_rule("artifactory-token", "Artifactory key", "AKCp AKC cmVmdGtu", f"{_ANY}{{56,80}}"),
    token_rule("sourcegraph-token", "Sourcegraph token", "sgp_ slk_", f"(?:(?:{_HEX}{{16}}|local)_)?{_HEX}{{38,64}}"),
    token_rule("sonar-token", "Sonar token", "squ_ sqp_ sqa_", f"{_HEX}{{38,44}}"),
    token_rule("snyk-token", "Snyk token", "snyk_uat. snyk_sat.", r"[\w.-]{20,200}"),
    # Clouds
    token_rule("aws-access-key-id", "AWS access key", "AKIA ASIA ABIA ACCA A3T", "[A-Z0-9]{16,17}"),
    token_rule("aws-bedrock-key", "Amazon Bedrock API key", "ABSK bedrock-api-key-", "[A-Za-z0-9+/]{64,255}={0,2}"),
    token_rule("google-api-key", "Google API key", "AIza", f"{_URL}{{33,40}}"),
    token_rule("google-oauth-secret", "Google OAuth client secret", "GOCSPX-", f"{_URL}{{24,32}}"),
    token_rule("google-access-token", "Google OAuth token", "ya29. 1//0", f"{_URL}{{30,255}}"),
    inner_rule("azure-client-secret", "Azure client secret", "Q~", r"[\w.~-]{3}\dQ~[\w.~-]{31,34}", 4),
    inner_rule(
        "azure-storage-key",
        "Azure storage or service bus key",
        "AccountKey= SharedAccessKey= accountKey=",
        r"(?:[Aa]ccountKey|SharedAccessKey)=(?P<value>[A-Za-z0-9+/]{40,100}={0,2})",
        0,
    ),
    inner_rule(
        "azure-sas",
        "Azure shared access signature",
        "sig=",
        r"sig=(?P<value>[A-Za-z0-9%+/]{40,80}(?:=|%3[dD]){0,2})",
        0,
    ),
    token_rule("alibaba-access-key", "Alibaba Cloud access key", "LTAI", f"{_ANY}{{16,22}}"),
    token_rule("tencent-secret-id", "Tencent Cloud secret id", "AKID", f"{_ANY}{{32}}"),
    token_rule(
        "yandex-key",
        "Yandex Cloud key",
        "AQVN YCAJ YCMQ YCO YCP t1.",
        r"[A-Za-z0-9_-]{34,200}={0,2}(?:\.[A-Za-z0-9_-]{86}={0,2})?",
    ),
    token_rule("digitalocean-token", "DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", f"{_HEX}{{60,68}}"),
    token_rule("scaleway-key", "Scaleway access key", "SCW", "[A-Z0-9]{17}"),
    token_rule("scalingo-token", "Scalingo token", "tk-us-", f"{_URL}{{44,52}}"),
    token_rule("heroku-key", "Heroku API key", "HRKU-", f"(?:AA{_URL}{{54,62}}|{_UUID})"),
    token_rule("flyio-token", "Fly.io token", "fo1_ fm1_ fm1a_ fm1r_ fm2_", r"[\w+/-]{40,800}={0,3}"),
    token_rule("netlify-token", "Netlify token", "nfp_ nfc_ nfo_ nfu_ nfb_", r"\w{34,44}"),
    token_rule("vercel-token", "Vercel token", "vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_", r"\w{24,80}"),
    token_rule("render-key", "Render API key", "rnd_", f"{_ANY}{{28,36}}"),
    token_rule("cloudflare-origin-key", "Cloudflare origin CA key", "v1.0-", f"{_HEX}{{24}}-{_HEX}{{140,150}}"),
    token_rule("supabase-token", "Supabase key", "sbp_ sb_secret_", f"(?:oauth_)?{_URL}{{30,60}}"),
    token_rule("planetscale-token", "PlanetScale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w=.-]{30,64}"),
    token_rule("aiven-token", "Aiven password", "AVNS_", f"{_URL}{{16,40}}"),
    token_rule("mongodb-atlas-secret", "MongoDB Atlas secret", "mdb_sa_sk_", f"{_URL}{{30,48}}"),
    token_rule("clickhouse-key", "ClickHouse Cloud key", "4b1d", f"{_ANY}{{38}}"),
    token_rule("databricks-token", "Databricks token", "dapi doapi", rf"{_HEX}{{32}}(?:-\d)?"),
    token_rule("tailscale-key", "Tailscale key", "tskey-", r"(?:api|auth|client|scim|webhook)-[A-Za-z0-9-]{16,80}"),
    token_rule("defined-networking-key", "Defined Networking key", "dnkey-", r"[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}"),
    # Secret stores and infrastructure
    token_rule("vault-token", "HashiCorp Vault token", "hvs. hvb. hvr.", f"{_URL}{{22,300}}"),
    token_rule("vault-legacy-token", "HashiCorp Vault token", "s.", f"(?=[A-Za-z]{{0,23}}[0-9]){_ANY}{{24}}"),
    inner_rule(
        "terraform-token", "Terraform Cloud token", ".atlasv1.", rf"{_ANY}{{14}}\.atlasv1\.[A-Za-z0-9_=-]{{58,72}}", 14
    ),
    token_rule("pulumi-token", "Pulumi token", "pul-", f"{_HEX}{{40}}"),
    token_rule(
        "doppler-token",
        "Doppler token",
        "dp.",
        rf"(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{{2,35}}\.)?{_ANY}{{38,46}}",
    ),
    token_rule(
        "onepassword-secret-key",
        "1Password secret key",
        "A3-",
        r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}",
    ),
    token_rule(
        "onepassword-service-token", "1Password service account token", "ops_eyJ", r"[A-Za-z0-9+/_-]{200,2000}={0,3}"
    ),
    token_rule("age-secret-key", "age secret key", "AGE-SECRET-KEY-1", "[02-9AC-HJ-NP-Z]{50,60}"),
    token_rule("openshift-token", "OpenShift token", "sha256~", f"{_URL}{{40,46}}"),
    token_rule("harness-token", "Harness token", "pat. sat.", rf"{_URL}{{22}}\.{_HEX}{{24}}\.{_ANY}{{20}}"),
    token_rule("octopus-key", "Octopus Deploy API key", "API-", r"(?=[A-Z]{0,20}\d)[A-Z0-9]{25,32}"),
    token_rule("prefect-token", "Prefect API token", "pnu_ pnb_", f"{_ANY}{{36}}"),
    token_rule("buildkite-token", "Buildkite token", "bkua_ bkct_ bkaj_ bkat_", f"{_ANY}{{36,64}}"),
    token_rule("circleci-token", "CircleCI token", "CCIPAT_ CCIPRJ_", rf"\w{{16,30}}_{_HEX}{{40}}"),
    token_rule("infracost-key", "Infracost API key", "ico-", f"{_ANY}{{32}}"),
    token_rule(
        "authress-key",
        "Authress service key",
        "sc_ ext_ scauth_ authress_",
        r"[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}",
    ),
    # Models
    token_rule("anthropic-key", "Anthropic API key", "sk-ant-", r"(?:[a-z]{2,12}\d{2}-)?[\w-]{24,160}"),
    token_rule("openai-key", "OpenAI API key", "sk-proj- sk-svcacct- sk-admin- sk-None-", f"{_URL}{{20,220}}"),
    inner_rule("openai-legacy-key", "OpenAI API key", "T3BlbkFJ", r"sk-[\w-]{16,90}T3BlbkFJ[\w-]{16,90}", 100),
    token_rule("openrouter-key", "OpenRouter API key", "sk-or-", rf"(?:v1-)?{_HEX}{{48,72}}"),
    token_rule("langfuse-key", "Langfuse secret key", "sk-lf-", _UUID),
    token_rule("model-api-key", "API key of a model provider", "sk-", f"{_ANY}{{28,64}}"),
    token_rule("huggingface-token", "Hugging Face token", "hf_ api_org_", f"{_ANY}{{30,44}}"),
    token_rule("groq-key", "Groq API key", "gsk_", f"{_ANY}{{44,60}}"),
    token_rule("replicate-token", "Replicate token", "r8_", f"{_URL}{{32,44}}"),
    token_rule("perplexity-key", "Perplexity API key", "pplx-", f"{_ANY}{{40,64}}"),
    token_rule("xai-key", "xAI API key", "xai-", f"{_ANY}{{60,90}}"),
    token_rule("nvidia-key", "NVIDIA API key", "nvapi-", f"{_URL}{{50,80}}"),
    token_rule("pinecone-key", "Pinecone API key", "pcsk_", r"\w{40,90}"),
    token_rule("langsmith-key", "LangSmith API key", "lsv2_pt_ lsv2_sk_ ls__", rf"{_HEX}{{32}}(?:_{_HEX}{{10}})?"),
    token_rule("tavily-key", "Tavily API key", "tvly-", f"(?:dev-|prod-)?{_URL}{{28,50}}"),
    token_rule("jina-key", "Jina API key", "jina_", f"{_URL}{{50,70}}"),
    token_rule("cerebras-key", "Cerebras API key", "csk-", "[a-z0-9]{40,60}"),
    token_rule("together-key", "Together API key", "tgp_v1_", f"{_URL}{{36,60}}"),
    token_rule("fireworks-key", "Fireworks API key", "fw_", f"(?=[A-Za-z]{{0,25}}[0-9]){_ANY}{{22,26}}"),
    token_rule("elevenlabs-key", "ElevenLabs API key", "sk_", f"{_HEX}{{48}}"),
    token_rule("voyage-key", "Voyage API key", "pa-", f"(?=[A-Za-z_-]{{0,40}}[0-9]){_URL}{{43}}"),
    # Messages and mail
    token_rule(
        "slack-token",
        "Slack token",
        "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxc- xoxd- xoxe.xoxb- xoxe.xoxp-",
        r"(?:[\dA-Za-z]{1,20}-){0,5}(?P<tail>[A-Za-z0-9%+/]{8,200}={0,2})",
    ),
    token_rule("slack-app-token", "Slack app token", "xapp-", r"\d-[A-Z0-9]{8,14}-\d{6,14}-[A-Za-z0-9]{30,70}"),
    token_rule(
        "slack-webhook", "Slack webhook", "hooks.slack.com/", r"(?:services|workflows|triggers)/[A-Za-z0-9+/]{30,80}"
    ),
    token_rule(
        "discord-webhook",
        "Discord webhook",
        "discord.com/api/ discordapp.com/api/",
        r"(?:v\d+/)?webhooks/\d{16,20}/[\w-]{50,80}",
    ),
    word_rule(
        "discord-token",
        "Discord bot token",
        r"(?<![\w.-])[A-Za-z\d_-]{23,28}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{25,40}(?![\w.])",
    ),
    token_rule(
        "teams-webhook",
        "Microsoft Teams webhook",
        "webhook.office.com/",
        rf"webhookb2/{_UUID}@{_UUID}/IncomingWebhook/{_ANY}{{32}}/{_UUID}",
    ),
    token_rule("zapier-webhook", "Zapier webhook", "hooks.zapier.com/hooks/catch/", r"\d{4,10}/[A-Za-z0-9]{6,12}"),
    inner_rule("telegram-token", "Telegram bot token", ":AA", r"(?:(?<=bot))?\d{8,10}:AA[\w-]{32,34}", 13),
    token_rule("twilio-key", "Twilio API key", "SK", f"{_HEX}{{32}}"),
    token_rule("sendgrid-key", "SendGrid API key", "SG.", r"[\w=-]{10,32}[\w=.-]{32,60}"),
    token_rule("brevo-key", "Brevo API key", "xkeysib- xsmtpsib-", f"{_HEX}{{60,68}}-{_ANY}{{16}}"),
    inner_rule("mailchimp-key", "Mailchimp API key", "-us", rf"{_HEX}{{32}}-us\d{{1,2}}", 32),
    token_rule("mailgun-key", "Mailgun key", "key- pubkey-", f"{_HEX}{{32}}"),
    word_rule("mailgun-signing-key", "Mailgun key", rf"(?<!-){_HEX}{{32}}-{_HEX}{{8}}-{_HEX}{{8}}(?!-)"),
    token_rule("resend-key", "Resend API key", "re_", rf"{_ANY}{{7,9}}_{_ANY}{{22,26}}"),
    token_rule("telnyx-key", "Telnyx API key", "KEY0", rf"{_HEX}{{30,34}}_{_ANY}{{22}}"),
    # Money and shops
    token_rule(
        "stripe-key",
        "Stripe key",
        "sk_live_ rk_live_ sk_test_ rk_test_ sk_prod_ rk_prod_ sk_org_live_",
        f"{_ANY}{{16,250}}",
    ),
    token_rule("stripe-webhook-secret", "Stripe webhook secret", "whsec_", r"[A-Za-z0-9+/]{28,64}={0,2}"),
    token_rule("square-token", "Square token", "sq0atp- sq0csp- sq0idp- sq0ids- EAAA", r"[\w+/=-]{22,64}"),
    inner_rule(
        "braintree-token",
        "Braintree access token",
        "access_token$",
        rf"access_token\$(?:production|sandbox)\$[0-9a-z]{{16}}\${_HEX}{{32}}",
        0,
    ),
    token_rule("shopify-token", "Shopify token", "shpat_ shpca_ shppa_ shpss_ shptka_", "[0-9a-fA-F]{30,40}"),
    token_rule("plaid-token", "Plaid access token", "access-sandbox- access-development- access-production-", _UUID),
    token_rule("flutterwave-key", "Flutterwave key", "FLWSECK_TEST- FLWSECK-", f"{_ANY}{{12,40}}(?:-X)?"),
    token_rule("shippo-token", "Shippo token", "shippo_live_ shippo_test_", f"{_HEX}{{40}}"),
    token_rule("easypost-key", "EasyPost API key", "EZAK EZTK", f"{_ANY}{{50,58}}"),
    token_rule("duffel-token", "Duffel token", "duffel_live_ duffel_test_", "[A-Za-z0-9_=-]{40,46}"),
    token_rule("razorpay-key", "Razorpay key", "rzp_live_ rzp_test_", f"{_ANY}{{14,24}}"),
    # Their prefixes end those above, so they come behind them.
    token_rule(
        "gocardless-token", "GoCardless token", "live_ sandbox_", "(?=[A-Za-z_-]{0,30}[0-9])[A-Za-z0-9_=-]{38,44}"
    ),
    token_rule("lob-key", "Lob API key", "live_ test_ live_pub_ test_pub_", f"{_HEX}{{31,35}}"),
    # Work tools
    token_rule("atlassian-token", "Atlassian API token", "ATATT3 ATCTT3 ATSTT3", r"[\w=-]{50,220}"),
    token_rule("notion-token", "Notion token", "ntn_ secret_", f"(?=[A-Za-z]{{0,30}}[0-9]){_ANY}{{40,50}}"),
    token_rule("linear-key", "Linear API key", "lin_api_ lin_oauth_ lin_wh_", f"{_ANY}{{32,72}}"),
    word_rule("airtable-token", "Airtable token", rf"(?<![\w.])pat{_ANY}{{14}}\.{_HEX}{{60,68}}"),
    word_rule("asana-token", "Asana token", rf"[0-2]/\d{{15,18}}(?:/\d{{15,18}})?:{_HEX}{{32}}"),
    token_rule("figma-token", "Figma token", "figd_ figo_ figu_", f"{_URL}{{34,60}}"),
    token_rule("postman-key", "Postman API key", "PMAK- PMAT-", r"[A-Za-z0-9-]{24,70}"),
    token_rule("readme-key", "ReadMe API key", "rdme_", "[a-z0-9]{60,80}"),
    token_rule("typeform-token", "Typeform token", "tfp_", r"[\w.=-]{40,64}"),
    token_rule("frameio-token", "Frame.io token", "fio-u-", r"[\w=-]{50,70}"),
    token_rule("contentful-token", "Contentful token", "CFPAT-", f"{_URL}{{40,70}}"),
    token_rule("trello-token", "Trello token", "ATTA", f"{_HEX}{{60,76}}"),
    token_rule("hubspot-token", "HubSpot token", "pat-na1- pat-eu1- pat-na2- pat-ap1-", _UUID),
    token_rule("clickup-token", "ClickUp token", "pk_", r"\d{5,10}_[A-Z0-9]{28,36}"),
    token_rule("wakatime-key", "WakaTime key", "waka_", _UUID),
    token_rule("matrix-token", "Matrix access token", "syt_", r"[A-Za-z0-9+/=]{2,60}_[A-Za-z]{18,22}_[A-Za-z0-9]{5,8}"),
    # Watching and measuring
    token_rule("sentry-token", "Sentry token", "sntrys_ sntryu_ sntrya_", r"[A-Za-z0-9+/=_-]{40,400}"),
    token_rule("grafana-token", "Grafana token", "glsa_ glc_", r"[A-Za-z0-9+/_]{32,400}={0,3}"),
    token_rule("grafana-legacy-key", "Grafana API key", "eyJrIjoi", r"[A-Za-z0-9+/]{60,400}={0,3}"),
    token_rule("newrelic-key", "New Relic key", "NRAK- NRJS- NRII- NRAA- NRRA- NRSP-", r"[A-Za-z0-9-]{17,64}"),
    token_rule(
        "dynatrace-token",
        "Dynatrace token",
        "dt0c01. dt0s01. dt0s02. dt0s03. dt0s04. dt0s06. dt0s08. dt0s16.",
        r"[A-Za-z0-9]{8,24}\.[A-Za-z0-9]{56,68}",
    ),
    token_rule("honeycomb-key", "Honeycomb key", "hcaik_ hcbik_ hcamk_ hcxik_", "[a-z0-9]{28,64}"),
    token_rule("posthog-key", "PostHog personal key", "phx_ phs_", f"{_ANY}{{38,52}}"),
    token_rule("launchdarkly-key", "LaunchDarkly key", "api- sdk-", _UUID),
    token_rule("apify-token", "Apify token", "apify_api_", f"{_ANY}{{32,40}}"),
    # Others
    word_rule("facebook-app-token", "Facebook app token", r"\d{15,16}(?:\||%7C)(?P<body>[A-Za-z0-9_-]{27,40})"),
    token_rule("facebook-token", "Facebook token", "EAA", f"(?:[MC])?{_ANY}{{60,255}}"),
    token_rule("instagram-token", "Instagram token", "IGQV IGQW IGAA", r"[\w-]{60,255}"),
    token_rule(
        "twitter-bearer-token", "X (Twitter) bearer token", "AAAAAAAAAAAAAAAAAAAAA", "(?P<tail>[A-Za-z0-9%]{40,140})"
    ),
    token_rule("mapbox-token", "Mapbox secret token", "sk.eyJ", r"[A-Za-z0-9_-]{40,120}\.[A-Za-z0-9_-]{18,30}"),
    token_rule("adobe-secret", "Adobe client secret", "p8e- p8e_", f"{_ANY}{{30,34}}"),
    token_rule("adafruit-key", "Adafruit IO key", "aio_", f"{_ANY}{{28}}"),
    token_rule("beamer-token", "Beamer API key", "b_", r"(?=[A-Za-z_=-]{0,30}\d)[\w=-]{44}"),
    token_rule("dropbox-token", "Dropbox token", "sl. sl.u. sl.B", r"[\w=-]{100,255}"),
    token_rule("intra42-secret", "42 intra client secret", "s-s4t2ud- s-s4t2af-", f"{_HEX}{{60,68}}"),
    inner_rule("maxmind-key", "MaxMind license key", "_mmk", rf"{_ANY}{{6}}_{_ANY}{{29}}_mmk", 36),
    token_rule("settlemint-token", "SettleMint token", "sm_aat_ sm_pat_ sm_sat_", f"{_ANY}{{16,40}}"),
    token_rule("voiceflow-key", "Voiceflow key", "VF.", rf"(?:DM|WS)\.{_HEX}{{24}}\.{_ANY}{{16}}"),
    token_rule("saladcloud-key", "SaladCloud key", "salad_cloud_user_", r"\w{30,64}"),
    token_rule("flexport-token", "Flexport token", "shltm_", f"{_URL}{{36,44}}"),
    token_rule("endor-key", "Endor Labs key", "endr+", f"{_URL}{{16}}"),
    token_rule(
        "onfido-token",
        "Onfido token",
        "api_live. api_sandbox. api_live_us. api_live_ca. api_sandbox_us.",
        r"[\w-]{11}\.[\w-]{32}",
    ),
    token_rule("ubidots-token", "Ubidots token", "BBFF- BBUS-", f"{_ANY}{{30,36}}"),
    token_rule(
        "okta-token", "Okta API token", "00", r"(?=[\w-]{0,20}[A-Z])(?=[\w-]{0,20}[a-z])(?=[\w-]{0,30}[_-])[\w-]{40}"
    ),
    # By structure
    token_rule(
        "jwt",
        "JSON Web Token",
        "eyJ",
        rf"{_URL}{{8,2000}}\.(?:eyJ{_URL}{{8,8000}}(?:\.{_URL}{{16,1400}})?|{_URL}{{20,8000}}\.{_URL}{{16,1400}})",
    ),
    token_rule("jwt-base64", "encoded JSON Web Token", "ZXlK", r"[A-Za-z0-9+/_-]{100,8000}={0,2}"),
)
