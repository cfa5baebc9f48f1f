"""From our edits to the WorkspaceEdit that this client can take."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from memory_lsp.core.edits import by_path
from memory_lsp.errors import UnsupportedEditError
from memory_lsp.lsp.convert import to_range, to_uri

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memory_lsp.core.edits import FileCreate, FileRename, TextEdit
    from memory_lsp.core.snapshot import Snapshot
    from memory_lsp.lsp.server import MemoryServer
    from memory_lsp.memory import Memory

_ANNOTATION = "memory"

_Change: TypeAlias = "types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile"
_Edit: TypeAlias = "types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit"


def workspace_edit(
    ls: MemoryServer,
    memory: Memory,
    edits: Iterable[TextEdit],
    *,
    renames: Iterable[FileRename] = (),
    creates: Iterable[FileCreate] = (),
    label: str = "",
    snapshot: Snapshot | None = None,
) -> types.WorkspaceEdit:
    """Return edits, made for the notes of `snapshot` (the current one by default), in the form the client takes.

    Files are created first, then come the texts, then the renames; the text of a renamed file is edited last, under its
    new name. `label` is what a client that knows change annotations shows. Raises UnsupportedEditError where the client
    cannot rename or create.
    """
    snapshot = snapshot or memory.directory.snapshot
    grouped, moved = by_path(edits), {rename.old: rename.new for rename in renames}
    texts = {
        path: [types.TextEdit(to_range(snapshot.notes[path], edit.span, ls.client.encoding), edit.new_text)
               for edit in group]
        for path, group in grouped.items()
    }  # fmt: skip
    created = sorted(set(creates))
    if (moved and not ls.client.renames_files) or (created and not ls.client.creates_files):
        raise UnsupportedEditError("rename" if moved and not ls.client.renames_files else "create")
    if not ls.client.takes_document_changes:
        return types.WorkspaceEdit(changes={ls.uri(memory, path): list(changes) for path, changes in texts.items()})
    annotation = _ANNOTATION if label and ls.client.reads_change_annotations else None
    changes: list[_Change] = []
    for file in created:
        uri = to_uri(memory.directory.root / file.path)
        changes.append(types.CreateFile(uri, annotation_id=annotation))
        if file.text:
            start = types.Position(0, 0)
            changes.append(_document(uri, None, [types.TextEdit(types.Range(start, start), file.text)], annotation))
    late = {} if ls.client.edits_before_it_moves else moved
    # Editors ask `willRenameFiles` for a rename that is part of an edit too; by then links say what they shall.
    for path in sorted(texts.keys() - late.keys()):
        changes.append(_document(ls.uri(memory, path), _version(ls, memory, path), texts[path], annotation))
    for old, new in moved.items():
        new_uri = to_uri(memory.directory.root / new)
        changes.append(types.RenameFile(ls.uri(memory, old), new_uri, annotation_id=annotation))
    for path in sorted(texts.keys() & late.keys()):
        changes.append(_document(to_uri(memory.directory.root / late[path]), None, texts[path], annotation))
    notes: Mapping[str, types.ChangeAnnotation] = {_ANNOTATION: types.ChangeAnnotation(label)}
    return types.WorkspaceEdit(document_changes=changes, change_annotations=notes if annotation else None)


def merged(edits: Iterable[types.WorkspaceEdit]) -> types.WorkspaceEdit | None:
    """Return edits of several directories as one, None where there are none."""
    given = list(edits)
    if len(given) < 2:
        return given[0] if given else None
    changes = {uri: list(found) for edit in given for uri, found in (edit.changes or {}).items()}
    document_changes = [change for edit in given for change in edit.document_changes or ()]
    return types.WorkspaceEdit(changes or None, document_changes or None, given[0].change_annotations)


def require_unchanged(ls: MemoryServer, memory: Memory, snapshot: Snapshot, edits: Iterable[TextEdit]) -> None:
    """Raise ContentModified where a note that is to be edited has changed since `snapshot`."""
    current = ls.sources.view(memory).notes
    for path in {edit.path for edit in edits}:
        if path not in current or current[path].text != snapshot.notes[path].text:
            raise JsonRpcException(f"{path} changed meanwhile; ask again.", types.LSPErrorCodes.ContentModified)


def _document(
    uri: str, version: int | None, edits: list[types.TextEdit], annotation: str | None
) -> types.TextDocumentEdit:
    annotated: list[_Edit] = [
        types.AnnotatedTextEdit(annotation, edit.range, edit.new_text) if annotation else edit for edit in edits
    ]
    return types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, version), annotated)


def _version(ls: MemoryServer, memory: Memory, path: str) -> int | None:
    buffer = ls.buffer(memory, path)
    return buffer.version if buffer is not None else None
