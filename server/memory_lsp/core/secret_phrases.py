"""Rules for a secret that stands beside its name: `key: value`, `key=value`, a table cell, a sentence."""

from __future__ import annotations

import re

from memory_lsp.core.secret_names import Kind, kind_of
from memory_lsp.core.secret_rule import Rule, Verdict, is_cut_short, scan_for, words_pattern
from memory_lsp.core.secret_values import (
    is_development,
    is_evident_password,
    is_hex,
    is_mixed,
    is_password,
    is_placeholder,
    is_random,
    is_uuid,
    word_set,
)
from memory_lsp.core.text import Span

# Parts of names; what the whole name means, `secret_names` tells.
_PARTS = ("pass", "pw", "secret", "token", "key", "auth", "cred", "_pat", " pat", "mdp", "kennwort")
# Words of other languages are names by themselves.
_PASSWORDS = word_set(
    "парол 密码 密碼 口令 비밀번호 비번 패스워드 암호 パスワード סיסמה पासवर्ड รหัสผ่าน κωδικός şifre contraseña clave "
    "senha"
) | {"كلمة المرور"}
_SECRETS = word_set(
    "密钥 密鑰 秘钥 金鑰 令牌 토큰 시크릿 비밀키 токен ключ секрет トークン キー 鍵 schlüssel clé jeton"
)
_WORDS = _PASSWORDS | _SECRETS
_LITERALS = (*_PARTS, *sorted(word for word in _WORDS if word[0].isascii()))
_SCAN = scan_for([word for word in _WORDS if not word[0].isascii()])
_IDENTIFIER = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$-.")
_REACH = 60

_TAIL = re.compile(r"[\w$]{0,60}(?:[.-](?=\w)[\w$]{1,40}){0,4}", re.ASCII)
_PREPOSITION = (
    r"(?:for|of|on|to|in|at|from|the|für|zum|zur|von|vom|des|der|im|auf|am|beim|pour|de|du|sur|au|del|para|da|do|em|en|di"
    r"|от|для|к|на|в|из|администратора|voor|van)"
)
# Scripts that are written without spaces: such a letter ends a bare value.
_DENSE = r"\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"
_VALUE = (
    r"(?:(?:new[ ]\w{1,20}\()?[bfruL@]{0,2}(?P<quote>[\"'`])"
    r"(?P<quoted>[^\"'`\s]{1,200}|(?<=\")[^\"\n]{1,120}(?=\")|(?<=')[^'\n]{1,120}(?='))(?P=quote)"
    r"|[“‘«„「『][ \u00a0\u202f]?(?P<typographic>[^\s“”‘’«»「」『』]{1,200})[ \u00a0\u202f]?[”’»“」』]"
    rf"|(?P<plain>[^\s\"'`|，。；、！？）」』】{_DENSE}]{{1,512}}))"
)
_VERB = (
    r"(?i:(?:is|was|are)(?![ ](?:now[ ])?(?:changed|set|reset|updated|rotated)[ ])"
    r"|equals|to|lautet|ist|est|es|é|è|sarà|är|jest|это)"
)
_NOW = r"(?:now|currently|still|just|set to|jetzt|aktuell|теперь|сейчас|现在|目前|maintenant|ahora)"
# Behind a name: its closing marks, a remark in brackets, up to seven words, then a sign or a verb, and the value.
_AFTER = re.compile(
    r"(?:\[\d{0,4}\])?[\"'`*_\])}]{0,4}(?:[ \t]?[(（][^()（）\n]{1,40}[)）])?"
    r"(?P<gap>(?:[ \t]{1,2}[*_`]{0,2}[\w@/'’&+-]{1,24}(?:\.\w{1,20}){0,3}[*_`,]{0,2}){0,7}?"
    rf"|[{_DENSE}]{{0,8}}?)"
    r"[ \t]{0,20}(?:"
    r"(?P<sign>:[ ]?[A-Za-z][\w.<>\[\]?]{0,24}[ ]?=(?=[ \"'])|:=|=>|->|<-|[!=]?={1,2}"
    r"|[:：＝→|]|\"?>(?=[^\s<])|\"[ \t]value=)[*_]{0,3}"
    rf"|(?<![^\W\d_]){_VERB}(?![^\W_])(?:[ ]?[:=])?"
    r"|(?P<particle>[是为為はがは는은이가]|—|–|-(?=\s))[:：]?"
    r"|(?P<call>\()(?=[\"'])"
    rf")[ \t]{{0,20}}(?:{_NOW}[ \t]{{1,3}}){{0,2}}"
    r"[*_(]{0,3}" + _VALUE
)
_SPACED = re.compile(r"[\"'`*_)]{0,4}(?:[ \t]{1,3}[(（]?|[(（])" + _VALUE)
# Words between a name and a value far behind it, and the aspects of a secret that are none.
_FAR = re.compile(r"[^\n\r]{0,80}")
_WORD = re.compile(rf"[^\s\"'`|“”«»，。；、！？（）「」{_DENSE}]{{8,100}}")
_ASPECT = re.compile(
    r"[ \t](?:manager|polic|hash|reset|rotation|rules?|length|field|prompt|generator|storage|store|type|format|strength"
    r"|hint|history|expir|valid|endpoint|budget|count|limit|cost|price|usage|size|id|name|file|path|url|version)"
)
_OPENING = re.compile(rf"[ \t]*[*_`]*{_PREPOSITION}(?![^\W_])", re.IGNORECASE)
_BEFORE = re.compile(
    r"(?P<quote>[`\"'])(?P<value>[^`\"'\s]{6,200})(?P=quote)[*_]{0,2}"
    r"(?:[ \t]{0,2}[(—–:-])?(?:[ \t]{0,2}[\w'’/-]{1,20}){0,6}[ \t,:(—-]{1,4}[*_`]{0,2}$"
    r"|(?:^|(?<=\s))(?P<bare>[^\s`\"']{8,100})[ \t](?:is|war|ist|est|es|was)[ \t](?:[\w'’/-]{1,20}[ \t]){1,6}$"
)
_NAMING = re.compile(r"[`\"'][*_]{0,2}[ \t]{1,2}(?:is|as|was|are|ist|als|est|es|como|comme|è|é|как|—|–|-|\()[ \t]?")
_NOUN = re.compile(r"[ \t](?!(?:for|of|in|on|to|at|and|until|für|pour|para|de|для|от)[ \t])\w")
# Every value that is found away from its name holds one of these; most words do not.
_TELLING = re.compile(r"[\d!@#$%^&*+=?~]")
# Behind a name, a value without any of these is a development default at best; values end with their line.
_TELLS = re.compile(r"[\dA-Z!@#$%^&*+?~\r\n]")
# What may stand between a name and a development default, and as far as it can be.
_SIGN = re.compile(r"[:：=＝→|>-]")
_SIGN_BEHIND = 80
_NEXT_PARAMETER = re.compile(r"[;&,]|\\[nrt\"]")
_NEXT_WORD = re.compile(r"[,;](?=.)")
_DIGIT = re.compile(r"\d")
_TRAILING = ".,;:)]}*>?»”’"
_LATER = re.compile("|".join(part for part in _PARTS if part.isalpha()), re.IGNORECASE)


def _judge_named(match: re.Match[str], *, quiet: bool = False) -> Verdict | None:
    """Judge the value behind, or before, the name that a literal hit belongs to.

    `quiet` says that nothing behind the name looks like a value, as in most sentences.
    """
    text = match.string
    start, end = name_around(text, match.start(), match.end())
    name = text[start:end]
    if _LATER.search(name, match.end() - start):
        # The last part of the name is a hit too, and judges the whole name.
        return None
    lead = text[max(0, start - 24) : start]
    kind = _kind(text[match.start() : match.end()].lower(), name, lead)
    if kind is Kind.NOTHING:
        return None
    if quiet:
        signed = kind is Kind.PASSWORD and _SIGN.search(text, end, end + _SIGN_BEHIND)
        found = _AFTER.match(text, end) if signed else None
        return (_judge_joined(found, kind) if found else None) or _judge_before(text, start, end, kind)
    found = _AFTER.match(text, end)
    verdict = _judge_joined(found, kind) if found else None
    # "Pass X" is an order more often than a name.
    if verdict is None and name.lower() != "pass" and (found := _SPACED.match(text, end)):
        verdict = _judge_spaced(found, kind, sure=lead.endswith("--") or name.startswith("-") or not name.isascii())
    return verdict or _judge_before(text, start, end, kind) or _judge_far(text, end, kind)


def name_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of the whole identifier that a literal is part of; a foreign word is one by itself."""
    if not text[start:end].isascii():
        # Endings belong to the word: пароль, паролем.
        while end < len(text) and "а" <= text[end].lower() <= "ё" and end - start < _REACH:
            end += 1
        return start, end
    low = max(0, start - _REACH)
    while start > low and text[start - 1] in _IDENTIFIER:
        start -= 1
    tail = _TAIL.match(text, end)
    return start, tail.end() if tail else end


def _kind(literal: str, name: str, before: str) -> Kind:
    if literal in _WORDS:
        # Inside a longer word of a script with spaces it is another word: "enclave", "исключение".
        other = name.lower() != literal if literal.isascii() else before[-1:].isalpha() and "а" <= literal[0] <= "я"
        if len(name) > len(literal) + 3 and "а" <= literal[0] <= "я":
            other = True
        if not other:
            return Kind.PASSWORD if literal in _PASSWORDS else Kind.SECRET
    return kind_of(name, before if before.endswith((" ", "-")) else "")


def _judge_joined(found: re.Match[str], kind: Kind) -> Verdict | None:
    """Test the value behind a name and a sign or a verb: a sign is surer, words between make it doubtful."""
    value, start, _ = _value(found, cut=bool(found["sign"]) and found["sign"] not in (":", "：", "|", "->", "→"))
    gap = found["gap"].strip()
    if (
        _ASPECT.match(found["gap"].lower())
        or (gap and gap.isascii() and found["particle"])
        or (found["sign"] == ">" and not _in_element(found, start))
    ):
        return None
    direct = not gap or not gap.isascii() or _OPENING.match(found["gap"]) is not None
    if kind is Kind.PASSWORD and not gap and found["sign"] and is_development(value) and not _is_name(found, value):
        return Verdict(Span(start, start + len(value)), development=True)
    return _judge(value, start, kind, strict=not direct)


def _is_name(found: re.Match[str], value: str) -> bool:
    """Tell whether a value is a variable or a role, named like what it holds: `password = password;`."""
    return is_placeholder(value) and (found["plain"] is not None or kind_of(value) is Kind.NOTHING)


def _in_element(found: re.Match[str], start: int) -> bool:
    """Tell whether the value is the text of an XML element."""
    return found.string.find("</", start, found.end()) > 0


def _judge_spaced(found: re.Match[str], kind: Kind, *, sure: bool) -> Verdict | None:
    """Test the value behind a name and mere space: in quotes, behind an option, or unlike any word."""
    value, start, quoted = _value(found, cut=False)
    return _judge(value, start, kind, strict=not (quoted or sure))


def _value(found: re.Match[str], *, cut: bool) -> tuple[str, int, bool]:
    """Return the value, where it starts, and whether it is quoted; what is called or cut short counts as empty."""
    group = next(name for name in ("quoted", "typographic", "plain") if found[name] is not None)
    value, start = found[group], found.start(group)
    if group != "plain":
        return value, start, True
    value = _trimmed(value, cut=cut)
    end = start + len(value)
    unfit = found.string.startswith("(", end) or is_cut_short(found.string, end)
    return "" if unfit else value, start, False


def _judge(value: str, start: int, kind: Kind, *, strict: bool) -> Verdict | None:
    span = Span(start, start + len(value))
    if kind is Kind.PASSWORD and is_password(value, 8 if strict else 6, strict=strict):
        return Verdict(span)
    return _machine_made(value, kind, span, strict=strict)


def _machine_made(value: str, kind: Kind, span: Span, *, strict: bool) -> Verdict | None:
    if is_uuid(value):
        return Verdict(span) if kind is Kind.STRONG and not strict else None
    if is_hex(value):
        fits = len(value) >= 16 and kind is not Kind.KEY and not strict
        return Verdict(span) if fits and is_random(value, 16) else None
    least = 20 if strict or kind is Kind.KEY else 10
    most_natural = 0.5 if strict or kind is Kind.KEY else 0.58
    if strict and 12 <= len(value) < 20:
        return Verdict(span) if is_mixed(value) and is_random(value, 12, 0.3) else None
    varied = _DIGIT.search(value) is not None or (len(value) >= 16 and not value.islower())
    return Verdict(span) if varied and is_random(value, least, most_natural) else None


def _judge_before(text: str, start: int, end: int, kind: Kind) -> Verdict | None:
    """Judge a value that comes before its name: "`value` is the admin password"."""
    if kind is Kind.KEY:
        return None
    low = max(0, start - 140)
    window = text[low:start]
    line = max(window.rfind("\n"), window.rfind("\r")) + 1
    found = _BEFORE.search(window, line) if _TELLING.search(window, line) else None
    if found is None:
        return None
    group = "value" if found["value"] is not None else "bare"
    if group == "bare" and _NOUN.match(text, end):
        return None
    value = found[group] if group == "value" else _trimmed(found[group], cut=False)
    span = Span(low + found.start(group), low + found.start(group) + len(value))
    named = _NAMING.match(window, max(found.end("value"), 0)) is not None
    if kind is Kind.PASSWORD and is_password(value, 8, strict=not named):
        return Verdict(span)
    return _machine_made(value, kind, span, strict=not (kind is Kind.STRONG and group == "value" and len(value) >= 20))


def _judge_far(text: str, end: int, kind: Kind) -> Verdict | None:
    """Judge the words behind the name of a password: "the password of the new kiosk in the hall, it's …"."""
    if kind is not Kind.PASSWORD or _ASPECT.match(text, end):
        return None
    rest = _FAR.match(text, end)
    for word in _WORD.finditer(text, end, rest.end() if rest else end):
        if not _TELLING.search(text, word.start(), word.end()):
            continue
        value = _trimmed(word.group(), cut=False)
        if is_evident_password(value) and not is_cut_short(text, word.start() + len(value)):
            return Verdict(Span(word.start(), word.start() + len(value)))
    return None


def _trimmed(value: str, *, cut: bool) -> str:
    """Cut what follows an unquoted value: the next parameter, a tag, a full stop."""
    following = (_NEXT_PARAMETER if cut else _NEXT_WORD).search(value)
    value = (value[: following.start()] if following else value).split("</", 1)[0]
    bare = value.rstrip(_TRAILING)
    # A bracket that the value itself opened is part of it.
    return bare if bare.count("(") <= bare.count(")") else value


PHRASE_RULES: tuple[Rule, ...] = (
    Rule(
        "named-secret",
        "value beside the name of a secret",
        _LITERALS,
        re.compile(words_pattern({*_PARTS, *_WORDS}), re.IGNORECASE),
        _judge_named,
        "Change it where it is used, and keep it in a secret store.",
        fold=True,
        scan=_SCAN,
        telling=_TELLS,
        quiet=lambda match: _judge_named(match, quiet=True),
    ),
)
