"""Rules for credentials that stand in a fixed syntax: key blocks, URLs, headers, command lines."""

from __future__ import annotations

import base64
import binascii
import re

from memory_lsp.core.secret_rule import Rule, Verdict, scan_for
from memory_lsp.core.secret_values import (
    is_development,
    is_password,
    is_placeholder,
    is_random,
    is_reference,
    is_structured,
    word_set,
)
from memory_lsp.core.text import Span

# The longest key in use, RSA of 16,384 bits, is about 12,500 characters.
_KEY_BLOCK = 16_000
_LOCAL_HOST = re.compile(
    r"(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1\]?|host\.docker\.internal|(?:db|postgres|postgresql|mysql|mariadb"
    r"|mongo|mongodb|redis|rabbitmq|rabbit|database|cache|broker|minio|elasticsearch))(?=[:/?,\s\"'`);]|$)",
    re.IGNORECASE,
)
_ROLES = word_set("user username usr name login email pass password passwd pwd pw secret token key host")


def _judge_private_key(match: re.Match[str]) -> Verdict | None:
    """Accept a block to its end line, or its first line alone where that is no mere mention in a sentence."""
    text, start, end = match.string, match.start(), match.end()
    label = match["label"]
    closing = text.find(f"-----END {label}-----", end, end + _KEY_BLOCK)
    if closing >= 0 and "-----BEGIN" not in text[end:closing]:
        body = text[end:closing]
        content = re.sub(r"\\[nr]|\s|-", "", body)[:80]
        if is_placeholder(content) or not re.search(r"[A-Za-z0-9+/=]{16}", content):
            return None
        return Verdict(Span(start, closing + len(label) + 14))
    body_match = _KEY_BODY.match(text, end)
    if body_match:
        return Verdict(Span(start, body_match.end()))
    mentioned = text[start - 1 : start] == "`" and text[end : end + 1] == "`"
    return (
        None if mentioned or text[end : end + 4].lstrip().startswith(("...", "…", "<")) else Verdict(Span(start, end))
    )


_KEY_BODY = re.compile(r"(?:(?:\s|\\n|\\r){1,4}(?:[A-Za-z0-9+/=]{16,80}|[A-Z][A-Za-z-]{2,20}: [^\r\n\\]{1,60})){1,250}")
_PRIVATE_KEY = re.compile(r"-----BEGIN (?P<label>(?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?)-----")
_PUTTY_KEY = re.compile(r"PuTTY-User-Key-File-\d: [\w-]{3,30}(?=\r?\n)(?:\r?\n[^\r\n]{1,200}){1,250}")


def _judge_url(match: re.Match[str]) -> Verdict | None:
    """Accept the password of a URL unless it is a placeholder; a default or a local trifle is a development one."""
    value, user = match["value"], match["user"]
    if len(value) < 4 and value != user:
        return None
    lowered = value.lower()
    if is_reference(value) and not value.startswith(("!", "#", "&", "@", "?", "*")):
        return None
    if is_placeholder_part(value) or (is_placeholder_part(user) and lowered in _ROLES | {"pass123"}):
        return None
    return _with_default(match, user, _LOCAL_HOST.match(match["host"]) is not None)


def is_placeholder_part(value: str) -> bool:
    """Tell whether a user or a password in a syntax example is only its role's name or a placeholder."""
    return value.lower() in _ROLES or (is_placeholder(value) and not is_development(value))


def _with_default(match: re.Match[str], user: str, local: bool) -> Verdict | None:
    value = match["value"]
    trifle = value == user or is_development(value) or (local and len(value) < 12 and value.isalpha())
    return Verdict(Span(*match.span("value")), development=trifle)


_URL = re.compile(
    r"://(?P<user>[^\s/:@?#\"'`<>]{0,80}):(?P<value>(?!\d{1,5}/)[^\s/@\"'`<>]{1,200}(?:/[^\s/@\"'`<>]{1,60}){0,2})"
    r"@(?P<host>\[?[\w.%-][\w.:%-]{0,200}|\$\{?\w)"
)
_ORACLE = re.compile(r":thin:(?P<user>[^\s/@\"'`]{1,60})/(?P<value>[^\s/@\"'`<>]{1,100})@(?P<host>\S{1,100})")


def _judge_header(match: re.Match[str]) -> Verdict | None:
    """Accept a header's credential; the password inside a Basic one must not be a placeholder."""
    value, scheme = match["value"], (match["scheme"] or "").strip().lower()
    span = Span(*match.span("value"))
    if is_reference(value) or is_placeholder(value):
        return None
    if scheme == "basic":
        user, colon, password = _decoded(value).partition(":")
        if colon and user.isprintable() and password.isprintable():
            if password.lower() in _ROLES or is_reference(password) or (is_placeholder(password) and password):
                return None
            return Verdict(span, development=password == user or is_development(password))
        return Verdict(span) if len(value) >= 8 and is_random(value, 8, 0.75) else None
    return (
        Verdict(span) if is_random(value, 12, 0.62) or (len(value) >= 16 and is_password(value, strict=True)) else None
    )


def _decoded(value: str) -> str:
    try:
        return base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""


_HEADER = re.compile(
    r"(?i:authorization)[\"'`]?\s{0,3}[:=,]\s{0,3}[\"'`]?"
    r"(?P<scheme>(?i:bearer|basic|token|apikey|api-key|key|bot|digest|splunk|ghost|negotiate|sso-key)[ =:]\s{0,3})?"
    r"(?:token=)?[\"']?(?P<value>[A-Za-z0-9_+/=.:~%!$-]{8,2000})"
)
_BEARER = re.compile(r"(?P<scheme>(?i:bearer))[ \t]{1,3}[\"'`]?(?P<value>[A-Za-z0-9_+/=.~-]{16,2000})")


def _judge_command(match: re.Match[str]) -> Verdict | None:
    """Accept the password of `user:password` or of an option, unless it is a variable or a placeholder."""
    value, user = match["value"], match.groupdict().get("user") or ""
    odd_dollar = re.match(r"\$(?:[A-Za-z_{(]|$)", value)
    if odd_dollar or is_placeholder_part(value) or user.startswith("<") or re.match(r"%\w+%?$|[<\[{]|@\w+$|\*", value):
        return None
    if value.lower() in _ROLES or len(value) < 3:
        return None
    if is_development(value) or value == user:
        return Verdict(Span(*match.span("value")), development=True)
    if is_structured(value) and not is_password(value):
        return None
    plain = value.isalpha() and value.islower()
    return None if plain else Verdict(Span(*match.span("value")))


_USER_OPTION = re.compile(
    r"(?:curl|wget)\b[^\n]{0,300}?\s(?:-[a-zA-Z]{0,4}u|--(?:proxy-)?user|-a|--auth)(?:[ =]\s{0,3}|(?=[\"']))"
    r"[\"']?(?P<user>[^\s:\"'`/]{0,80}):(?P<value>[^\s\"'`]{1,120})"
)
_PASSWORD_OPTION = re.compile(
    r"(?:sshpass[ ]{1,3}-p|(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;]{0,120}?\s-p(?=\S)"
    r"|redis-cli\b[^\n|;]{0,120}?\s-a"
    r"|login\b[^\n|;]{0,120}?\s-p|ldap(?:search|add|modify|whoami)\b[^\n|;]{0,160}?\s-w|-pass(?:in|out)? pass:(?=\S))"
    r"[ ]{0,3}[\"']?(?P<value>[^\s\"'`]{4,120})"
)
_PAIR = re.compile(
    r"(?:creds?|credentials?|logins?|user(?:name)?\s?/\s?pass(?:word|wd)?|логин\s?/\s?пароль|账号密码|用户名/密码"
    r"|zugangsdaten|identifiants?|credenciales|계정|아이디/비밀번호)(?![A-Za-z])"
    r"(?:(?:[ ][\w.-]{1,20}){0,4}(?P<sign>\s?[:=：]|\s(?:is|are)))?\s{0,2}"
    r"[`\"'*]{0,2}(?P<user>[\w.@+-]{2,64})[`\"'*]{0,2}\s{0,2}[/:|,]\s{0,2}"
    r"[`\"'*]{0,2}(?P<value>[^\s`\"'|<，。]{4,100})",
    re.IGNORECASE,
)


def _judge_pair(match: re.Match[str]) -> Verdict | None:
    """Accept the second part of `login: user / password`."""
    value = match["value"].rstrip(".,;:)*")
    span = Span(match.start("value"), match.start("value") + len(value))
    if is_development(value) and value.lower() not in _ROLES and match["sign"]:
        return Verdict(span, development=True)
    fits = is_password(value, strict=match["sign"] is None) and not value.startswith("/")
    return Verdict(span) if fits else None


CONTEXT_RULES: tuple[Rule, ...] = (
    Rule(
        "private-key",
        "private key",
        ("-----BEGIN ",),
        _PRIVATE_KEY,
        _judge_private_key,
        "Make a new key pair and remove the old public key wherever it is trusted.",
    ),
    Rule("putty-key", "PuTTY private key", ("PuTTY-User-Key-File-",), _PUTTY_KEY, lambda m: Verdict(Span(*m.span()))),
    Rule("url-password", "password in a URL", ("://",), _URL, _judge_url, "Change the password of that account."),
    Rule("oracle-url-password", "password in a connection string", (":thin:",), _ORACLE, _judge_url),
    Rule("authorization-header", "authorization header", ("authorization",), _HEADER, _judge_header, fold=True),
    Rule("bearer-token", "bearer token", ("bearer ",), _BEARER, _judge_header, fold=True),
    Rule("command-user", "password on a command line", ("curl", "wget"), _USER_OPTION, _judge_command),
    Rule(
        "command-password",
        "password on a command line",
        ("sshpass", "mysql", "mariadb", "redis-cli", "login", "ldap", "-pass"),
        _PASSWORD_OPTION,
        _judge_command,
    ),
    Rule(
        "login-pair",
        "user name and password",
        ("cred", "login", "user", "zugangsdaten", "identifiant"),
        _PAIR,
        _judge_pair,
        "Change the password of that account.",
        fold=True,
        scan=scan_for(("логин", "账号密码", "用户名/密码", "계정", "아이디/")),
    ),
)
