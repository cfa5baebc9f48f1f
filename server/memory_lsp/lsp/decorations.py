"""What an editor draws into a note: document links, code lenses, inlay hints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from memory_lsp.core.actions_select import link_to
from memory_lsp.core.links import LinkForm
from memory_lsp.core.lint import title_of
from memory_lsp.core.mentions import mentions
from memory_lsp.core.related import related_notes
from memory_lsp.core.resolve import Level
from memory_lsp.lsp.client import SHOW_LOCATIONS
from memory_lsp.lsp.convert import to_range, to_span, to_uri

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.note import Note
    from memory_lsp.core.resolve import Resolution
    from memory_lsp.core.snapshot import Snapshot
    from memory_lsp.core.text import Span
    from memory_lsp.lsp.handlers import Handlers
    from memory_lsp.lsp.server import MemoryServer
    from memory_lsp.lsp.source_files import Seen
    from memory_lsp.memory import Memory

_SHOWN_RELATED = 5


async def document_link(ls: MemoryServer, params: types.DocumentLinkParams) -> list[types.DocumentLink] | None:
    """Answer the links that lead somewhere, with where they lead as tooltip."""
    views = await ls.seen(params.text_document.uri)
    return [link for seen in views if seen.note.links for link in _document_links(ls, seen)] if views else None


def _document_links(ls: MemoryServer, seen: Seen) -> Iterator[types.DocumentLink]:
    memory, note = seen.memory, seen.note
    for link, meaning in zip(note.links, seen.snapshot.meanings[note.path].links, strict=True):
        if not meaning.is_dangling:
            target, tooltip = _target(ls, memory, meaning), _tooltip(memory, meaning)
            range_ = to_range(note, link.report_span, ls.client.encoding)
            yield types.DocumentLink(range_, target, tooltip if ls.client.shows_link_tooltips else None)


async def code_lens(ls: MemoryServer, params: types.CodeLensParams) -> list[types.CodeLens] | None:
    """Answer the lenses over a note's title that have something to say; their text comes with `resolve`."""
    found = await ls.settled(params.text_document.uri)
    if found is None:
        return None
    memory, note = found
    snapshot = ls.sources.view(memory)
    id_ = snapshot.ids.get(note.path)
    if id_ is None:
        return []
    shown = {
        "superseded": bool(snapshot.successors(note.path)),
        "backlinks": bool(snapshot.backlinks.get(note.path, frozenset()) - {note.path}),
        "related": bool(snapshot.graph.neighbours(id_)),
    }
    range_ = to_range(note, title_of(note), ls.client.encoding)
    uri = params.text_document.uri
    return [types.CodeLens(range_, data={"lens": lens, "uri": uri}) for lens, wanted in shown.items() if wanted]


async def resolve_code_lens(ls: MemoryServer, lens: types.CodeLens) -> types.CodeLens:
    """Fill in a lens's text and what a click on it shows."""
    data = lens.data if isinstance(lens.data, dict) else {}
    found = await ls.settled(str(data.get("uri", "")))
    describe = _LENSES.get(str(data.get("lens")))
    if found is None or describe is None:
        lens.command = types.Command("", "")
        return lens
    memory, note = found
    snapshot = ls.sources.view(memory)
    title, paths = describe(snapshot, note)
    places = [ls.location(memory, path, title_of(snapshot.notes[path])) for path in paths]
    if ls.client.shows_locations:
        arguments: list[Any] = [ls.uri(memory, note.path), lens.range.start, places]
        lens.command = types.Command(title, SHOW_LOCATIONS, arguments=arguments)
    else:
        # Without a command of the editor's own, the lens is text.
        lens.command = types.Command(title, "")
    return lens


async def inlay_hint(ls: MemoryServer, params: types.InlayHintParams) -> list[types.InlayHint] | None:
    """Answer what the settings want shown: the note behind each bare wikilink, the note that a passage names."""
    found = await ls.settled(params.text_document.uri)
    if found is None:
        return None
    memory, note = found
    wanted, shown = to_span(note, params.range, ls.client.encoding), ls.settings.inlay_hints
    hints = _link_hints(ls, memory, note, wanted) if shown.links else []
    return hints + (_mention_hints(ls, memory, note, wanted) if shown.mentions else [])


def _link_hints(ls: MemoryServer, memory: Memory, note: Note, wanted: Span) -> list[types.InlayHint]:
    """Return the type and description of the note behind each bare wikilink."""
    snapshot, hints = memory.directory.snapshot, []
    for link, meaning in zip(note.links, snapshot.meanings[note.path].links, strict=True):
        bare = link.form is LinkForm.WIKI and link.label is None and not link.embed
        if not bare or meaning.note is None or meaning.level is Level.SELF or not wanted.covers(link.span):
            continue
        target = snapshot.public(meaning.note)
        label = f"{target.type}: {target.description}" if target.description else target.type
        position = to_range(note, link.span, ls.client.encoding).end
        hints.append(types.InlayHint(position, _shorten(label), padding_left=True))
    return hints


def _mention_hints(ls: MemoryServer, memory: Memory, note: Note, wanted: Span) -> list[types.InlayHint]:
    """Return the note that each name without a link stands for; accepting the hint makes the link."""
    snapshot, hints = memory.directory.snapshot, []
    for mention in mentions(snapshot, note):
        action = link_to(snapshot, note, mention.span, mention.path) if wanted.covers(mention.span) else None
        if action is not None:
            range_ = to_range(note, mention.span, ls.client.encoding)
            (edit,) = action.edits
            label = _shorten(f"→ {snapshot.public(mention.path).name}")
            edits = [types.TextEdit(range_, edit.new_text)]
            hints.append(types.InlayHint(range_.end, label, text_edits=edits, padding_left=True))
    return hints


def _target(ls: MemoryServer, memory: Memory, meaning: Resolution) -> str:
    if meaning.file:
        return to_uri((memory.directory.root / meaning.file).resolve())
    return ls.uri(memory, meaning.notes[0])


def _tooltip(memory: Memory, meaning: Resolution) -> str:
    if meaning.file:
        return memory.directory.snapshot.guard.hide(meaning.file)
    note = memory.directory.snapshot.public(meaning.notes[0])
    return f"{note.name} — {note.description}" if note.description else note.name


def _shorten(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _superseded(snapshot: Snapshot, note: Note) -> tuple[str, tuple[str, ...]]:
    newer = snapshot.successors(note.path)
    names = ", ".join(snapshot.public(path).name for path in newer)
    return f"superseded by {names}", newer


def _backlinks(snapshot: Snapshot, note: Note) -> tuple[str, tuple[str, ...]]:
    sources = sorted(snapshot.backlinks.get(note.path, frozenset()) - {note.path})
    return _count(len(sources), "backlink"), tuple(sources)


def _related(snapshot: Snapshot, note: Note) -> tuple[str, tuple[str, ...]]:
    found = related_notes(snapshot, snapshot.ids[note.path], _SHOWN_RELATED)
    return _count(len(found), "related note"), tuple(snapshot.paths[item.id] for item in found)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


_LENSES = {"superseded": _superseded, "backlinks": _backlinks, "related": _related}

HANDLERS: Handlers = {
    types.TEXT_DOCUMENT_DOCUMENT_LINK: (document_link, types.DocumentLinkOptions(resolve_provider=False)),
    types.TEXT_DOCUMENT_CODE_LENS: (code_lens, types.CodeLensOptions(resolve_provider=True)),
    types.CODE_LENS_RESOLVE: resolve_code_lens,
    types.TEXT_DOCUMENT_INLAY_HINT: inlay_hint,
}
