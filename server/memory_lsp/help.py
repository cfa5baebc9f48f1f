"""Where the documentation of a diagnostic stands."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
# A wheel carries the page beside the code; a checkout has it in its docs folder.
_PAGES = (_PACKAGE / "docs" / "diagnostics.md", _PACKAGE.parent.parent / "docs" / "diagnostics.md")


def help_uri(code: str) -> str:
    """Return the URI of the section on a diagnostic code, in the documentation that was installed with the server."""
    page = next((path for path in _PAGES if path.is_file()), _PAGES[0])
    return f"{page.as_uri()}#{code}"
