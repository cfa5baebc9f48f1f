"""New notes: path, name, type, first lines."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from memory_lsp.core.links import LinkForm
from memory_lsp.core.note import INDEX_NAME, TYPES, folder_type
from memory_lsp.core.quoting import scalar
from memory_lsp.core.resolve import fold
from memory_lsp.core.respell import split_md, type_prefix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.links import Link
    from memory_lsp.core.note import Note
    from memory_lsp.core.snapshot import Snapshot

_RESERVED = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]+')
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
# What a note is never called: `[[plan.pdf]]` waits for that file.
_ATTACHMENT = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|avif|bmp|ico|heic|tiff?|pdf|mp[34]|m4[av]|mov|webm|wav|ogg|flac|zip|gz|tar|7z"
    r"|docx?|xlsx?|pptx?|csv|tsv|canvas|excalidraw)\Z",
    re.IGNORECASE,
)
_EXTENSION = re.compile(r"\.[A-Za-z]\w{0,9}\Z")
_LONGEST_STEM = 100  # characters; file systems take 255 bytes, which is 63 characters at worst
_MOST_BYTES = 200


@dataclass(frozen=True, slots=True)
class NewNote:
    """A note that could be made: its path, its name and its type, "" for none."""

    path: str
    name: str
    type: str


def safe_stem(name: str) -> str:
    """Return a name as a file's name on any system, "" where nothing is left of it."""
    stem = _RESERVED.sub("-", name).strip(" -") if _RESERVED.search(name) else name
    stem = stem.strip().strip(".").strip()[:_LONGEST_STEM].rstrip(" .")
    while len(stem.encode()) > _MOST_BYTES:
        stem = stem[:-1].rstrip(" .")
    return f"{stem}-note" if _DEVICE.fullmatch(stem) else stem


def places_for_link(snapshot: Snapshot, source: Note, link: Link) -> Iterator[NewNote]:
    """Yield the notes that would answer a dangling link, the likeliest first; none where no note could."""
    if link.form is LinkForm.MARKDOWN:
        yield from _at_path(snapshot, source, link)
        return
    target = unquote(link.target, errors="replace").strip()
    bare = split_md(target)[0]
    if _ATTACHMENT.search(target) or (link.embed and _EXTENSION.search(bare) and bare == target):
        return
    yield from places_for_name(snapshot, source, bare)


def places_for_name(snapshot: Snapshot, source: Note, name: str) -> Iterator[NewNote]:
    """Yield where a note that `name` means, as a wikilink in `source` says it, could be."""
    if "/" in name:
        path = _joined(snapshot, source, name)
        if path is not None:
            stem = name.rsplit("/", 1)[-1].strip()
            yield from _free(snapshot, NewNote(f"{path}.md", stem, folder_type(f"{path}.md") or _type_of(source)))
        return
    for folder, kind in _folders(snapshot, source):
        yield from _free(snapshot, _named(snapshot, folder, kind, name))


def unused(snapshot: Snapshot, source: str, name: str) -> str:
    """Return a name that no link finds a note by yet: `name`, or that with a number."""
    names = (name, *(f"{name}-{number}" for number in range(2, 1000)))
    return next((each for each in names if snapshot.names.find(each, source).is_dangling), name)


def frontmatter_text(name: str, description: str, kind: str, newline: str, *more: str) -> str:
    """Return a frontmatter block with its fences; `more` are lines of their own."""
    lines = ["---", f"name: {scalar(name)}", f"description: {scalar(description)}" if description else "description:"]
    lines += [f"type: {scalar(kind)}"] if kind else []
    return newline.join([*lines, *more, "---", ""])


def _at_path(snapshot: Snapshot, source: Note, link: Link) -> Iterator[NewNote]:
    bare, extension = split_md(link.target)
    if not extension and (_EXTENSION.search(bare) or bare.endswith("/")):
        return
    if bare.startswith("/"):
        path = posixpath.normpath(bare.lstrip("/"))
    else:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source.path), bare))
    stem = path.rsplit("/", 1)[-1]
    # A path is followed as it is, so only one that every system can hold is made.
    if not path.startswith("..") and all(part == safe_stem(part) for part in path.split("/")):
        file = path + (extension or ".md")
        yield from _free(snapshot, NewNote(file, stem, folder_type(file) or _type_of(source) or _stem_type(stem)))


def _joined(snapshot: Snapshot, source: Note, name: str) -> str | None:
    """Return the path that `folder/name` should have: below the note's folder where that has it, else the directory."""
    folder, stem = name.rsplit("/", 1)
    here = posixpath.dirname(source.path)
    beside = posixpath.normpath(posixpath.join(here, folder)) if not name.startswith("/") else ""
    below = posixpath.normpath(folder.strip("/") or ".")
    explicit = name.startswith(("./", "../"))
    known = explicit or (here and beside and any(path.startswith(f"{beside}/") for path in snapshot.notes))
    chosen = beside if known and not (folder in TYPES and not explicit) else below
    stem = safe_stem(stem)
    parts = [] if chosen == "." else chosen.split("/")
    if not stem or any(part == ".." or part != safe_stem(part) for part in parts):
        return None
    return "/".join([*parts, stem])


def _folders(snapshot: Snapshot, source: Note) -> Iterator[tuple[str, str]]:
    """Yield the folders in which a note that `source` links to may be, each with the type it gives."""
    typed = [kind for kind in TYPES if any(path.startswith(f"{kind}/") for path in snapshot.notes)]
    if not typed:
        yield "" if source.source else posixpath.dirname(source.path), _type_of(source)
    elif source.type in TYPES and (folder_type(source.path) or source.type in typed):
        yield source.type, source.type
    else:
        yield from ((kind, kind) for kind in typed)


def _named(snapshot: Snapshot, folder: str, kind: str, name: str) -> NewNote:
    """Return the note of a name in a folder; in a flat directory with its type before the name, if that is usual."""
    stem, prefix = safe_stem(name), ""
    kind = kind or _stem_type(stem)
    if not folder_type(f"{folder}/x") and kind in TYPES:
        prefix = _usual_prefix(snapshot, folder, kind)
    said = _stem_type(name)
    if prefix and said:
        return NewNote(posixpath.join(folder, f"{stem}.md"), name[len(said) + 1 :], said)
    if prefix:
        stem = prefix + (stem.replace(" ", "_").replace("-", "_") if prefix.endswith("_") else stem)
    taken = snapshot.names.find(stem, INDEX_NAME)
    if stem and stem != name and not taken.is_dangling:
        stem = unused(snapshot, INDEX_NAME, stem)
    return NewNote(posixpath.join(folder, f"{stem}.md") if stem else "", name, kind)


def _usual_prefix(snapshot: Snapshot, folder: str, kind: str) -> str:
    """Return `kind_` (or `kind-`) where most typed notes of the folder begin so, else ""."""
    here = [note for path, note in snapshot.notes.items() if posixpath.dirname(path) == folder and note.type in TYPES]
    prefixes = [type_prefix(note) for note in here]
    said = [prefix for prefix in prefixes if prefix]
    if not said or 2 * len(said) <= len(here):
        return ""
    marks = [prefix[-1] for prefix in said]
    return kind + max(sorted(set(marks)), key=marks.count)


def _type_of(note: Note) -> str:
    return note.type if note.type in TYPES else ""


def _stem_type(stem: str) -> str:
    folded = fold(stem)
    return next((kind for kind in TYPES if folded.startswith(f"{kind}-") and len(stem) > len(kind) + 1), "")


def _free(snapshot: Snapshot, note: NewNote) -> Iterator[NewNote]:
    """Yield the note if nothing has its path yet, whatever the case of its letters."""
    if not note.path or not note.name or note.path.split("/", 1)[0] in (".graph", "node_modules"):
        return
    wanted = note.path.casefold()
    others = (*snapshot.notes, *snapshot.names.files)
    if not any(path.casefold() == wanted for path in others) and not snapshot.names.exists(note.path):
        yield note
