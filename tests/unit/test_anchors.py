"""What the part behind a link's `#` names."""

from __future__ import annotations

import pytest
from fixtures import note_of
from memory_lsp.core.anchors import find_anchor, section_end
from memory_lsp.core.links import LinkForm

NOTE = note_of(
    "# X\n# X^\n# X.\n## Second part\ntext ^one-1\n### Deep\n# Other\n## Deep\n# Use `code` and [[link|label]]\n"
    "# Über uns\n# 🎉 Party\n# A#B\n# X\n# पानी\n"
)

WIKI = [
    ("X", 0), ("X^", 1), ("X.", 2), ("x", 0), ("Second part", 3), ("second part", 3), ("second-part", 3),
    ("SECOND PART", 3), ("second_part", 3), ("Second part?", 3), ("Deep", 4), ("Other#Deep", 6),
    ("Second part#Deep", 4),
    ("Use code and label", 7), ("use-code-and-label", 7), ("U\u0308ber uns", 8), ("🎉 Party", 9), ("party", None),
    ("A#B", 10), ("x-1", 1), ("x-3", 11), ("x-9", None), ("Absent", None), ("X#Deep", None), ("पानी", 12), ("पन", None),
]  # fmt: skip


@pytest.mark.parametrize(("anchor", "number"), WIKI)
def test_wikilinks_name_a_heading_by_text_then_by_slug(anchor: str, number: int | None) -> None:
    assert find_anchor(NOTE, anchor) == (None if number is None else NOTE.headings[number])


MARKDOWN = [("x", 0), ("x-1", 1), ("x-2", 2), ("x-3", 11), ("second-part", 3), ("Second part", 3), ("second", None)]


@pytest.mark.parametrize(("anchor", "number"), MARKDOWN)
def test_markdown_links_name_a_heading_by_its_unique_slug(anchor: str, number: int | None) -> None:
    assert find_anchor(NOTE, anchor, LinkForm.MARKDOWN) == (None if number is None else NOTE.headings[number])


@pytest.mark.parametrize(("anchor", "found"), [("^one-1", True), ("^ONE-1", True), ("^one", False), ("one-1", False)])
def test_a_caret_names_a_block(anchor: str, found: bool) -> None:
    assert find_anchor(NOTE, anchor) == (NOTE.blocks[0] if found else None)


@pytest.mark.parametrize(("number", "next_"), [(0, 1), (3, 5), (4, 5), (5, 7), (12, None)])
def test_a_section_ends_before_the_next_heading_of_its_level(number: int, next_: int | None) -> None:
    end = section_end(NOTE, NOTE.headings[number])
    assert end == (len(NOTE.text) if next_ is None else NOTE.headings[next_].span.start)
