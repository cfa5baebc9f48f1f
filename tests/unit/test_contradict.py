"""Which notes contradict each other, where, and which only look as if they did."""

from __future__ import annotations

import random

import pytest
from fixtures import growth
from memory_lsp.core.contradict import Kind, contradictions
from memory_lsp.core.note import parse
from memory_lsp.core.sentences import sentences

FOUND = {
    "polarity": [
        ("Always squash branches", "Never squash branches"),
        ("Use emoji in commit subjects", "Don't use emoji in commit subjects"),
        ("Deploying on Fridays is allowed", "Deploying on Fridays is forbidden"),
        ("The dark theme is enabled by default", "The dark theme is disabled by default"),
        ("Search results must be cached", "Search results must not be cached on the client"),
        ("Log request payloads", "Avoid logging request payloads"),
        ("Logs are rotated automatically", "Logs are rotated manually"),
        ("Prefer tabs over spaces", "Prefer spaces over tabs"),
        ("Kunden werden immer geduzt", "Kunden werden nie geduzt"),
        ("Los informes se envían siempre por correo", "Los informes no se envían nunca por correo"),
        ("集成测试必须连接真实服务器", "集成测试不能连接真实服务器"),
    ],
    "number": [
        ("List endpoints return 50 items a page", "List endpoints return 200 items a page"),
        ("Import jobs process 500 rows a batch", "Import jobs process 5,000 rows a batch"),
        ("Sessions of the portal last 8 hours", "Sessions of the portal last 20 minutes"),
        ("A change needs two approvals", "A change needs one approval"),
        ("Uploads may have 20 MB at most", "Uploads are limited to 50 MB"),
        ("Rechnungen sind nach vierzehn Tagen fällig", "Rechnungen sind nach 30 Tagen fällig"),
        ("Se guardan siete copias de la base", "Se guardan 30 copias de la base"),
        ("密码至少八位", "密码至少十四位"),
    ],
    "date": [
        ("The public launch is on 3 March", "The public launch is on March 17"),
        ("The weekly planning is on Monday", "The weekly planning is on Thursday"),
        ("The stand-up is at 9:30", "The stand-up starts at 10:15"),
        ("The nightly backup starts at 02:00", "The nightly backup starts at 4 am"),
        ("Das Release erscheint am Dienstag", "Das Release erscheint am Freitag"),
        ("新版本每周二发布", "新版本每周四发布"),
    ],
    "tool": [
        ("Continuous integration runs on Jenkins", "Continuous integration runs on Buildkite"),
        ("Run the tests with pytest", "Run the tests with unittest"),
        ("The order service stores its data in MySQL", "The order service stores its data in MongoDB"),
        ("Use Vite for the web build", "Use webpack for the web build"),
        ("Use pnpm", "Use yarn"),
        ("The job queue is powered by Redis", "RabbitMQ powers the job queue"),
        ("The product search uses Solr", "The product search uses Meilisearch"),
        ("We track bugs in Jira", "Bugs are tracked in Linear"),
        ("The session cache runs on Redis", "We switched the session cache to Memcached"),
        ("Karten werden mit Leaflet gezeichnet", "Karten werden mit OpenLayers gezeichnet"),
        ("Los mapas se dibujan con Leaflet", "Los mapas se dibujan con OpenLayers"),
    ],
    "owner": [
        ("Tilvo owns the billing service", "Mirrane owns the billing service"),
        ("The data team is on call for search", "The platform team is on call for search"),
        ("Ask Lenka about invoices", "Ask Omarin about invoices"),
        ("Kimmo maintains the parser", "Kimmo handed the parser over to Oletta"),
        ("Lenka is the contact for the payroll export", "Omarin is the contact for the payroll export"),
        ("支付接口由上海团队负责", "支付接口由成都团队负责"),
    ],
    "replaced": [
        ("Alerts of the shop are posted in Slack", "Since May the shop's alerts go to the pager instead of Slack"),
        ("Tilvo owns the billing service", "Mirrane has taken over the billing service from Tilvo"),
        ("CI runs on Jenkins", "We moved from Jenkins to Buildkite"),
        ("Metrics are scraped by Graphite", "Prometheus took the place of Graphite"),
        ("Icons come from the sprite sheet", "Icons come from the component library now"),
        ("The weekly demo is short", "The weekly demo was abolished"),
        ("We deploy by hand", "We used to deploy by hand"),
        ("Payday is the 25th", "Payday has been moved to the 28th"),
    ],
}

# Pairs that share most of their words and are no contradiction, by what tells them apart.
APART = {
    "another subject, opposite polarity": ("Always cache the product pages", "Never cache the account pages"),
    "another subject, another number": ("The public API returns 50 items", "The admin API returns 200 items"),
    "another subject, another day": ("The web team plans on Mondays", "The data team plans on Thursdays"),
    "another subject, another tool": ("The API runs on Kubernetes", "The worker runs on Nomad"),
    "another object, another owner": ("Tilvo owns the billing service", "Mirrane owns the catalogue service"),
    "another scope": ("Use tabs in Go", "Use tabs in Python"),
    "another scope of another tool": ("Use tabs in Go files", "Use spaces in Python files"),
    "tools for different things": ("The frontend uses React", "The frontend uses TypeScript"),
    "a machine and where it stands": ("The service runs on Kubernetes", "The service runs on AWS"),
    "a tool and a place": ("Unit tests are run with pytest", "Unit tests are run in CI"),
    "a way and an addressee": ("Reports are sent by mail", "Reports are sent to the finance team"),
    "a tool and a time": ("Mail is sent through Mailgun", "Mail is sent in the night"),
    "a language and its writers": ("The report is written in Go", "The report is written by the platform team"),
    "tools that are spoken of": ("Redis is slow on old machines", "Memcached is slow on old machines"),
    "a quality that picks out": ("Public pages are cached", "Private pages are cached"),
    "a rule and a measurement": ("Each note may have 80 lines", "Each note was 40 lines long on average"),
    "tools that one person works with": ("The user works with Python", "The user works with Go"),
    "formats that something reads": ("The tool exports to CSV", "The tool exports to JSON"),
    "one more": ("The export is written in CSV", "The export is also written in JSON"),
    "two relations of one thing": ("A comment belongs to a post", "A comment belongs to a user"),
    "what is removed each time": ("A flag hides a new feature", "A flag for a new feature is removed after two weeks"),
    "a tool and the move to it": ("CI runs on Buildkite", "We moved from Jenkins to Buildkite"),
    "another unit": ("The worker may use 2 CPUs", "The worker may use 6 GB of memory"),
    "another condition": ("Deploy to staging when the tests pass", "Never deploy to staging when the tests fail"),
    "an exception": ("Search pages are cached except for admins", "Do not cache search pages"),
    "negated twice": ("Second factors are not optional", "Second factors are mandatory"),
    "one number in two units": ("The worker may use 512 MB of memory", "The worker may use half a gigabyte of memory"),
    "one number in two spellings": ("Imports run in batches of 1,000", "Imports run in batches of a thousand"),
    "one time in two spellings": ("Planning of the web team is at 09:00", "Planning of the web team is at 9 am"),
    "a number within a bound": ("Tables have up to five columns", "Tables have three columns"),
    "a range that holds the day": ("The office is open Monday to Friday", "The office is open on Tuesday"),
    "two names of one thing": ("Orders are stored in Postgres", "Orders are stored in PostgreSQL"),
    "a question": ("What is never logged in production", "Payloads are logged in production"),
    "code": ("No `any` in the web app", "The web app is built by the script"),
    "comparators": ("密码不能少于八位", "密码至少八位"),
    "equal": ("Never squash branches", "Never squash branches"),
}  # fmt: skip


def pairs() -> list[tuple[str, str, str]]:
    return [(kind, one, other) for kind, group in FOUND.items() for one, other in group]


@pytest.mark.parametrize(("kind", "one", "other"), pairs())
def test_a_contradiction_is_found_from_both_sides(kind: str, one: str, other: str) -> None:
    left, right = parse("a.md", f"# A\n\nSome words first. {one}.\n"), parse("b.md", f"{other}.\n")
    there, back = contradictions(left, right), contradictions(right, left)
    assert there is not None
    assert back is not None
    assert (there.kind, back.kind) == (Kind(kind), Kind(kind))
    assert (there.span, there.other_span) == (back.other_span, back.span)
    assert there.span.of(left.text) == f"{one}."
    assert there.other_span.of(right.text) == f"{other}."


@pytest.mark.parametrize(("one", "other"), APART.values(), ids=APART)
def test_what_differs_in_more_or_less_than_that_is_no_contradiction(one: str, other: str) -> None:
    assert contradictions(parse("a.md", one), parse("b.md", other)) is None


def test_a_description_is_compared_and_marked_without_its_quotes() -> None:
    one = parse("a.md", '---\nname: a\ndescription: "Always squash branches"\n---\n\nText.\n')
    found = contradictions(one, parse("b.md", "Never squash branches."))
    assert found is not None
    assert found.span.of(one.text) == "Always squash branches"


def test_markup_belongs_to_the_sentence_and_code_headings_and_comments_do_not() -> None:
    other = parse("b.md", "Never squash branches.")
    marked = parse("a.md", "- *Always* squash\n  `branches`, as [[x|the team]] does.\n")
    found = contradictions(marked, other)
    assert found is not None
    assert found.span.of(marked.text) == "Always* squash\n  `branches`, as [[x|the team]] does."
    for silent in ("```\nAlways squash branches\n```", "# Always squash branches", "<!-- Always squash branches -->"):
        assert contradictions(parse("a.md", silent), other) is None


def test_hostile_text_costs_no_more_than_it_is_long() -> None:
    def compare(size: int) -> None:
        one = parse("a.md", "never not no the 1 2 3 instead of " * size)
        contradictions(one, parse("b.md", "always over 3 from 4 to 5 " * size))

    assert growth(compare, 200) < 7


WORDS = """
always never not no must only if except from to over instead of 3 3.12 1,000 two half a hour MB percent 09:00 2024-06-01
3 March Monday to Friday since now is are stored in written with use for owns leads tests the , ; ` nie nicht von auf 14
Tage montag siempre nunca no de a 必须 不能 十四 周二 三月五日 由 负责 从 改为 的 ( ) - : ’ _x x_y C++
"""


def test_random_sentences_of_telling_words_are_read_and_none_contradicts_itself() -> None:
    rng, parts = random.Random(7), WORDS.split()
    for _ in range(400):
        one, other = (parse(f"{name}.md", " ".join(rng.choices(parts, k=rng.randint(1, 14)))) for name in "ab")
        there, back = contradictions(one, other), contradictions(other, one)
        assert (there is None) == (back is None)
        assert len(sentences(one)) > 1 or contradictions(one, parse("c.md", one.text)) is None


@pytest.mark.parametrize("text", ["", "。", "1", "至少", "no", "`", "from to", "instead of", "、八", "half a"])
def test_any_text_is_read(text: str) -> None:
    assert contradictions(parse("a.md", text), parse("b.md", text)) is None


def test_a_pronoun_stands_for_the_subject_before_it() -> None:
    go = parse("a.md", "The importer runs at night. It is written in Go.")
    rust = parse("b.md", "The importer was renewed last year. It is written in Rust.")
    found = contradictions(go, rust)
    assert found is not None
    assert found.span.of(go.text) == "It is written in Go."
    other = parse("c.md", "The exporter runs each hour. It is written in Rust.")
    assert contradictions(go, other) is None
    kept = parse("d.md", "The invoice parser breaks often. Kajsa maintains it.")
    handed = parse("e.md", "The invoice parser has been stable for months. Pavlo maintains it.")
    assert contradictions(kept, handed) is not None
