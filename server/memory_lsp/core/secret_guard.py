"""Which secrets of a directory's notes count, and what of a note other documents and programs may see.

Everything that looks for secrets in notes asks here: the rules of `lint`, the index, and whatever shows a note outside
its own document. Each version of a note is searched once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memory_lsp.core.note import Note, parse
from memory_lsp.core.secrets import REDACT_EVERYWHERE, Secret, find_secrets, redact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

CODE = "contains-secret"
_MOST_LABELS = 50_000
_GROUP = 200
_ALLOW = re.compile(r"<!--[^\r\n]{0,200}?memory-lsp:[ \t]*allow[ \t]+([a-z][a-z ,\t-]{0,200}?)[ \t]*-->")
_ALLOW_IN_COMMENT = re.compile(r"memory-lsp:[ \t]*allow[ \t]+([a-z][a-z ,\t-]{0,200})")
# Of a text in which nothing matches, no rule makes a secret: most names are words, spaces and hyphens.
_TELLING = re.compile(r"[\d:=@!#$%^&*+?~]|[A-Z]\S{19}|\S{19}[A-Z]")


@dataclass(frozen=True, slots=True)
class SecretPolicy:
    """What the user says of secrets: ids of rules that are switched off, SHA-256 digests of values that may stay."""

    disabled: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()

    def counts(self, secret: Secret) -> bool:
        """Tell whether a secret is one under this policy."""
        return secret.rule not in self.disabled and secret.digest not in self.allowed


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """What a note holds under no policy: in its text, and in what it shows but does not spell (its file's name)."""

    note: Note
    in_text: tuple[Secret, ...]
    unspelled: tuple[Secret, ...]


_Values = tuple[tuple[_Found, ...], tuple[str, ...]]


class SecretGuard:
    """Answers for one directory under one policy. Any thread may ask."""

    def __init__(self, policy: SecretPolicy | None = None, read: Callable[[str, str], Note] = parse) -> None:
        self.policy = policy or SecretPolicy()
        self._read = read
        self._found: dict[str, _Found] = {}
        self._marked: dict[str, _Found] = {}  # those of `_found` with any secret
        self._labels: dict[str, str] = {}
        self._values: _Values = ((), ())  # of `_marked`: the values to mask
        self._public: dict[str, tuple[Note, _Values, Note]] = {}

    def under(self, policy: SecretPolicy) -> SecretGuard:
        """Return a guard for another policy that knows what this one found."""
        other = SecretGuard(policy, self._read)
        other._found, other._marked = self._found, self._marked
        return other

    def secrets(self, note: Note) -> tuple[Secret, ...]:
        """Return the secrets in a note's text that count; no comment on their line allows them."""
        found = self._look(note)
        return tuple(self._counted(found)) if found.in_text else ()

    def unspelled(self, note: Note) -> tuple[Secret, ...]:
        """Return the serious secrets in a note's name, description or tags that its text does not spell."""
        return tuple(secret for secret in self._look(note).unspelled if self.policy.counts(secret))

    def holds_secret(self, note: Note) -> bool:
        """Tell whether a note must get no vector: it holds a credential that is no development default."""
        return any(not secret.development for secret in self.secrets(note)) or bool(self.unspelled(note))

    def public(self, note: Note) -> Note:
        """Return a note as other documents and programs may see it: the same note where it holds no secret.

        Otherwise its text, and all that was read from it, has references where secrets stood.
        """
        if note.source is not None or (not self.holds_secret(note) and self.mask(note.text) == note.text):
            return note
        known = self._public.get(note.path)
        if known is None or known[0] is not note or known[1] is not self._values:
            serious = [secret for secret in self.secrets(note) if not secret.development]
            shown = self._read(note.path, self.mask(redact(note.text, serious)))
            public = replace(
                shown, name=self.hide(shown.name), type=self.label(shown.type),
                description=self.label(shown.description),
                tags=tuple(replace(tag, name=self.label(tag.name)) for tag in shown.tags),
            )  # fmt: skip
            known = self._public[note.path] = note, self._values, public
        return known[2]

    def label(self, text: str) -> str:
        """Return a short text, such as a name, with references for the secrets that can be told from it alone."""
        if _TELLING.search(text) is None:
            return text
        label = self._labels.get(text)
        if label is None:
            found = [each for each in find_secrets(text) if self.policy.counts(each) and not each.development]
            if len(self._labels) > _MOST_LABELS:
                self._labels.clear()
            label = self._labels[text] = redact(text, found) if found else text
        return label

    def expect(self, texts: Iterable[str]) -> None:
        """Look at many short texts at once, before each is asked for: a search has a price of its own, however short.

        A group in which nothing is found is clean as a whole; of any other, each text is searched when it comes.
        """
        telling = [text for text in dict.fromkeys(texts) if text not in self._labels and _TELLING.search(text)]
        for start in range(0, len(telling), _GROUP):
            group = telling[start : start + _GROUP]
            # A blank line between them keeps the words of one from saying anything about another.
            if len(self._labels) + len(group) <= _MOST_LABELS and not find_secrets("\n\n".join(group)):
                self._labels.update(zip(group, group, strict=True))

    def hide(self, text: str) -> str:
        """Return a text with neither a secret of its own nor a longer one that any note is known to hold."""
        return self.label(self.mask(text))

    def mask(self, text: str) -> str:
        """Return a text without the longer secrets that notes are known to hold, which its own words need not tell."""
        for value in self.masked():
            text = text.replace(value, "…")
        return text

    def masked(self) -> tuple[str, ...]:
        """Return what `mask` leaves out, the longest first."""
        marked = tuple(self._marked.values())
        if marked != self._values[0]:
            self._values = marked, tuple(sorted(set(self._serious(marked)), key=lambda value: (-len(value), value)))
        return self._values[1]

    def forget(self, path: str) -> None:
        """Drop what is known of a note that is gone."""
        for known in (self._found, self._marked, self._public):
            known.pop(path, None)

    def differs(self, other: SecretGuard, note: Note) -> bool:
        """Tell whether a note may look or count otherwise under another guard's policy."""
        texts = (note.name, note.type, *(tag.name for tag in note.tags))
        if any(self.label(text) != other.label(text) for text in texts):
            return True
        found = self._found.get(note.path)
        if found is None or found.note is not note:
            return False
        secrets = (*found.in_text, *found.unspelled)
        return any(self.policy.counts(secret) != other.policy.counts(secret) for secret in secrets)

    def _serious(self, marked: tuple[_Found, ...]) -> Iterator[str]:
        for found in marked:
            for secret in self._counted(found):
                value = secret.span.of(found.note.text)
                if len(value) >= REDACT_EVERYWHERE and not secret.development:
                    yield value

    def _counted(self, found: _Found) -> Iterator[Secret]:
        note, allowed = found.note, allowed_lines(found.note)
        for secret in found.in_text:
            if self.policy.counts(secret) and CODE not in allowed.get(note.lines.line_of(secret.span.start), ()):
                yield secret

    def _look(self, note: Note) -> _Found:
        if note.source is not None:
            return _Found(note, (), ())  # its text is shown nowhere
        found = self._found.get(note.path)
        if found is None or found.note is not note:
            found = self._found[note.path] = _Found(note, find_secrets(note.text), tuple(_unspelled(note)))
            if found.in_text or found.unspelled:
                self._marked[note.path] = found
            else:
                self._marked.pop(note.path, None)
        return found


def allowed_lines(note: Note) -> dict[int, frozenset[str]]:
    """Return which codes a comment on a line allows there: `<!-- memory-lsp: allow dangling-link -->`.

    In a source file any comment that says so will do.
    """
    lines: dict[int, frozenset[str]] = {}
    if "memory-lsp:" in note.text:
        for match in _allowances(note):
            codes = frozenset(re.split(r"[ ,\t]+", match[1].strip(" ,\t")))
            line = note.lines.line_of(match.start())
            lines[line] = lines.get(line, frozenset()) | codes
    return lines


def _allowances(note: Note) -> Iterator[re.Match[str]]:
    if note.source is None:
        yield from _ALLOW.finditer(note.text)
        return
    for comment in note.source.comments:
        yield from _ALLOW_IN_COMMENT.finditer(note.text, comment.inner.start, comment.inner.end)


def _unspelled(note: Note) -> Iterator[Secret]:
    """Yield secrets of what is shown of a note where an escape, a folded line or the file's name says it."""
    for text in (note.name, note.description, note.stem, *(tag.name for tag in note.tags)):
        if _TELLING.search(text) and text not in note.text:
            yield from (secret for secret in find_secrets(text) if not secret.development)
