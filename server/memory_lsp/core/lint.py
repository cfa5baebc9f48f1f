"""What is wrong with a note, one function a rule.

Rules read a snapshot and yield findings with offsets; severities, and which rules are off, are the settings' business.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memory_lsp.core.anchors import find_anchor
from memory_lsp.core.links import LinkForm
from memory_lsp.core.note import TYPES, UNTYPED, folder_type
from memory_lsp.core.note import title_of as title_of  # others find it where they find the rules
from memory_lsp.core.resolve import Level
from memory_lsp.core.rivals import CODE as CONTRADICTION
from memory_lsp.core.rivals import standing
from memory_lsp.core.secret_guard import CODE as SECRET
from memory_lsp.core.secret_guard import allowed_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memory_lsp.core.links import Link
    from memory_lsp.core.note import Entry, Note
    from memory_lsp.core.resolve import Resolution
    from memory_lsp.core.snapshot import Snapshot
    from memory_lsp.core.text import Span

INDEX_LINES = 200
INDEX_BYTES = 25_000
# Past this many, notes are counted, not named: hundreds may share a name, or be missing in the index.
_MOST_NAMED = 10
_LONGEST_QUOTE = 120


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that explains a finding."""

    path: str
    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: where in which note, and in plain words.

    `subject` is what a quick fix needs to know: the missing target, the successor's path, a rule's id. It never holds
    the text of a secret. `mild` marks a secret that is a development default, `digest` is the SHA-256 of its value.
    """

    code: str
    span: Span
    message: str
    related: tuple[Related, ...] = ()
    subject: str = ""
    mild: bool = False
    digest: str = ""


def lint(snapshot: Snapshot, path: str) -> tuple[Finding, ...]:
    """Return the findings of the note at `path`, in the order of their places."""
    note = snapshot.notes[path]
    rules = SOURCE_RULES if note.source else INDEX_RULES if note.is_index else NOTE_RULES
    found = {(item.code, item.span, item.subject): item for rule in rules for item in rule(snapshot, note)}
    if not found:
        return ()
    allowed = allowed_lines(note)
    kept = (item for item in found.values() if item.code not in allowed.get(note.lines.line_of(item.span.start), ()))
    ordered = tuple(sorted(kept, key=lambda item: (item.span, item.code, item.subject)))
    secrets = {secret.span.of(note.text) for secret in snapshot.guard.secrets(note)}
    return tuple(_without(snapshot, item, secrets) for item in ordered)


def _without(snapshot: Snapshot, item: Finding, secrets: set[str]) -> Finding:
    """Return a finding that tells no secret: the target of a broken link may be one, or another note's name."""
    if item.code == SECRET:
        return item
    message, subject = item.message, item.subject
    for secret in sorted(secrets, key=len, reverse=True):
        message, subject = message.replace(secret, "…"), subject.replace(secret, "…")
    message, subject = snapshot.guard.hide(message), snapshot.guard.hide(subject)
    return (
        item if (message, subject) == (item.message, item.subject) else replace(item, message=message, subject=subject)
    )


def _links(snapshot: Snapshot, note: Note) -> Iterator[tuple[Link, Resolution]]:
    return zip(note.links, snapshot.meanings[note.path].links, strict=True)


def _entries(snapshot: Snapshot, note: Note) -> Iterator[tuple[Entry, Resolution]]:
    return zip(note.entries, snapshot.meanings[note.path].entries, strict=True)


def _dangling_links(snapshot: Snapshot, note: Note) -> Iterator[Finding]:
    for link, found in _links(snapshot, note):
        if found.is_dangling:
            code = "index-dangling-entry" if note.is_index and not link.embed else "dangling-link"
            span = link.target_span if link.form is LinkForm.MARKDOWN else link.report_span
            what = "file" if link.form is LinkForm.MARKDOWN else "note"
            yield Finding(code, span, f"There is no {what} “{link.target}”.", subject=link.target)


def _dangling_anchors(snapshot: Snapshot, note: Note) -> Iterator[Finding]:
    for link, found in _links(snapshot, note):
        target = snapshot.notes.get(found.note or "")
        if found.anchor and target and find_anchor(target, found.anchor, link.form) is None:
            what = "block" if found.anchor.startswith("^") else "heading"
            place = "this note" if found.level is Level.SELF else f"“{target.name}”"
            anchor = found.anchor.lstrip("^")
            yield Finding(
                "dangling-anchor", link.report_span, f"There is no {what} “{anchor}” in {place}.", subject=anchor
            )


def _ambiguous_links(snapshot: Snapshot, note: Note) -> Iterator[Finding]:
    for link, found in _links(snapshot, note):
        if len(found.notes) > 1:
            names = _listed(found.notes)
            related = _related(snapshot, found.notes, "It may mean this one.")
            message = f"“{link.target}” may mean several notes ({names}); it opens {found.notes[0]}."
            yield Finding("ambiguous-link", link.report_span, message, related, link.target)


def _inexact_links(snapshot: Snapshot, note: Note) -> Iterator[Finding]:
    for link, found in _links(snapshot, note):
        if found.notes and found.level is not None and not found.level.is_exact:
            name = snapshot.public(found.notes[0]).name
            message = f"“{link.target}” finds “{name}” only by another spelling."
            yield Finding("inexact-link", link.report_span, message, subject=found.notes[0])


def _links_to_superseded(snapshot: Snapshot, note: Note) -> Iterator[Finding]:
    for link, found in _links(snapshot, note):
        if not found.notes or found.notes[0] == note.path:
            continue
        successors = [path for path in snapshot.successors(found.notes[0]) if path != found.notes[0]]
        # The note that replaces another may well say so in its text.
        if successors and note.path not in successors:
            newer = snapshot.public(successors[0])
            old = snapshot.public(found.notes[0]).name
            related = _related(snapshot, [newer.path], "This note replaces it.")
            message = f"“{old}” is superseded by “{newer.name}”."
            yield Finding("links-to-superseded", link.report_span, message, related, newer.path)


def _secrets(snapshot: Snapshot, note: Note) -> Iterator[Finding]:
    for secret in snapshot.guard.secrets(note):
        advice = secret.advice or "Keep it out of memory."
        message = f"This looks like a secret: {secret.name}. {advice}"
        yield Finding(SECRET, secret.span, message, subject=secret.rule, mild=secret.development, digest=secret.digest)
    for secret in snapshot.guard.unspelled(note):
        message = f"The name or description of this note looks like a secret: {secret.name}. Rename the note."
        yield Finding(SECRET, title_of(note), message, subject=secret.rule, digest=secret.digest)


def _frontmatter_problems(snapshot: Snapshot, note: Note) -> Iterator[Finding]:
    for problem in note.problems:
        if not (note.is_index and problem.code == "empty-name"):
            yield Finding(problem.code, problem.span, problem.message)


def _types(snapshot: Snapshot, note: Note) -> Iterator[Finding]:
    if not note.declared_type or not note.type_span:
        return
    folder = folder_type(note.path)
    if folder and note.declared_type != folder:
        message = f"The folder makes this note “{folder}”, its type says “{note.declared_type}”; the folder counts."
        yield Finding("type-folder-mismatch", note.type_span, message, subject=folder)
    elif note.declared_type not in (*TYPES, UNTYPED):
        message = f"“{note.declared_type}” is no known type; the known ones are {', '.join(TYPES)}."
        yield Finding("unknown-type", note.type_span, message, subject=note.declared_type)


def _duplicate_names(snapshot: Snapshot, note: Note) -> Iterator[Finding]:
    homonyms = snapshot.homonyms(note.path)
    if len(homonyms) > 1:
        # The ids of secret names may look the same.
        others = [path for path in homonyms if path != note.path and snapshot.notes[path].name == note.name]
        if not others:
            return
        related = _related(snapshot, others, "It bears the same name.")
        message = f"“{note.name}” is also the name of {_listed(others)}, of the same type."
        yield Finding("duplicate-name", note.name_span or title_of(note), message, related, note.name)


def _missing_description(snapshot: Snapshot, note: Note) -> Iterator[Finding]:
    if note.frontmatter and not note.description:
        first = note.lines.line_span(note.lines.line_of(note.frontmatter.span.start))
        yield Finding("missing-description", first, "A description helps to find this note: add `description:`.")


def _dangling_entries(snapshot: Snapshot, note: Note) -> Iterator[Finding]:
    for entry, found in _entries(snapshot, note):
        if not found.notes:
            code = "dangling-contradicts" if entry.key == "contradicts" else "dangling-supersedes"
            yield Finding(code, entry.span, f"There is no note “{entry.target}”.", subject=entry.target)


def _supersedes_cycles(snapshot: Snapshot, note: Note) -> Iterator[Finding]:
    for entry, found in _entries(snapshot, note):
        if entry.key == "contradicts" or not found.notes:
            continue
        older, newer = (found.notes[0], note.path) if entry.key == "supersedes" else (note.path, found.notes[0])
        way = [note.path] if older == newer else snapshot.succession(older, newer)
        if way:
            shown = (newer, *way) if len(way) <= _MOST_NAMED else (newer, *way[:_MOST_NAMED], "", newer)
            names = " → ".join(snapshot.public(path).name if path else "…" for path in shown)
            yield Finding("supersedes-cycle", entry.span, f"These notes supersede each other in a circle: {names}.")


def _missing_entries(snapshot: Snapshot, note: Note) -> Iterator[Finding]:
    listed = snapshot.meanings[note.path].targets()
    missing = [path for path in sorted(snapshot.ids) if path not in listed]
    first = note.lines.line_span(0)
    if len(missing) > _MOST_NAMED:
        message = f"{len(missing)} notes are not listed here: {_listed(missing)}."
        yield Finding("index-missing-entry", first, message)
        return
    for path in missing:
        message = f"“{snapshot.public(path).name}” ({path}) is not listed here."
        yield Finding("index-missing-entry", first, message, subject=path)


def _index_length(snapshot: Snapshot, note: Note) -> Iterator[Finding]:
    lines, text = note.lines, note.text
    count = len(lines) - (1 if text.endswith(("\n", "\r")) else 0)
    first = INDEX_LINES if count > INDEX_LINES else None
    if len(text) > INDEX_BYTES // 4 and len(text.encode()) > INDEX_BYTES:
        cut = len(text.encode()[:INDEX_BYTES].decode(errors="ignore"))
        line = lines.line_of(cut)
        first = line if first is None else min(first, line)
    if first is not None:
        message = f"Only the first {INDEX_LINES} lines or {INDEX_BYTES:,} bytes of an index are read into a prompt."
        yield Finding("index-too-long", lines.line_span(first), message)


def _related(snapshot: Snapshot, paths: Sequence[str], message: str) -> tuple[Related, ...]:
    return tuple(Related(path, title_of(snapshot.notes[path]), message) for path in paths[:_MOST_NAMED])


def _listed(paths: Sequence[str]) -> str:
    """Return the paths as a text that stays short."""
    more = len(paths) - _MOST_NAMED
    return ", ".join(paths[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _possible_contradictions(snapshot: Snapshot, note: Note) -> Iterator[Finding]:
    for found in standing(snapshot, note):
        other = snapshot.notes[found.rival.path]
        says = " ".join(found.other_span.of(other.text).split())
        says = says if len(says) <= _LONGEST_QUOTE else f"{says[: _LONGEST_QUOTE - 1].rstrip()}…"
        related = (Related(other.path, found.other_span, "This seems to say otherwise."),)
        message = f"“{other.name}” seems to say otherwise: “{says}”"
        yield Finding(CONTRADICTION, found.span, message, related, other.path)


SOURCE_RULES = (_dangling_links, _dangling_anchors, _ambiguous_links, _inexact_links, _links_to_superseded)
_COMMON_RULES = (*SOURCE_RULES, _secrets, _frontmatter_problems)
NOTE_RULES = (
    *_COMMON_RULES, _types, _duplicate_names, _missing_description, _dangling_entries,
    _supersedes_cycles, _possible_contradictions,
)  # fmt: skip
INDEX_RULES = (*_COMMON_RULES, _missing_entries, _index_length)
