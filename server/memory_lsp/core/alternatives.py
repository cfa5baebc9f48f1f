"""Whether two clauses use different tools of one kind for the same thing, in whichever words they say so."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from memory_lsp.core.claim_words import words_of
from memory_lsp.core.claims import Claim, unmatched
from memory_lsp.core.tokens import stem
from memory_lsp.core.tool_kinds import KINDS, are_rivals, joined

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = re.compile(r"[^\W_]+(?:[-_./+#'’][^\W_]+)*[+#]*")
# What stands before the tool that is used. A tool that does something stands first.
_BEFORE = words_of("""
use uses using prefer prefers with on in by via through to is are as into mit auf uber ist zu con en por a es usa usan
""")
# `Use tabs in Go` uses tabs, and says where.
_WHERE, _DIRECT = words_of("in on to en auf"), words_of("use uses using prefer prefers enable disable set indent avoid")
# What one does with several tools as well.
_LOOSE = words_of("""
work works worked working know knows experience experienced familiar learn learns learning compatible integrates
integrated supports support exports export exported converts converted imports imported connects connected talks similar
compared reads
""")
_BETWEEN = frozenset(("the", "a", "an", "our", "own", "plain", "now", "der", "die", "das", "el", "la"))
_ACTS = re.compile(r"\A(?:powers?|serves?|stores?|keeps?|sends?|delivers?|hosts?|runs?|builds?|handles?|manages?|"
                   r"holds?|renders?|tracks?|collects?|aloja|guarda|envia)\b")  # fmt: skip
# Words for using something, which say nothing of what it is used for.
_USING = frozenset(
    map(
        stem,
        words_of("""
use uses using used prefer prefers run runs running ran write writes written build builds built store stores stored keep
kept save saved host hosts hosted deploy deploys deployed serve serves served power powers powered send sends sent post
posted deliver delivered make makes made generate generated render rendered manage manages managed track tracks tracked
install installed test tested format formatted lint linted bundle bundled hash hashed switch switched move moved migrate
migrated live lives go goes handle handled based implemented come comes work works collect collected indent bases
werden wird erzeugt erstellt gebaut geschrieben laufen lauft genutzt verwendet gehostet generan genera usa usan escribe
escriben ejecuta ejecutan aloja guarda guardan envia envian
"""),
    )
)
_STEMS = frozenset(stem(part) for name in KINDS for part in (name, *name.split("-")))
_PARTICIPLE = re.compile(r"\w{3,}ed\Z")
_MOST_EXTRA = 2


def alternatives(one: Claim, other: Claim) -> tuple[str, str] | None:
    """Return the two tools that cannot both be the one that is used, None where there are none."""
    if one.holds != other.holds or one.guarded or other.guarded or one.condition != other.condition:
        return None
    left, right = _tools(one.text), _tools(other.text)
    pairs = [(a, b) for a in left for b in right if are_rivals(a, b)]
    if len(pairs) != 1 or _named(one) - {pairs[0][0]} != _named(other) - {pairs[0][1]}:
        return None
    mine, theirs = _rest(one), _rest(other)
    missing, more = unmatched(mine, theirs), unmatched(theirs, mine)
    extra = missing | more
    if (missing and more) or len(extra) > _MOST_EXTRA or any(_PARTICIPLE.match(word) for word in extra):
        return None
    shares = len(mine) > len(missing) or not (mine or theirs)
    return pairs[0] if shares else None


@lru_cache(maxsize=4096)
def _tools(text: str) -> tuple[str, ...]:
    """Return the known tools that a clause says are used."""
    return tuple(_used(joined(text)))


def _used(text: str) -> Iterator[str]:
    words = list(_WORD.finditer(text))
    for at, word in enumerate(words):
        if word[0] not in KINDS:
            continue
        before = at - 1
        while before >= 0 and words[before][0] in _BETWEEN:
            before -= 1
        follows = before >= 0 and words[before][0] in _BEFORE
        said = {other[0] for other in words[:before]} if follows else set[str]()
        if said & _LOOSE or (follows and words[before][0] in _WHERE and said & _DIRECT):
            continue
        acts = before < 0 and bool(_ACTS.match(text[word.end() :].lstrip()))
        if follows or acts:
            yield word[0]


def _named(claim: Claim) -> frozenset[str]:
    return frozenset(word for word in _WORD.findall(joined(claim.text)) if word in KINDS)


def _rest(claim: Claim) -> frozenset[str]:
    """Return the telling words of a clause that name neither a tool nor its use."""
    return said_of(claim.words)


def said_of(words: frozenset[str]) -> frozenset[str]:
    """Return those of some stemmed words that name neither a tool nor its use."""
    return frozenset(word for word in words if word not in _STEMS and word not in _USING)


def stemmed_tools(claim: Claim) -> frozenset[str]:
    """Return the known tools that a clause says are used, stemmed."""
    return frozenset(map(stem, _tools(claim.text)))
