"""The log: where an error came from, and nothing that it quotes."""

from __future__ import annotations

import io
import logging

from memory_lsp.discreet import DiscreetFormatter, describe_crash, without_secrets
from memory_lsp.errors import SidecarError

# Put together here, so that no scanner takes this file for a leak.
TOKEN = "ghp_" + "Zq8Rk2Vw5T" * 3 + "nB3xYd"
TEXT = "a sentence of somebody's note"


def crash() -> BaseException:
    try:
        try:
            raise KeyError(TEXT, TOKEN)
        except KeyError as error:
            raise ValueError(TEXT) from error
    except ValueError as error:
        return error


def logged(write: str, error: BaseException | None = None) -> str:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(DiscreetFormatter("%(levelname)s %(message)s"))
    record = logging.LogRecord("x", logging.ERROR, __file__, 1, write, (), (type(error), error, error.__traceback__)
                               if error else None)  # fmt: skip
    handler.emit(record)
    return stream.getvalue()


def test_an_error_is_told_by_place_and_kind_without_its_message() -> None:
    told = describe_crash(crash())
    assert "in crash" in told
    assert told.index("ValueError") < told.index("KeyError")
    assert TEXT not in told
    assert TOKEN not in told
    assert logged("it failed", crash()).startswith("ERROR it failed\n")
    assert TEXT not in logged("it failed", crash())


def test_what_our_own_errors_say_is_kept_but_for_secrets() -> None:
    told = describe_crash(SidecarError(f"The disk is full at {TOKEN}."))
    assert "The disk is full at ${REDACTED_GITHUB_TOKEN}." in told


def test_a_line_of_the_log_has_no_secret() -> None:
    assert logged(f"note {TOKEN} is gone") == "ERROR note ${REDACTED_GITHUB_TOKEN} is gone\n"
    assert without_secrets("note deploy is gone") == "note deploy is gone"


def test_errors_that_cause_each_other_end() -> None:
    one, two = ValueError(), KeyError()
    one.__cause__, two.__cause__ = two, one
    assert describe_crash(one).count("ValueError") == 1
