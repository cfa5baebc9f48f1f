"""Rules for values so random that their line or the name before them tells what they are."""

from __future__ import annotations

import re

from memory_lsp.core.secret_names import PROVIDER
from memory_lsp.core.secret_rule import Rule, Verdict, is_cut_short
from memory_lsp.core.secret_values import is_hex, is_mixed, is_random, is_uuid, naturalness
from memory_lsp.core.text import Span

_REACH = 120
_RUN = r"(?<![A-Za-z0-9_+/~.-])(?P<value>[A-Za-z0-9_+/~.-]{20,512}={0,2})(?![A-Za-z0-9_+/~-])"
_CREDENTIAL = re.compile(
    r"(?<![a-z])(?:api|access|secret|private|auth|signing|master)[ _-]?keys?(?![a-z])"
    r"|tokens?(?![a-z])|secrets?(?![a-z])"
    r"|passw|passphrase|credential|(?<![a-z])creds?(?![a-z])|bearer|(?<![a-z])pat(?![a-z])"
    r"|密钥|令牌|口令|토큰|비밀키|токен|секретн|トークン|schlüssel|jeton"
)
# What is random and public stands behind one of these.
_PUBLIC = re.compile(
    r"integrity|sha-?\d|md5|checksum|digest|commit|revision|(?<![a-z])rev(?![a-z])|fingerprint|public|pub_?key|challenge"
    r"|verifier|ssh-|ecdsa-|certificate"
    r"|data:|base64,|etag|nonce|(?<![a-z])cid(?![a-z])|ipfs|hash|signature|csrf|xsrf|site[ _-]?key|publishable|cursor"
    r"|page[ _-]?token|(?<![a-z])tx(?:id)?(?![a-z])|transaction|address|wallet|contract|(?<![a-z])ids?(?![a-z])|uuid"
    r"|session ?id|thread|channel|docs?\.google|file[ _-]?id|video|build|image|tag|model|path|branch|snapshot"
    r"|version|ticket|name|(?<![a-z])h1:"
)
_GIVEN = re.compile(r"(?<![a-z0-9_])(?P<name>[a-z_]\w{0,40})[\"']?\s?=\s?[\"']?$")
_BENIGN_NAME = re.compile(
    r"(?:id|ids|hash|sha|sum|rev|ref|etag|cursor|nonce|src|href|url|uri|path|file|cid|v|sig|name|key)$"
)


def _judge_random(match: re.Match[str]) -> Verdict | None:
    """Accept a random run when its line speaks of a credential or a provider, and nothing before it of an identity."""
    value, start = match["value"].rstrip("."), match.start("value")
    # The cheap tests first: most long words are paths and names.
    if (
        value.startswith(("/", "."))
        or is_cut_short(match.string, match.end("value"))
        or sum(map(str.isdigit, value)) < 2
    ):
        return None
    mixed = is_mixed(value)
    if (not mixed and not _base36(value)) or is_hex(value) or is_uuid(value) or not is_random(value, 20, 0.5):
        return None
    before, after = _line_around(match.string, start, start + len(value))
    if _PUBLIC.search(before[-56:]) or "://" in before.rsplit(" ", 1)[-1]:
        return None
    around = before + " " + after
    if _CREDENTIAL.search(around) or (mixed and len(value) >= 24 and PROVIDER.search(around)):
        return Verdict(Span(start, start + len(value)))
    return None


def _base36(value: str) -> bool:
    digits = sum(map(str.isdigit, value))
    return (
        len(value) >= 24 and value.isalnum() and digits >= 4 and len(value) - digits >= 8 and naturalness(value) < 0.3
    )


def _line_around(text: str, start: int, end: int) -> tuple[str, str]:
    """Return the small-letter text of the line, at most `_REACH` characters to either side."""
    before = re.split(r"[\r\n]", text[max(0, start - _REACH) : start])[-1]
    after = re.split(r"[\r\n]", text[end : end + _REACH], maxsplit=1)[0]
    return before.lower(), after.lower()


def _judge_assigned(match: re.Match[str]) -> Verdict | None:
    """Accept a long value of mixed case and digits that is given to any name but that of an identity or a digest."""
    value, start = match["value"], match.start("value")
    if not 32 <= len(value) <= 128 or value.startswith("/") or not is_mixed(value) or not is_random(value, 32, 0.47):
        return None
    before, _ = _line_around(match.string, start, start)
    given = _GIVEN.search(before)
    if given is None or _BENIGN_NAME.search(given["name"]) or _PUBLIC.search(given["name"]):
        return None
    return None if "://" in before.rsplit(" ", 1)[-1] else Verdict(Span(start, start + len(value)))


RANDOM_RULES: tuple[Rule, ...] = (
    Rule(
        "random-near-name",
        "random value in a line about credentials",
        (),
        re.compile(_RUN),
        _judge_random,
        "Change it where it is used, and keep it in a secret store.",
        long_word=True,
    ),
    Rule(
        "random-assigned",
        "random value given to a name",
        (),
        re.compile(_RUN),
        _judge_assigned,
        "Change it where it is used, and keep it in a secret store.",
        long_word=True,
    ),
)
