"""Finding secrets costs time in proportion to the text, also for text made to be slow."""

from __future__ import annotations

import random
import string
import time
from typing import TYPE_CHECKING

import pytest
from memory_lsp.core.secrets import find_secrets

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 5_000
_ALPHABET = string.ascii_letters + string.digits + "+/"


def _base64(size: int) -> str:
    return "".join(random.Random(7).choices(_ALPHABET, k=size))


def _repeat(unit: str) -> Callable[[int], str]:
    return lambda size: unit * (size // len(unit))


HOSTILE: dict[str, Callable[[int], str]] = {
    "one line of base64": _base64,
    "an assigned line of base64": lambda size: "secret=" + _base64(size),
    "one letter": _repeat("a"),
    "spaces behind a name": lambda size: "password" + " " * size,
    "names in one word": _repeat("key"),
    "names as words": _repeat("password "),
    "names that assign names": _repeat("token="),
    "names with brackets": _repeat("key("),
    "words behind a name": _repeat("token for the a b c d e f g h "),
    "quotes": _repeat("pw \"'`"),
    "foreign names": _repeat("密码"),
    "URL beginnings": _repeat("://a:"),
    "commands without an end": _repeat("curl -u "),
    "keys that never end": _repeat("-----BEGIN RSA PRIVATE KEY-----\n"),
    "token parts": _repeat("eyJaaaaaaaaaaa."),
    "token prefixes": _repeat("xoxb-1-"),
    "token middles": _repeat("aaa1Q~"),
    "hexadecimal groups": _repeat("0" * 32 + "-"),
    "headers": _repeat("authorization: "),
    "pairs": _repeat("login: a "),
}


def _seconds(text: str) -> float:
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        find_secrets(text)
        best = min(best, time.process_time() - begin)
    return best


@pytest.mark.parametrize("name", HOSTILE)
def test_four_times_the_text_costs_about_four_times_the_time(name: str) -> None:
    # 2.6 for each doubling; process time, and the best of a few tries, because machines are shared.
    build = HOSTILE[name]
    ratios = []
    for _ in range(4):
        ratios.append(_seconds(build(4 * SIZE)) / max(_seconds(build(SIZE)), 1e-4))
        if ratios[-1] < 2.6**2:
            return
    pytest.fail(f"time grew by {min(ratios):.1f} for 4 times the text")


def test_clean_text_costs_little_beside_text_full_of_names() -> None:
    # The literals come first: ordinary prose must not pay for the patterns.
    prose = "The parser reads one note at a time and links it to its neighbours in the graph.\n" * 500
    named = "The token in the header is checked, then the key is looked up by the auth code.\n" * 500
    assert _seconds(prose) < _seconds(named) / 2


def test_a_name_with_nothing_behind_it_that_could_be_a_value_costs_little() -> None:
    assert _seconds("token=" * 3_000) < _seconds("token=7" * 3_000) / 2
