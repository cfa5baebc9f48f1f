"""Fetches the timetable feed of the shipping company at night."""

from typing import Protocol


class Database(Protocol):
    def query(self, text: str) -> list[tuple[int]]: ...


def check_departures(departures: list[str]) -> None:
    # The import must refuse a feed with too few departures, or with a harbour nobody knows.
    if len(departures) < 200:
        raise ValueError("the feed holds too few departures; the old plan stays")


def test_import_runs_against_a_real_database(postgres: Database) -> None:
    # Tests of the importer run against a real Postgres database, never a mock.
    assert postgres.query("select count(*) from departures") == [(0,)]
