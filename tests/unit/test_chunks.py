"""Where long notes are cut."""

from __future__ import annotations

import pytest
from fixtures import growth, note_of
from hypothesis import given
from hypothesis import strategies as st
from memory_lsp.core.chunks import LEAST, MOST, Chunker, chunks_of, embedded_text, row_id
from memory_lsp.core.chunks import note_of as owner_of

HEAD = "---\nname: log\ndescription: what happened\n---\n"


def sentence(number: int) -> str:
    return f"On day {number} the crew of boat {number * 7} found {number % 5} holes in the net and mended each."


def paragraphs(count: int, start: int = 0) -> str:
    return "\n\n".join(" ".join(sentence(4 * at + each) for each in range(4)) for at in range(start, start + count))


def pieces(body: str) -> list[str]:
    note = note_of(HEAD + body)
    return [chunk.span.of(note.text) for chunk in chunks_of(note)]


def test_a_note_of_800_characters_is_not_cut() -> None:
    assert pieces("x" * MOST) == []
    assert len(pieces("x" * (MOST + 1))) == 2


def test_prose_is_cut_between_paragraphs_into_400_to_800_characters() -> None:
    found = pieces(paragraphs(12))
    assert all(len(piece) <= MOST for piece in found)
    assert sum(len(piece) >= LEAST for piece in found) >= len(found) / 2
    assert "\n\n".join(found) == paragraphs(12)


def test_a_heading_stays_with_its_text_and_opens_a_chunk() -> None:
    body = "\n\n".join(f"## Part {number}\n\n{sentence(number)} {sentence(number + 50) * 6}" for number in range(9))
    found = pieces(body)
    assert len(found) == 9
    assert all(piece.startswith("## Part") and piece.endswith("each.") for piece in found)


def test_a_long_list_is_cut_between_items() -> None:
    found = pieces("\n".join(f"- {sentence(number)}" for number in range(40)))
    assert all(piece.startswith("- On day") and piece.endswith("each.") for piece in found)


def test_one_long_paragraph_is_cut_between_sentences_and_no_link_is_torn() -> None:
    found = pieces(" ".join(f"See [[Dr. No. {number}|the file. Of {number}]] first." for number in range(60)))
    assert all(piece.startswith("See [[") and piece.endswith("first.") for piece in found)


@pytest.mark.parametrize("lead", [2, 4, 6])
def test_a_fence_that_fits_is_whole(lead: int) -> None:
    code = "```python\n" + "\n".join(f"print({number})  # step {number}." for number in range(25)) + "\n```"
    assert len(code) < MOST
    found = pieces(" ".join(map(sentence, range(lead))) + f"\n\n{code}\n\n" + paragraphs(3))
    assert sum(code in piece for piece in found) == 1


def test_a_fence_that_does_not_fit_is_cut_between_lines() -> None:
    lines = [f"row {number} of the table, which is long enough to fill the code block" for number in range(60)]
    found = pieces("```\n" + "\n".join(lines) + "\n```")
    assert [line for piece in found for line in piece.splitlines() if line.startswith("row")] == lines


def test_the_spans_are_of_the_text_as_it_is_written() -> None:
    note = note_of("---\nname: é\n---\r\n" + paragraphs(6).replace("\n", "\r\n").replace("net", "🕸️net"))
    for chunk in chunks_of(note):
        assert chunk.span.of(note.text).startswith("On day")
        assert embedded_text(note, chunk.span) == f"é\n\n{chunk.span.of(note.text)}"


def test_text_without_any_blank_is_cut_all_the_same_and_no_sign_is_torn() -> None:
    family = "👩\u200d👩\u200d👧"
    found = pieces(family * 400)
    assert all(len(piece) <= MOST and piece == family * (len(piece) // 5) for piece in found)
    assert all(len(piece) <= MOST for piece in pieces("夜" * 3000))


def test_an_edit_touches_only_the_chunks_around_it() -> None:
    parts = paragraphs(60).split("\n\n")
    before = {chunk.hash for chunk in chunks_of(note_of(HEAD + "\n\n".join(parts)))}
    touched = []
    for at in range(5, 55, 5):
        edited = [*parts[:at], parts[at].replace("holes", "large holes, mostly at the lower edge"), *parts[at + 1 :]]
        after = chunks_of(note_of(HEAD + "\n\n".join(edited)))
        touched.append(len({chunk.hash for chunk in after} - before))
    assert len(before) > 30
    assert sum(touched) / len(touched) <= 4, touched


def test_the_name_is_part_of_what_is_embedded() -> None:
    one, two = (chunks_of(note_of(f"---\nname: {name}\n---\n{paragraphs(6)}")) for name in "ab")
    assert not {chunk.hash for chunk in one} & {chunk.hash for chunk in two}


def test_a_row_tells_its_note_whatever_the_note_is_called() -> None:
    hash = chunks_of(note_of(paragraphs(6)))[0].hash
    assert owner_of(row_id("note/a#b #c", hash)) == "note/a#b #c"


def test_a_version_of_a_note_is_cut_once() -> None:
    chunker, note = Chunker(), note_of(HEAD + paragraphs(6))
    assert chunker.of(note) is chunker.of(note)
    assert Chunker(enabled=False).of(note) == ()


@given(
    st.lists(
        st.sampled_from(
            ["# h\n", "\n\n", "word ", "end. ", "- i\n", "```\n", "> q\n", "[[a b]]", "é🕸", "\r\n", "x" * 300]
        )
    )
)
def test_any_text_is_covered_in_order_without_overlap(parts: list[str]) -> None:
    note = note_of("".join(parts) * 3)
    at = 0
    for chunk in chunks_of(note):
        assert 0 < chunk.span.end - chunk.span.start <= MOST
        assert note.text[at : chunk.span.start].strip() == ""
        at = chunk.span.end
    assert at == 0 or note.text[at:].strip() == ""


@pytest.mark.parametrize(
    "unit", [".", ". ", '."', "\n", "- a\n", "# a\n", "```\n", "a ", "[[a]]", " ", "> - # a\n", "é"]
)
def test_the_time_grows_with_the_text(unit: str) -> None:
    def work(size: int) -> object:
        return chunks_of(note_of(unit * size + "x"))

    assert growth(work, 5_000 // len(unit)) < 8
