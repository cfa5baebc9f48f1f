"""How a link spells the note it means, and how it spells the note's new name or place in the same way.

Everything here is about decoded texts; how they are written into a link is `core.sites`.
"""

from __future__ import annotations

import posixpath
import unicodedata
from typing import TYPE_CHECKING

from memory_lsp.core.note import TYPES
from memory_lsp.core.resolve import Level, fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.note import Note

_SEPARATORS = "-_ "


def split_md(text: str) -> tuple[str, str]:
    """Return a target without its markdown extension, and that extension as written, or ""."""
    return (text[:-3], text[-3:]) if text.lower().endswith(".md") else (text, "")


def restyle(spelling: str, old: str, new: str) -> str:
    """Return `new` written as `spelling` writes `old`: the same separators, case and Unicode form.

    `old` and `spelling` are equal after folding. Exact spellings give exact ones.
    """
    if spelling == old or new == old:
        return new if spelling == old else spelling
    result = new
    used = {c for c in spelling if c in _SEPARATORS}
    if len(used) == 1:
        (separator,) = used
        result = result.translate({ord(c): separator for c in _SEPARATORS})
    if spelling != old and _shape(spelling) != _shape(old):
        result = _shaped(result, _shape(spelling))
    if not unicodedata.is_normalized("NFC", spelling):
        result = unicodedata.normalize("NFD", result)
    elif unicodedata.is_normalized("NFC", spelling) and not unicodedata.is_normalized("NFC", old):
        result = unicodedata.normalize("NFC", result)
    return result


def _words(text: str) -> list[str]:
    return [word for word in text.translate({ord(c): " " for c in _SEPARATORS}).split(" ") if word]


def _shape(text: str) -> str:
    words = _words(text)
    if text == text.lower():
        return "lower"
    if text == text.upper():
        return "upper"
    if len(words) > 1 and all(word[0] == word[0].upper() for word in words):
        return "title"
    return "sentence" if words and words[0][0] != words[0][0].lower() else "mixed"


def _shaped(text: str, shape: str) -> str:
    if shape == "lower":
        return text.lower()
    if shape == "upper":
        return text.upper()
    if shape == "sentence":
        return text[:1].upper() + text[1:]
    if shape == "title":
        starts = (n == 0 or text[n - 1] in _SEPARATORS for n in range(len(text)))
        return "".join(c.upper() if start else c for c, start in zip(text, starts, strict=True))
    return text


def type_prefix(note: Note) -> str:
    """Return the part of a note's stem that says its type (`feedback_`), "" where it says none."""
    folded = fold(note.stem)
    for kind in (*TYPES, note.type):
        if folded.startswith(fold(kind) + "-"):
            return note.stem[: len(kind) + 1]
    return ""


def spelled_by(text: str, level: Level, note: Note) -> bool:
    """Tell whether `text` as it is, not decoded, can be what found `note` at `level`."""
    bare, _ = split_md(text)
    if level is Level.PATH:
        tail = posixpath.normpath(bare.lstrip("/")).rpartition("../")[2]
        return f"/{split_md(note.path)[0]}".endswith(f"/{tail}") or text == note.base_id
    names = {note.name, note.stem, *(alias.value for alias in note.aliases)}
    if level.is_exact:
        return text in names or bare in names
    folded = {fold(name) for name in names} | {fold(note.stem[len(type_prefix(note)) :])}
    return fold(text) in folded or fold(bare) in folded


def own_spelling(text: str, level: Level, old: Note, new: Note) -> str:
    """Return how a target that found `old` by one of its names (not by a path) spells `new` in the same way."""
    bare, extension = split_md(text)
    if level is Level.NAME:
        return new.name if text == old.name else new.name + extension
    if level is Level.STEM:
        return new.stem + extension
    if level is Level.FOLDED:
        if fold(text) == fold(old.name):
            return restyle(text, old.name, new.name)
        if fold(bare) == fold(old.name):
            return restyle(bare, old.name, new.name) + extension
        if fold(bare) == fold(old.stem):
            return restyle(bare, old.stem, new.stem) + extension
    if level is Level.PREFIX:
        before, after = old.stem[len(type_prefix(old)) :], new.stem[len(type_prefix(new)) :]
        return restyle(bare, before, after) + extension
    return text


def own_paths(text: str, moved: tuple[str, str], source: tuple[str, str], *, is_markdown: bool) -> Iterator[str]:
    """Yield how a target that found a path says the new one in the same way, the closest way first.

    `moved` and `source` are the old and the new path of what is meant, without a markdown extension, and of the note
    that holds the link. A path that still leads there as it did is kept as it is.
    """
    (old, new), (was, now) = moved, source
    folders = posixpath.dirname(old), posixpath.dirname(new), posixpath.dirname(was), posixpath.dirname(now)
    if folders[0] == folders[1] and folders[2] == folders[3]:
        yield text[: text.rfind("/") + 1] + posixpath.basename(new)
        return
    explicit = text.startswith(("./", "../"))
    wanted = posixpath.normpath(text.lstrip("/"))
    if text.startswith("/"):
        yield text if wanted == new else f"/{new}"
        return
    if not is_markdown and not explicit:
        # A wikilink's path is the end of one, not a way from the link's own folder.
        if f"/{new}".endswith(f"/{wanted}"):
            yield text
        if wanted == old and "/" in old:
            yield new
        if f"/{old}".endswith(f"/{wanted}"):
            yield _tail(new, wanted)
    if join(was, text) == old:
        # A detour that still leads there is the writer's own; the shortest way stays the shortest.
        is_detour = text.removeprefix("./") != relative(old, was)
        keeps = is_detour and join(now, text) == new
        yield text if keeps else _relative_like(text, new, now, is_markdown=is_markdown)
    if wanted == old:
        yield text if wanted == new else new
    if not explicit:
        yield text if f"/{new}".endswith(f"/{wanted}") else _tail(new, wanted)


def _tail(path: str, like: str) -> str:
    """Return as many of a path's last parts as `like` has."""
    return "/".join(path.split("/")[-like.count("/") - 1 :])


def join(source: str, target: str) -> str:
    """Return the path that `target` means from the folder of `source`."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), target))


def relative(path: str, source: str) -> str:
    """Return the way from the folder of `source` to `path`; both may lead out of the directory with `..`."""
    folder = [part for part in posixpath.dirname(source).split("/") if part]
    parts = path.split("/")
    shared = 0
    while shared < min(len(folder), len(parts) - 1) and folder[shared] == parts[shared]:
        shared += 1
    return "/".join([*[".."] * (len(folder) - shared), *parts[shared:]])


def exact_spellings(new: Note, source: str, extension: str, *, is_markdown: bool) -> Iterator[str]:
    """Yield other ways to name a note, the shortest first, for where a link's own way would not do."""
    path, _ = split_md(new.path)
    if is_markdown:
        yield relative(path, source) + extension
        yield f"/{path}{extension}"
        return
    parts = path.split("/")
    tails = {"/".join(parts[-count:]) for count in range(1, len(parts) + 1)}
    for text in sorted({new.name, new.stem, new.base_id, *tails}, key=lambda each: (each.count("/"), len(each), each)):
        yield text + extension
    yield f"/{path}{extension}"


def _relative_like(text: str, path: str, source: str, *, is_markdown: bool) -> str:
    found = relative(path, source)
    explicit = text.startswith("./") or (text.startswith("../") and not is_markdown)
    return f"./{found}" if explicit and not found.startswith("../") else found
