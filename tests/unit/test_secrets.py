"""What `find_secrets`, `contains_secret` and `redact` promise, whatever the rules are."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_lsp.core.secrets import RULES, contains_secret, find_secrets, redact
from memory_lsp.core.text import Span

# Joined here, so that no scanner takes the file for a leak.
GITHUB = "gh" + "p_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
STRIPE = "sk_" + "live_q8Zt4LmWx2VbN7RkPdYs3Gf5"
PASSWORD = "Maple-7719-tide!"


def values(text: str) -> list[str]:
    return [secret.span.of(text) for secret in find_secrets(text)]


def test_the_span_is_the_value_alone() -> None:
    text = f"Deploy key: {GITHUB} (rotate it)\n"
    (secret,) = find_secrets(text)
    assert secret.span == Span(12, 12 + len(GITHUB))
    assert secret.rule == "github-token"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("🔑🔑 İstanbul ", " 漢字"),
        ("密钥是", "，别外传"),
        ("café\u2028naïve\x85", "\r\nmore"),
        ("\ud800 lone surrogate ", ""),
        ("| `", "` |"),
        ("(", ")."),
        ("\u3000全角", "。"),
        ("\tİİİİ password key token ", "\x1c"),
    ],
)
def test_spans_are_exact_in_any_text(before: str, after: str) -> None:
    text = f"{before}{GITHUB}{after}"
    assert [secret.span for secret in find_secrets(text)] == [Span(len(before), len(before) + len(GITHUB))]


@pytest.mark.parametrize("prefix", ["", "İİ ", "漢字 "])
def test_spans_behind_names_are_exact_too(prefix: str) -> None:
    text = f"{prefix}İ PASSWORD: {PASSWORD}\r\nпароль: {PASSWORD}\rDAS PASSWORT LAUTET {PASSWORD}\n"
    assert values(text) == [PASSWORD] * 3


def test_lowering_keeps_offsets_for_every_character() -> None:
    text = "".join(map(chr, range(0x20, 0x3000)))
    assert values(f"{text}\npw: {PASSWORD}") == [PASSWORD]


def test_digest_is_the_sha256_of_the_value_and_allows_it() -> None:
    text = f"pw: {PASSWORD}\ntoken {GITHUB}"
    first, second = find_secrets(text)
    assert first.digest == hashlib.sha256(PASSWORD.encode()).hexdigest()
    assert find_secrets(text, allowed=[first.digest]) == (second,)
    assert find_secrets(text, disabled=["github-token"]) == (first,)
    assert not contains_secret(text, allowed={first.digest, second.digest})


def test_a_development_default_does_not_count_as_a_secret() -> None:
    text = "postgres://postgres:postgres@localhost:5432/app"
    assert [secret.development for secret in find_secrets(text)] == [True]
    assert not contains_secret(text)
    assert contains_secret(f"{text}\n{STRIPE}")


@pytest.mark.parametrize(
    "text",
    [
        "sk-...",
        "gh" + "p_xxxxxxxx",
        "<YOUR_TOKEN>",
        "token: ${TOKEN}",
        "api_key: your-api-key-here",
        "AWS_ACCESS_KEY_ID=AKIA" + "IOSFODNN7EXAMPLE",
        "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        f"{GITHUB[:14]}... is the old one",
        "password: {{ vault.db }}",
        "token = get_token(1)",
    ],
)
def test_placeholders_and_references_are_no_secrets(text: str) -> None:
    assert not find_secrets(text)


def test_no_field_of_a_finding_holds_the_value() -> None:
    text = f"pw: {PASSWORD}\n{GITHUB}\n{STRIPE}\ncurl -u bot:{PASSWORD} x\npostgres://a:{PASSWORD}@h/d"
    found = find_secrets(text)
    assert len(found) == 5
    for secret in found:
        value = secret.span.of(text)
        for shown in (secret.rule, secret.name, secret.advice, secret.digest, repr(secret), str(secret)):
            assert value not in shown
            assert value[4:12] not in shown


def test_redaction_leaves_no_value_and_nothing_to_find() -> None:
    text = f"pw: {PASSWORD}\n{GITHUB}\nlater: ssh with {PASSWORD} again\npostgres://a:{PASSWORD}@h/d\n"
    redacted = redact(text, find_secrets(text))
    assert PASSWORD not in redacted and GITHUB not in redacted
    assert not find_secrets(redacted)
    assert redacted.startswith("pw: ${REDACTED_NAMED_SECRET}\n${REDACTED_GITHUB_TOKEN}\nlater: ssh with ${REDACTED_")
    assert redact("clean", ()) == "clean"


def test_redaction_replaces_only_what_it_is_given() -> None:
    text = f"{GITHUB} and {STRIPE}"
    kept = [secret for secret in find_secrets(text) if secret.rule == "stripe-key"]
    assert redact(text, kept) == f"{GITHUB} and ${{REDACTED_STRIPE_KEY}}"


def test_every_reference_is_passed_over_in_every_context() -> None:
    for rule in RULES:
        reference = "${REDACTED_" + rule.id.upper().replace("-", "_") + "}"
        for context in ("password: {}", "token={}", "the password is {}", "x://u:{}@h", "curl -u u:{} x", "Bearer {}"):
            assert not find_secrets(context.format(reference))


PIECES = st.sampled_from(
    [rule_literal for rule in RULES for rule_literal in rule.literals]
    + [
        PASSWORD,
        GITHUB,
        "password",
        "密码是",
        "пароль",
        " is ",
        ": ",
        "=",
        "`",
        '"',
        "://",
        "@",
        "\n",
        "|",
        "ſ",
        "İ",
        "K",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=30).map("".join))
def test_any_text_gives_sorted_spans_inside_it(text: str) -> None:
    found = find_secrets(text)
    ends = [0, *(end for secret in found for end in (secret.span.start, secret.span.end)), len(text)]
    assert ends == sorted(ends)
    assert all(secret.span.start < secret.span.end for secret in found)
    assert contains_secret(text) == any(not secret.development for secret in found)
    assert all(
        secret.digest == hashlib.sha256(secret.span.of(text).encode("utf-8", "surrogatepass")).hexdigest()
        for secret in found
    )
    redact(text, found)
