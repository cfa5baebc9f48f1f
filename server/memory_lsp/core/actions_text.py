"""What several actions need of a text: its line ends, its first sentence, how two versions differ."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from memory_lsp.core.blocks import block_spans
from memory_lsp.core.edits import TextEdit
from memory_lsp.core.secrets import find_secrets
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_SENTENCE = 150

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_LINE_END = re.compile(r"\r\n|\n|\r")
_WIKILINK = re.compile(r"!?\[\[([^\[\]|\r\n]*?)(?:\\?\|([^\[\]\r\n]*))?\]\]")
_LINK = re.compile(r"!?\[([^\[\]\r\n]*)\]\([^()\r\n]*\)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_MARKS = re.compile(r"\*\*|__|~~|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|\\(?=[!-/:-@\[-`{-~])")
_BLOCK_ID = re.compile(r"\s\^[A-Za-z0-9_-]+\s*\Z")
_NO_PROSE = re.compile(r"[ \t]{0,3}(?:#{1,6}(?:[ \t]|$)|>|[-*+][ \t]|\d+[.)][ \t]|```|~~~|\||<|(?:[-*_][ \t]*){3,}$)")
_SENTENCE_END = re.compile(r"[.!?…](?=[\"')\]”’]?\s)|[。！？]")


def newline_of(text: str) -> str:
    """Return the line end that a text uses first."""
    found = _LINE_END.search(text)
    return found[0] if found else "\n"


def first_sentence(text: str, start: int = 0) -> str:
    """Return the first sentence of the prose behind `start`, without markup; "" where there is none.

    It is one line of up to LONGEST_SENTENCE characters and holds no secret.
    """
    for block in block_spans(text, start):
        raw = block.span.of(text)
        if block.is_comment or _NO_PROSE.match(raw):
            continue
        prose = plain(raw)
        if prose:
            return "" if _tells(text, block.span, raw) else shortened(prose)
    return ""


def _tells(text: str, span: Span, raw: str) -> bool:
    # What makes a value a secret may stand before the paragraph.
    return bool(find_secrets(raw)) or any(found.span.start < span.end and span.start < found.span.end
                                          for found in find_secrets(text))  # fmt: skip


def plain(markdown: str) -> str:
    """Return one line of text without links, emphasis and comments."""
    text = _BLOCK_ID.sub("", _COMMENT.sub("", markdown))
    text = _WIKILINK.sub(lambda match: match[2] or match[1].split("#")[0] or match[1].lstrip("#^"), text)
    text = _MARKS.sub("", _LINK.sub(r"\1", text))
    return " ".join(text.split())


def shortened(prose: str) -> str:
    """Return the first sentence of a line of prose, cut between words where it is longer than LONGEST_SENTENCE."""
    end = _SENTENCE_END.search(prose)
    sentence = prose[: end.end()] if end else prose
    if len(sentence) <= LONGEST_SENTENCE:
        return sentence
    head = sentence[: LONGEST_SENTENCE - 1]
    space = head.rfind(" ")
    return (head[:space] if space > LONGEST_SENTENCE // 2 else head).rstrip(" ,;:") + "…"


def narrow_edits(path: str, before: str, after: str) -> tuple[TextEdit, ...]:
    """Return edits that turn one text into the other and leave equal lines, and equal ends of lines, alone."""
    old, new = _lines(before), _lines(after)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    edits = []
    for tag, first, last, other, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            edits.append(_trimmed(path, starts[first], "".join(old[first:last]), "".join(new[other:end])))
    return tuple(edits)


def _trimmed(path: str, start: int, old: str, new: str) -> TextEdit:
    shortest = min(len(old), len(new))
    head = next((n for n in range(shortest) if old[n] != new[n]), shortest)
    rest = shortest - head
    tail = next((n for n in range(rest) if old[-1 - n] != new[-1 - n]), rest)
    return TextEdit(path, Span(start + head, start + len(old) - tail), new[head : len(new) - tail])


def _lines(text: str) -> list[str]:
    return list(_matches(text))


def _matches(text: str) -> Iterator[str]:
    for match in _LINE.finditer(text):
        if match[0]:
            yield match[0]
