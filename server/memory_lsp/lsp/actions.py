"""Code actions: quick fixes, refactorings and fix-all, with their edits made when the editor wants them."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from memory_lsp.core.actions import Kind, Place, findings_at, fix_all, fixes, refactorings
from memory_lsp.core.lint_codes import CODES
from memory_lsp.core.text import Span
from memory_lsp.errors import UsageError
from memory_lsp.lsp.convert import to_range, to_span
from memory_lsp.lsp.edits import require_unchanged, workspace_edit

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from memory_lsp.core.actions import Action
    from memory_lsp.core.note import Note
    from memory_lsp.core.snapshot import Snapshot
    from memory_lsp.lsp.client import Client
    from memory_lsp.lsp.handlers import Handler, Handlers
    from memory_lsp.lsp.server import MemoryServer
    from memory_lsp.memory import Memory


async def code_action(ls: MemoryServer, params: types.CodeActionParams) -> list[types.CodeAction] | None:
    """Answer what can be done at a range: of the kinds that are asked for, or all but those that must be asked for."""
    seen = await ls.seen_at(params.text_document.uri, params.range.start, params.range.end)
    kinds = _wanted(params)
    if seen is None or not kinds:
        return None
    memory, snapshot, note, diagnostics = seen.memory, seen.snapshot, seen.note, params.context.diagnostics
    place = Place(snapshot, note, to_span(note, params.range, ls.client.encoding))
    # An editor may send a line's diagnostics with a cursor beside them.
    also = {(str(item.code), to_span(note, item.range, ls.client.encoding)) for item in diagnostics}
    actions = await asyncio.to_thread(_offered, ls, place, also, kinds)
    answers = []
    for action in actions:
        answer = _answer(ls, note, action, diagnostics)
        if ls.client.resolves_action_edits:
            span = action.finding.span if action.finding else place.span
            answer.data = _Asked(params.text_document.uri, _digest(note), span.start, span.end, action.code).data()
        else:
            answer.edit = _edit(ls, memory, snapshot, action)
        answers.append(answer)
    return answers


async def resolve(ls: MemoryServer, answer: types.CodeAction) -> types.CodeAction:
    """Fill in the edit of an action that the user chose; ContentModified where the notes have changed meanwhile."""
    asked = _Asked.of(answer.data)
    span = Span(asked.start, asked.end)
    seen = next((one for one in await ls.seen(asked.uri) if one.has_something(span)), None)
    if seen is None or _digest(seen.note) != asked.text:
        raise _outdated(answer)
    memory, place = seen.memory, Place(seen.snapshot, seen.note, span)
    kinds = [kind for kind in Kind if kind == answer.kind]
    for action in await asyncio.to_thread(_offered, ls, place, (), kinds):
        same = action.finding is None or action.finding.span == place.span
        if action.title == answer.title and action.code == asked.code and same:
            answer.edit = _edit(ls, memory, place.snapshot, action)
            return answer
    raise _outdated(answer)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What an action was offered for: a document with just this text, a span of it, and the code it fixes."""

    uri: str
    text: str
    start: int
    end: int
    code: str

    @classmethod
    def of(cls, data: object) -> _Asked:
        """Read the data of an action. Raises UsageError where it is not ours."""
        if not isinstance(data, dict):
            raise UsageError("This code action has no data of this server.")
        uri, text, code = data.get("uri"), data.get("text"), data.get("code")
        start, end = data.get("start"), data.get("end")
        texts = isinstance(uri, str) and isinstance(text, str) and isinstance(code, str)
        if not (texts and isinstance(start, int) and isinstance(end, int)):
            raise UsageError("This code action has no data of this server.")
        return cls(str(uri), str(text), start, end, str(code))

    def data(self) -> dict[str, str | int]:
        """Return it as the data of an action."""
        return asdict(self)


def _wanted(params: types.CodeActionParams) -> list[Kind]:
    """Return the kinds to offer. What an editor asks by itself at each move of the cursor is answered with fixes."""
    only = params.context.only
    if only is not None:
        return [kind for kind in Kind if any(_is_a(kind, str(getattr(each, "value", each))) for each in only)]
    by_itself = params.context.trigger_kind == types.CodeActionTriggerKind.Automatic
    if by_itself and params.range.start == params.range.end:
        return [Kind.QUICKFIX]
    return [Kind.QUICKFIX, Kind.EXTRACT, Kind.REWRITE]


def _is_a(kind: Kind, wanted: str) -> bool:
    # A source action is made only for those who name it.
    return f"{kind}.".startswith(f"{wanted}.") or (not wanted and kind is not Kind.FIX_ALL)


def _offered(ls: MemoryServer, place: Place, also: Collection[tuple[str, Span]], kinds: Sequence[Kind]) -> list[Action]:
    """Return the actions of some kinds; takes milliseconds, so it runs in a thread."""
    creates = ls.client.creates_files
    actions: list[Action] = []
    if Kind.QUICKFIX in kinds:
        findings = [item for item in findings_at(place, also) if ls.settings.severity(item.code) is not None]
        actions += fixes(place, findings, creates=creates)
    if place.note.source is not None:
        return actions  # what is not ours to write is only repaired
    if Kind.EXTRACT in kinds or Kind.REWRITE in kinds:
        actions += refactorings(place, creates=creates)
    if Kind.FIX_ALL in kinds:
        on = [code for code in CODES if ls.settings.severity(code) is not None]
        actions += fix_all(place, on)
    return [action for action in actions if action.kind in kinds]


def _answer(ls: MemoryServer, note: Note, action: Action, diagnostics: Sequence[types.Diagnostic]) -> types.CodeAction:
    fixed = None
    if action.finding is not None:
        where = to_range(note, action.finding.span, ls.client.encoding)
        fixed = [item for item in diagnostics if item.code == action.code and item.range == where] or None
    preferred = True if action.is_preferred and ls.client.knows_preferred_actions else None
    return types.CodeAction(action.title, str(action.kind), fixed, preferred)


def _edit(ls: MemoryServer, memory: Memory, snapshot: Snapshot, action: Action) -> types.WorkspaceEdit:
    require_unchanged(ls, memory, snapshot, action.edits)
    files = {edit.path for edit in action.edits} | {file.path for file in action.creates}
    label = action.title if len(files) > 1 and ls.client.honors_action_annotations else ""
    return workspace_edit(ls, memory, action.edits, creates=action.creates, label=label, snapshot=snapshot)


def _digest(note: Note) -> str:
    return hashlib.sha256(note.text.encode()).hexdigest()[:16]


def _outdated(answer: types.CodeAction) -> JsonRpcException:
    message = f"“{answer.title}” no longer fits: the notes changed meanwhile. Ask again."
    return JsonRpcException(message, types.LSPErrorCodes.ContentModified)


def handlers(client: Client) -> Handlers:
    """Return the handlers that this client can use: none where it does not know code actions as such."""
    if not client.reads_code_actions:
        return {}
    options = types.CodeActionOptions(code_action_kinds=[str(kind) for kind in Kind])
    options.resolve_provider = True if client.resolves_action_edits else None
    found: dict[str, Handler | tuple[Handler, object]] = {types.TEXT_DOCUMENT_CODE_ACTION: (code_action, options)}
    if client.resolves_action_edits:
        found[types.CODE_ACTION_RESOLVE] = resolve
    return found
