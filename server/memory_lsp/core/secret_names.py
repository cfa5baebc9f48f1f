"""Tell from a name, such as `DB_PASSWORD` or `api key`, what kind of value may stand beside it."""

from __future__ import annotations

import re
from enum import IntEnum

from memory_lsp.core.secret_values import word_set


class Kind(IntEnum):
    """What a name promises, the later the more certain."""

    NOTHING = 0
    KEY = 1  # a key of some sort: only a value that no one could take for a name counts
    SECRET = 2  # a token or a secret
    STRONG = 3  # a name that promises a credential whatever its shape: also a UUID counts
    PASSWORD = 4  # a person may have made the value up


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")

_PASSWORDS = word_set(
    "password passwords passwd passwort passwörter kennwort pwd pass passphrase passcode pw psw pword passe mdp "
    "passw userpassword dbpassword adminpassword rootpassword mypassword dbpass userpass rootpass adminpass smtppass "
    "mailpass sshpass dbpwd userpwd adminpwd sapassword pgpassword pgpass mysqlpassword redispassword"
)
_SECRETS = word_set("secret secrets token tokens creds cred credential credentials authtoken authkey auth pat")
_STRONG = word_set(
    "apikey apikeys secretkey accesskey authtoken authkey privatekey clientsecret apisecret appsecret accesstoken "
    "apitoken bearertoken refreshtoken secrettoken tokensecret consumersecret encryptionkey signingkey masterkey "
    "licensekey authsecret webhooksecret jwtsecret sharedsecret"
)
# Before "key" or "token", these make a credential of it ...
_QUALIFIERS = word_set(
    "api access secret private auth authentication authorization encryption encrypt signing sign master account admin "
    "service shared app application consumer client subscription integration webhook session license licence storage "
    "rest deploy functions host hmac aes jwt cookie security ingest management project server personal bearer refresh "
    "user root bot oauth registration license function team org organization workspace read write live test"
)
# ... and these something public or harmless.
_HARMLESS = word_set(
    "public pub primary foreign cache sort partition row object sitekey site publishable publish idempotency hash "
    "group index unique composite natural lookup map dict json yaml redis bucket query translation route tab return "
    "enter escape hot short arrow feature metric gpg pgp csrf xsrf page next prev previous cursor continuation sync "
    "pagination max min total num number count prompt completion output input special stop eos bos pad mask cls sep "
    "unk dedupe dedup event message value answer field column  no without reset forgot change "
    "s3 ssh known design css theme color last first recv cmp prop attr param node tree dict "
    "etag tag"
)
# Who gives out tokens and keys; all lower-case.
PROVIDER = re.compile(
    r"(?<![a-z])(?:openai|anthropic|groq|mistral|cohere|deepseek|deepgram|replicate|hugging ?face|perplexity|elevenlabs"
    r"|supabase|vercel|netlify|heroku|railway|fly\.io|digitalocean|linode|vultr|hetzner|scaleway|cloudflare|fastly"
    r"|datadog|new ?relic|sentry|rollbar|bugsnag|grafana|honeycomb|splunk|pagerduty|opsgenie|algolia|twilio"
    r"|sendgrid|mailgun|mailchimp|postmark|mailjet|sparkpost|klaviyo|stripe|paypal|braintree|adyen|plaid|shopify|github|gitlab|bitbucket"
    r"|circleci|travis ?ci|buildkite|codecov|snyk|artifactory|jfrog|npmjs|rubygems|airtable|asana|trello|jira"
    r"|zendesk|intercom|hubspot|salesforce|dropbox|figma|contentful|mapbox|okta|auth0|clerk|telegram|discord"
    r"|slack|twitch|spotify|facebook|linkedin|infura|alchemy|etherscan|moralis|coinbase|binance|kraken|kucoin|pinecone"
    r"|langsmith|launchdarkly|amplitude|mixpanel|posthog|segment|hasura|planetscale|mongodb atlas|upstash|databricks"
    r"|snowflake|terraform cloud|pulumi|doppler|hashicorp|ngrok|tailscale)(?![a-z])"
)
_PUBLIC = word_set("public gpg pgp ssh kms")
# Behind the name of a secret, only these leave it one: `PASSWORD_PROD`, `tokenValue`, `secret 2`.
_FOLLOWERS = word_set(
    "value val string str prod production staging stage stg dev development test testing live local default new "
    "current admin root main primary secondary backup b64 base64 plain plaintext cleartext text raw env key token "
    "secret"
)
_SUFFIX = re.compile(
    r"(?:[a-z]{2,}(?:password|passwd|passphrase|pwd))$|(?P<strong>[a-z]*(?:apikey|secretkey|accesskey|authtoken|accesstoken"
    r"|apitoken|clientsecret|appsecret))$|(?P<secret>[a-z]{3,}(?:token|secret))$"
)


def words_of(name: str) -> list[str]:
    """Return the words of a name, in small letters: `dbPassword_2` gives db, password, 2."""
    return [word.lower() for word in _WORD.findall(name)]


def kind_of(name: str, before: str = "") -> Kind:
    """Return what a name promises; `before` holds the words of prose that stand before it."""
    words = words_of(name)
    place = next((i for i in range(len(words) - 1, -1, -1) if _kind_of_word(words[i]) is not Kind.NOTHING), -1)
    if place < 0 or any(word not in _FOLLOWERS and not word.isdigit() for word in words[place + 1 :]):
        return Kind.NOTHING
    kind = _kind_of_word(words[place])
    leading = words[:place] or words_of(before)[-3:]
    last = leading[-1] if leading else ""
    if last in _HARMLESS or (kind is Kind.KEY and not _PUBLIC.isdisjoint(leading[-2:])):
        return Kind.NOTHING
    if kind in (Kind.KEY, Kind.SECRET) and PROVIDER.search(" ".join(leading[-3:])):
        return Kind.STRONG
    if kind is Kind.KEY and (last in _QUALIFIERS or (len(words) > 1 and words[0] not in _HARMLESS)):
        return Kind.STRONG if last in _QUALIFIERS else Kind.SECRET
    if kind is Kind.SECRET and leading:
        return Kind.STRONG if last in _QUALIFIERS or last == "key" else kind
    return kind


def _kind_of_word(word: str) -> Kind:
    if word in _PASSWORDS:
        return Kind.PASSWORD
    if word in _STRONG:
        return Kind.STRONG
    if word in _SECRETS:
        return Kind.SECRET
    if word == "key":
        return Kind.KEY
    match = _SUFFIX.match(word)
    if match is None:
        return Kind.NOTHING
    if match["strong"]:
        return Kind.STRONG
    return Kind.SECRET if match["secret"] else Kind.PASSWORD
