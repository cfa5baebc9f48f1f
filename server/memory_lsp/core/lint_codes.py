"""The diagnostic codes: their severity and what each one means, in one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Severity(IntEnum):
    """How serious a finding is; the numbers are LSP's."""

    ERROR = 1
    WARNING = 2
    INFORMATION = 3
    HINT = 4


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of finding. `title` says what it means; docs/diagnostics.md has a section for each."""

    name: str
    severity: Severity
    title: str


CODES: dict[str, Code] = {
    code.name: code
    for code in (
        Code("dangling-link", Severity.WARNING, "A link whose note or file does not exist."),
        Code("dangling-anchor", Severity.WARNING, "A link to a heading or block that its note does not have."),
        Code("ambiguous-link", Severity.INFORMATION, "A link that several notes answer to equally well."),
        Code("inexact-link", Severity.HINT, "A link that finds its note only by another spelling of the name."),
        Code("contains-secret", Severity.ERROR, "A credential in the text of a note."),
        Code("invalid-frontmatter", Severity.WARNING, "A frontmatter line that is no valid YAML."),
        Code("unclosed-frontmatter", Severity.WARNING, "Frontmatter without its closing line of three dashes."),
        Code("stacked-frontmatter", Severity.WARNING, "A second frontmatter block right after the first."),
        Code("empty-name", Severity.WARNING, "A `name:` without a value; the file name is used."),
        Code("unknown-type", Severity.WARNING, "A `type:` that is none of the known ones."),
        Code("type-folder-mismatch", Severity.WARNING, "A `type:` that differs from the folder, which decides."),
        Code("duplicate-name", Severity.WARNING, "Two notes of one type that bear one name."),
        Code("comment-in-value", Severity.WARNING, "A ` #` in an unquoted value, where YAML starts a comment."),
        Code("missing-description", Severity.HINT, "Frontmatter without a description."),
        Code("dangling-supersedes", Severity.WARNING, "A `supersedes` or `superseded_by` entry without its note."),
        Code("dangling-contradicts", Severity.WARNING, "A `contradicts` entry whose note does not exist."),
        Code("supersedes-cycle", Severity.ERROR, "Notes that supersede each other in a circle."),
        Code("links-to-superseded", Severity.INFORMATION, "A link to a note that a newer one has replaced."),
        Code("possible-contradiction", Severity.INFORMATION, "Two notes that seem to say opposite things."),
        Code("index-dangling-entry", Severity.WARNING, "An entry of `MEMORY.md` whose file does not exist."),
        Code("index-missing-entry", Severity.INFORMATION, "A note that `MEMORY.md` does not list."),
        Code("index-too-long", Severity.WARNING, "A `MEMORY.md` of more than 200 lines or 25,000 bytes."),
    )
}
