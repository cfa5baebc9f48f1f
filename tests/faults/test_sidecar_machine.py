"""Two writers, compactions, crashes, torn tails and other programs, in any order, against a plain dict."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from unittest import mock

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from memory_lsp.sidecar import Row, Sidecar
from sidecar_help import DIMS, MODEL, FaultyFiles, Stopped, applied, row, stored, told
from sidecar_pair import write_pair

IDS = st.sampled_from([f"n{i}" for i in range(5)])
TEXTS = st.sampled_from([f"text {i}" for i in range(4)])
ROWS = st.lists(st.builds(row, IDS, TEXTS), max_size=3, unique_by=lambda each: each.id)
REMOVES = st.lists(IDS, max_size=2, unique=True)
WHO = st.integers(0, 1)


class SidecarMachine(RuleBasedStateMachine):
    """`state` is what the disk must hold, `recent` what the journal puts.

    The journal is `stray` once another program replaced the snapshot (by rows of `theirs`) that it extends.
    """

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.folder = self.root / ".graph"
        self.state: dict[str, str] = {}
        self.recent: dict[str, str] = {}
        self.stray = False
        self.theirs: frozenset[str] = frozenset()
        self.serial = 0
        self.files = [FaultyFiles(), FaultyFiles()]
        self.writers = [self._open(0), self._open(1)]
        self.mirrors: list[dict[str, str]] = [{}, {}]
        # No other process is in the middle of its renames here: the second look need not wait for it.
        self.pause = mock.patch("memory_lsp.sidecar.disk._PAUSE", 0)
        self.pause.start()

    def teardown(self) -> None:
        self.pause.stop()
        shutil.rmtree(self.root)

    def _open(self, who: int) -> Sidecar:
        return Sidecar(self.folder, MODEL, files=self.files[who])

    def _attached(self) -> None:
        """Take note that a writer saw to it that the journal extends the snapshot."""
        if self.stray:
            self.recent = {note_id: digest for note_id, digest in self.recent.items() if note_id not in self.theirs}
            self.stray = False

    def _note(self, puts: list[Row], removes: list[str]) -> None:
        self._attached()
        self.state = applied(self.state, puts, removes)
        self.recent = applied(self.recent, puts, removes)

    @rule(who=WHO, puts=ROWS, removes=REMOVES)
    def append(self, who: int, puts: list[Row], removes: list[str]) -> None:
        anything = self._anything()
        self.writers[who].append(puts, removes)
        if puts or (removes and anything):
            self._note(puts, removes)
        self.mirrors[who] = applied(self.mirrors[who], puts, removes)

    def _anything(self) -> bool:
        return any((self.folder / name).exists() for name in ("journal", "embeddings.bin", "meta.json"))

    @rule(who=WHO)
    def refresh(self, who: int) -> None:
        told(self.writers[who], self.mirrors[who])
        assert self.mirrors[who] == self.state == dict(self.writers[who].on_disk)
        assert not self.writers[who].refresh()

    @rule(who=WHO)
    def load(self, who: int) -> None:
        rows = self.writers[who].load().rows
        self.mirrors[who] = {note_id: rows[note_id].hash for note_id in rows}
        assert self.mirrors[who] == self.state

    @rule(who=WHO, order=st.lists(IDS, unique=True, max_size=3))
    def compact(self, who: int, order: list[str]) -> None:
        if self.writers[who].compact(order):
            self.recent, self.stray = {}, False

    @rule(who=WHO, ids=st.lists(IDS, min_size=1, max_size=2, unique=True))
    def purge(self, who: int, ids: list[str]) -> None:
        self.writers[who].purge(ids)
        if any(note_id in self.state for note_id in ids):
            self.recent, self.stray = {}, False
        self.state = applied(self.state, [], ids)
        self.mirrors[who] = applied(self.mirrors[who], [], ids)
        self._reread_recent()

    def _reread_recent(self) -> None:
        """A purge may or may not have had something to do: ask the files what is in the journal."""
        journal = (self.folder / "journal").read_bytes() if (self.folder / "journal").exists() else b""
        self.recent = {note_id: digest for note_id, digest in self.recent.items() if digest.encode() in journal}

    @rule(who=WHO, puts=ROWS, fail_at=st.integers(0, 9), compact=st.booleans())
    def crash(self, who: int, puts: list[Row], fail_at: int, compact: bool) -> None:
        """Kill a writer at one of its calls; what it was about is there or not, as a prefix."""
        self.files[who].arm(fail_at, None)
        attempted = puts if not compact else []
        try:
            if compact:
                self.writers[who].compact()
            else:
                self.writers[who].append(puts)
        except Stopped:
            pass
        self.files[who].disarm()
        self.files[who] = FaultyFiles()
        self.writers[who] = self._open(who)
        found = stored(self.folder)
        allowed = [applied(self.state, attempted[:i], []) for i in range(len(attempted) + 1)]
        assert found in allowed
        applied_rows = attempted[: allowed.index(found)]
        # Where the crash came, nobody but the files can say what is still in the journal only: have it settled.
        self.writers[who].append([row("settled")])
        self.writers[who].compact()
        self.state = applied(self.state, [*applied_rows, row("settled")], [])
        self.recent, self.stray, self.mirrors[who] = {}, False, {}
        self.load(who)

    @precondition(lambda self: (self.folder / "journal").exists() and not self.stray)
    @rule(junk=st.binary(min_size=1, max_size=40))
    def torn_tail(self, junk: bytes) -> None:
        with (self.folder / "journal").open("ab") as file:
            file.write(junk)

    @rule(rows=ROWS)
    def another_program_writes(self, rows: list[Row]) -> None:
        self.serial += 1
        write_pair(self.folder, rows, DIMS, serial=self.serial)
        self.theirs = frozenset(each.id for each in rows)
        self.stray = True
        self.state = applied(self.recent, rows, [])

    @rule()
    def folder_deleted(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.state, self.recent, self.stray = {}, {}, False

    @invariant()
    def a_newcomer_sees_the_state(self) -> None:
        assert stored(self.folder) == self.state


SidecarMachine.TestCase.settings = settings(
    max_examples=60, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
test_any_order_of_events = SidecarMachine.TestCase
