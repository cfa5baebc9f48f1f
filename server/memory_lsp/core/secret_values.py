"""Tell a credential's value from a placeholder, a reference, a path, a digest, a name or a word.

Every test works on one value, without its context. The patterns that find values bound their length, so each test
costs a bounded time.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# So many characters tell random text from words; a longer value is judged by its beginning.
_ENOUGH = 160


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set, for tables of words."""
    return frozenset(text.split())


# The 220 commonest letter pairs of English prose and of program names, grouped by first letter. They are 94 % of the
# pairs of such text and 33 % of the pairs of random letters.
_PAIRS = frozenset(
    group[0] + second
    for group in word_set(
        "abcdgiklmnprstuvy baeijloruy caehiklortu daeiorsu eacdefgilmnprstvwxy faefiloru gaehiorsu haeio "
        "iabcdefglmnoprstvz je kei ladefilmostuy mabeimopsu nacdefginostu obcdflmnoprstuvw paeiloprtu qu "
        "racdegiklmnorstuy sacehiopstu taehilorstuy uabceilmnprst vaei waehior xt yps ze"
    )
    for second in group[1:]
)

_REFERENCE = re.compile(
    r"[`'\"]?(?:\{\{|\$[({]|<|\[|\(|\{)"
    r"|[!#@&?*]\w*$|%\w+%$|%[({]|\$\$?[A-Za-z_]\w*(?:$|[/.:\[)}\"',;-])|[&*]{2}"
    r"|(?i:process\.env|os\.environ|env[.:\[(]|secrets?[./]|vault:|op://|arn:|ssm:|file:|var\.|self\.|this\.|config[.\[])"
    r"|(?:const|let|var|func|function|return|await|new|lambda|def|async|null|none|nil|true|false|undefined)\b(?!-)"
)
# A bare name that is called, indexed or looked into; `Summer.2024!` is none, a digit follows its dot.
_EXPRESSION = re.compile(r"[A-Za-z_]\w*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)*(?:[(\[]|->|::|;$)")
_ATTRIBUTE = re.compile(r"[A-Za-z_]\w*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)+[;,)]?$")
# `name=value`, an option, and what only a regular expression holds.
_SETTING = re.compile(r"-{1,2}[A-Za-z]|[A-Za-z_][\w.-]{1,40}=[\w.\"'\[]")
_PATTERN = re.compile(r"\[\^|\(\?|\\[swdSWDbB]|\.[*+]|\][+*]|\{\d+,\d*\}|\\[(|)]")
# Each of these anywhere in the small-letter value makes it one to be filled in ...
_PLACEHOLDER_PARTS = (
    *("xxxxx", "***", "...", "…", "••", "###", "____", "00000000", "11111111", "{{", "${"),
    *("example", "placeholder", "redacted", "removed", "masked", "hidden", "omitted", "snipped"),
    *("goeshere", "goes-here", "goes_here", "goes here", "replaceme", "replace-me", "replace_me", "replace me"),
    *("fillme", "fill-me", "fill_me", "fill me"),
    *("abcdefgh", "12345678", "87654321", "qwertyui", "deadbeef", "0123456", "foobar"),
)
# ... and so do these at their place.
_PLACEHOLDER = re.compile(
    r"<[^>]*>|^your|here$"
    r"|(?:^|[-_.\s])(?:your|my|some|the|insert|enter|put|paste|replace|fill|dummy|fake|sample|mock|todo|tbd|foo|bar|abc123)"
    r"(?:[-_.\s]|$)"
)
# A long value of no more different letters and digits than these is a row of strokes.
_FEW_KINDS = 6
_DOCUMENTED_WORDS = word_set(
    "password passwd pass pwd pw secret token key apikey api_key api-key username user usr login email mail string "
    "value text hash none null nil true false yes no on off required optional empty undefined unset "
    "unknown default bearer basic passphrase credential credentials mypassword mysecret mytoken mypass pass_word "
    "userpassword secretkey private public auth authorization userpass pswd p4ssword-here test_token"
)
_DEVELOPMENT = word_set(
    "changeme changeit change-me change_me changethis changeme123 password passw0rd password1 password123 p@ssw0rd "
    "p@ssword admin admin1 admin123 administrator root toor postgres postgresql mysql mariadb mongo mongodb redis "
    "rabbitmq guest test test1 test123 test1234 testing tester testpass testpassword dev devpass devpassword develop "
    "development local localdev localhost secret secret123 letmein welcome1 qwerty qwerty123 123456 1234567 12345678 "
    "123456789 1234567890 123123 111111 minio minioadmin minio123 elastic kibana grafana airflow superset sa docker "
    "vagrant example demo demo123 user user123 pass pass123 pass1234 default sample dummy app web keycloak neo4j "
    "insecure not-secret notsecret dev-secret dev-only"
)
_VERSION = re.compile(
    r"(?:\d:)?[~^=v<>]*\d+(?:\.\d+)+(?:[-+~.]?[A-Za-z]{1,12}[.\d]*|[-+~][\w.+~-]*)?$|v\d+(?:[._-]\w{1,8}){0,4}$",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\d{4}[-/.]\d\d?(?:[-/.]\d\d?)?(?:[T_ ]?\d\d?:?\d\d.*)?$|\d\d?:\d\d(?::\d\d)?$|\d\d?[./-]\d\d?[./-]\d{2,4}$"
)
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$", re.IGNORECASE)
_ULID = re.compile(r"0[1-9][0-9A-HJKMNP-TV-Z]{24}$")
_HEX = re.compile(r"[0-9a-f]{8,}$|[0-9A-F]{8,}$")
_DIGEST = re.compile(r"(?:sha(?:1|256|384|512)|md5|blake[23]\w?|h1)[-:=]", re.IGNORECASE)
_HASHED = re.compile(
    r"\$(?:2[abxy]?|5|6|y|apr1|argon2\w*|pbkdf2\S*|scrypt)\$|\{(?:SSHA|SHA|CRYPT)\}|pbkdf2[_:]", re.IGNORECASE
)
_PUBLIC_KEY = re.compile(
    r"AAAA[BCE][23]|(?:ssh|ecdsa|sk)-(?:rsa|dss|ed25519|sha2|ssh)|age1[02-9a-z]{30}|MI[GI][A-Za-z0-9+/]{40}"
)
_LOCATION = re.compile(
    r"\.{0,2}/|~/|[A-Za-z]:[\\/]|[a-z][a-z0-9+.-]*://|//"
    r"|[\w.-]+(?:/[\w.-]+)*\.(?:[a-z]{1,4}|[a-z]{1,5}\d?|properties|example|service|config|sqlite|lock|internal)(?::\d+)?(?:[/#?][\w#?=&./-]*)?$"
)
_PATH_LIKE = re.compile(r"[\w.@-]+(?:[/\\][\w.@{}-]+)+[/\\]?$")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+$")
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")
# Names of techniques, whose digits say nothing: AES-256-GCM, bcrypt, base64, OAuth2, utf-8.
_TECHNICAL = re.compile(
    r"sha-?\d{0,3}|md5|pbkdf2|argon2\w{0,2}|s?bcrypt\d*|scrypt|yescrypt|blake\w{0,3}|hmac|aes-?\d*|gcm|cbc|rsa-?\d*|dsa"
    r"|ed25519|x25519|p-?256|p-?384|secp\d+\w\d|ecdsa|es\d{3}|rs\d{3}|hs\d{3}|oauth-?2?|oidc|saml2?|base(?:16|32|58|62|64)(?:url)?"
    r"|utf-?(?:8|16|32)|ascii|2fa|mfa|totp|otp|u2f|fido2?|http2?s?|http[/]?\d|tls-?\d?|ssl-?\d?|v\d+|k8s|s3|ec2|gcp|aws\d?|p12|1password|\d{4}q\d|q\d"
    r"|pkcs-?\d*|x-?509|i18n|l10n|auth0|ntlm\d?|ldaps?|win32|x86|x64|amd64|arm64|ipv[46]|ip[46]|uuid\d?|utf|nist|fips|rfc\d*"
    r"|cwe|cve|iso|jwt|jws|jwe|crc32|mp[34]|h26[45]|node\d*|python\d*|py\d*|java\d*|es\d+|web[23]|b2b|b2c|log4j|neo4j"
    r"|qwen\d*|gpt|llama\d*|bit|bits|byte|bytes|char|chars|characters?|digits?|letters?|days?|hours?|hrs?|mins?|minutes?"
    r"|secs?|seconds?|weeks?|months?|years?|rounds?|times|kb|mb|gb|ms|px|th|st|nd|rd|[a-z]",
    re.IGNORECASE,
)
_PIECES = re.compile(r"[^\W_]+")
_JOINED = re.compile(r"[A-Za-z]\d|\d[A-Za-z]")
_STRONG_SYMBOL = re.compile(r"[!@#$%^&*+?~]")


def entropy(value: str) -> float:
    """Return Shannon's entropy of the value's characters, in bits a character."""
    counts = Counter(value[:_ENOUGH])
    size = counts.total()
    return -sum(count / size * math.log2(count / size) for count in counts.values())


def naturalness(value: str) -> float:
    """Return the share, 0 to 1, of neighbouring letters and digits that words and names would also hold.

    A common letter pair counts for the value, a rare one and a step between letter and digit against it; digits side
    by side, separators and a camel-case step say nothing. Random text of mixed case and digits gets about 0.2, names
    about 0.8. A value without any telling pair gets 1.
    """
    good = total = 0
    for first, second in pairwise(value[:_ENOUGH]):
        if first.isdigit():
            total += second.isalpha()
        elif first.isalpha():
            if second.isdigit():
                total += 1
            elif second.isalpha() and not (first.islower() and second.isupper()):
                total += 1
                good += not first.isascii() or not second.isascii() or (first + second).lower() in _PAIRS
    return good / total if total else 1.0


def is_uuid(value: str) -> bool:
    """Tell whether the value is a UUID."""
    return _UUID.match(value) is not None


def is_hex(value: str) -> bool:
    """Tell whether the value is eight or more hexadecimal digits of one case."""
    return _HEX.match(value) is not None


def is_reference(value: str) -> bool:
    """Tell whether the value names where a secret is kept: a variable, a template, an expression, a hash of it."""
    return bool(
        _REFERENCE.match(value)
        or _EXPRESSION.match(value)
        or _PATTERN.search(value, 0, _ENOUGH)
        or (_ATTRIBUTE.match(value) and naturalness(value) > 0.45)
        or _HASHED.match(value)
        or _CONSTANT.match(value)
        or _PUBLIC_KEY.match(value)
    )


def is_placeholder(value: str) -> bool:
    """Tell whether the value stands for one to be filled in: `xxxx`, `<token>`, `your-key-here`, `...`."""
    shown = value[:_ENOUGH].lower()
    if any(part in shown for part in _PLACEHOLDER_PARTS) or _PLACEHOLDER.search(shown):
        return True
    kinds = sum(map(str.isalnum, set(value)))
    if kinds > _FEW_KINDS:
        return value.lower() in _DOCUMENTED_WORDS
    letters = sum(map(str.isalnum, shown))
    few = kinds <= max(3, min(letters // 8, _FEW_KINDS)) if letters > 5 else not letters
    return few or value.lower() in _DOCUMENTED_WORDS


def is_development(value: str) -> bool:
    """Tell whether the value is one that everybody tries first: `changeme`, `postgres`, `admin123`."""
    return value.lower() in _DEVELOPMENT


def is_structured(value: str) -> bool:
    """Tell whether the value is a location, an address, a version, a time, a digest with its name."""
    if any(test.match(value) for test in (_LOCATION, _VERSION, _TIME, _EMAIL, _SETTING, _ULID)):
        return True
    return bool(_DIGEST.match(value)) or (_PATH_LIKE.match(value) is not None and naturalness(value) > 0.5)


def is_random(value: str, least: int = 10, most_natural: float = 0.55) -> bool:
    """Tell whether the value looks drawn by a machine: long enough, varied, and unlike words and names."""
    if len(value) < least or is_reference(value) or is_placeholder(value) or is_structured(value):
        return False
    if (
        value.isdigit()
        or next(_plain_pieces(value), None) is None
        or entropy(value) < (2.6 if len(value) < 20 else 2.9)
    ):
        return False
    return naturalness(value) < most_natural


def is_mixed(value: str) -> bool:
    """Tell whether the value holds at least two each of capitals, small letters and digits."""
    return sum(map(str.isupper, value)) > 1 and sum(map(str.islower, value)) > 1 and sum(map(str.isdigit, value)) > 1


def is_password(value: str, least: int = 6, *, strict: bool = False) -> bool:
    """Tell whether a person would have made the value up as a password: no word, no name, no technical term.

    `strict` is for prose where only a space stands before the value: it asks for three classes of characters and for
    a digit beside a letter, or a symbol that prose does not use inside a word.
    """
    if len(value) < least or is_reference(value) or is_placeholder(value) or is_structured(value):
        return False
    if is_uuid(value) or (is_hex(value) and len(value) >= 32):
        return False
    if value.isdigit():
        return not strict and len(value) >= 8
    plain = list(_plain_pieces(value))
    if not plain or re.match(r"\d+[-+]?[a-z]{2,}(?:[-\s]|$)", value):
        return False
    symbol = _STRONG_SYMBOL.search(value) is not None
    joined = any(_JOINED.search(piece) for piece in plain)
    if not strict:
        return symbol or joined or _has_own_number(value, plain)
    # Of small letters, digits and hyphens many a plain name is made, so that these must be unlike words.
    return (symbol or joined) and (_classes(value) >= 3 or (_classes(value) == 2 and naturalness(value) < 0.5))


def is_evident_password(value: str) -> bool:
    """Tell whether the value is a password even where it stands some words away from that name."""
    breaks = len(_JOINED.findall(value))
    symbol = _STRONG_SYMBOL.search(value) is not None
    return (breaks > 1 or symbol) and naturalness(value) < 0.6 and is_password(value, 8, strict=True)


def _plain_pieces(value: str) -> Iterator[str]:
    """Yield the parts of the value that are neither numbers nor technical terms."""
    pieces = (match.group() for match in _PIECES.finditer(value))
    return (piece for piece in pieces if not piece.isdigit() and not _TECHNICAL.fullmatch(piece))


def _has_own_number(value: str, plain: list[str]) -> bool:
    """Tell whether a number of its own stands in the value beside a plain word: `Word-2345-horse`."""
    return any(piece.isdigit() for piece in _PIECES.findall(value)) and any(
        piece[0].isupper() or naturalness(piece) < 0.5 for piece in plain
    )


def _classes(value: str) -> int:
    """Count the classes of characters: capitals, small letters, digits, symbols that do not join words."""
    return (
        any(map(str.isupper, value))
        + any(map(str.islower, value))
        + any(map(str.isdigit, value))
        + any(not character.isalnum() and character not in "-_./:" for character in value)
    )
