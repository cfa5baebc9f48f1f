"""Tools that are known by name, by what they are for: two of one kind take each other's place, others go together."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_KINDS = """
packages of JavaScript: npm pnpm yarn bun
packages of Python: pip poetry pdm uv conda pipenv
database: postgres postgresql mysql mariadb sqlite oracle cockroachdb mongodb mongo dynamodb cassandra couchdb firestore
cache: redis valkey memcached
broker: redis valkey rabbitmq kafka nats sqs pulsar activemq
search: elasticsearch opensearch solr meilisearch typesense algolia
builds: jenkins buildkite circleci travis teamcity bamboo drone gitlab github-actions gitlab-ci
code host: github gitlab bitbucket gitea forgejo codeberg
issues: jira linear trello asana youtrack redmine bugzilla
wiki: confluence notion sharepoint mediawiki
chat: slack discord mattermost zulip teams
cloud: aws azure gcp heroku fly render vercel netlify hetzner digitalocean
orchestration: kubernetes k8s nomad swarm ecs
containers: docker podman containerd
machines: terraform pulumi cloudformation ansible chef puppet nix saltstack
deployment: argocd argo-cd spinnaker flux
language: python rust go golang java kotlin scala javascript typescript ruby php swift dart elixir haskell clojure perl
mobile: kotlin swift flutter react-native
interface: react vue svelte angular ember preact
styles: tailwind bootstrap sass bulma
bundler: webpack vite rollup esbuild parcel turbopack
tests of JavaScript: jest vitest mocha jasmine
tests of Python: pytest unittest nose
browser tests: cypress playwright selenium puppeteer
formatter: black yapf ruff prettier biome
linter: eslint flake8 pylint ruff biome
editor: vim neovim emacs vscode intellij helix
site: hugo mkdocs sphinx docusaurus jekyll gatsby
markup: markdown asciidoc restructuredtext latex typst
mail: mailgun postmark sendgrid mailchimp
flags: launchdarkly unleash flagsmith
password hash: bcrypt argon2 scrypt pbkdf2
web server: nginx caddy apache traefik haproxy
metrics: prometheus datadog influxdb graphite newrelic
logs: loki splunk graylog
errors: sentry rollbar bugsnag
files: s3 minio gcs sharepoint dropbox
interface of services: rest graphql grpc soap
format: json yaml toml xml csv protobuf avro
indentation: tabs spaces tabulatoren leerzeichen tabuladores espacios
sheets: excel libreoffice
sign-in: auth0 keycloak okta cognito
versions: git svn mercurial
payments: stripe adyen paypal braintree
""".strip()

_SAME = (
    ("postgres", "postgresql"), ("mongo", "mongodb"), ("kubernetes", "k8s"), ("go", "golang"), ("argocd", "argo-cd"),
    ("gitlab", "gitlab-ci"), ("tabs", "tabulatoren", "tabuladores"), ("spaces", "leerzeichen", "espacios"),
)  # fmt: skip
# Names of two words, as one.
_JOINED = MappingProxyType({"github actions": "github-actions", "gitlab ci": "gitlab-ci", "argo cd": "argo-cd",
                            "react native": "react-native"})  # fmt: skip


def _read() -> Mapping[str, frozenset[str]]:
    kinds: dict[str, set[str]] = {}
    for line in _KINDS.splitlines():
        kind, _, names = line.partition(": ")
        for name in names.split():
            kinds.setdefault(name, set()).add(kind)
    return MappingProxyType({name: frozenset(found) for name, found in kinds.items()})


KINDS: Mapping[str, frozenset[str]] = _read()
"""What each known tool is for."""


def joined(text: str) -> str:
    """Return a folded text in which each known name is one word."""
    for name, word in _JOINED.items():
        text = text.replace(name, word)
    return text


def are_rivals(one: str, other: str) -> bool:
    """Tell whether two words name different tools of one kind."""
    shared = KINDS.get(one, frozenset()) & KINDS.get(other, frozenset())
    return one != other and bool(shared) and not any({one, other} <= set(names) for names in _SAME)


def go_together(one: str, other: str) -> bool:
    """Tell whether two words name tools that are for different things, or one tool."""
    return one in KINDS and other in KINDS and not are_rivals(one, other)
