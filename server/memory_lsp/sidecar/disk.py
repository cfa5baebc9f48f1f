"""One process's hold on the folder: attach to the journal, extend it, look at what others wrote."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from memory_lsp.errors import SidecarError
from memory_lsp.sidecar.journal import JOURNAL, Header, decode_header, decode_records
from memory_lsp.sidecar.reading import read_disk, read_stamps
from memory_lsp.sidecar.rows import Changes
from memory_lsp.sidecar.snapshot_files import META, digest_of
from memory_lsp.sidecar.view import View
from memory_lsp.sidecar.writing import repair

if TYPE_CHECKING:
    from pathlib import Path

    from memory_lsp.sidecar.files import Files
    from memory_lsp.sidecar.reading import DiskState, Stamps

_LOOKS = 4
_PAUSE = 0.005
_HEAD_BYTES = 4096


class Disk:
    """The folder as this process sees it. Not locked: `attach` and `extend` need the process lock, all need a mutex."""

    def __init__(self, folder: Path, model_id: str, files: Files) -> None:
        self.folder = folder
        self.model_id = model_id
        self.files = files
        self.view = View()

    def stamps(self) -> Stamps:
        """Stat the files."""
        return read_stamps(self.folder, self.files)

    def anything(self) -> bool:
        """Tell whether any file with rows is there."""
        stamps = self.stamps()
        return any((stamps.vectors, stamps.meta, stamps.journal, stamps.new_journal))

    def read(self) -> DiskState:
        """Read everything, looking again where another process may be in the middle of its renames."""
        for look in range(1, _LOOKS + 1):
            try:
                state = read_disk(self.folder, self.model_id, self.files)
            except FileNotFoundError:
                # A file that was there a moment ago: someone is renaming, or deleting all.
                if look == _LOOKS:
                    raise
            else:
                if look == _LOOKS or not state.doubtful:
                    break
            time.sleep(_PAUSE)
        return state

    def attach(self, dims: int | None, *, anew: bool = False) -> bool:
        """See that the journal is whole and extends the snapshot; False when nothing is there to extend."""
        if (anew or not self._attached(dims)) and not self._reattach(dims):
            return False
        view = self.view
        path = self.folder / JOURNAL
        data = self.files.read(path, view.end)
        if data:
            view.quiet = False
            _, good = decode_records(data, view.head, view.width)
            view.end += good
            if good < len(data):
                # A writer died within its write: behind that, our record would never be read.
                self.files.truncate(path, view.end)
        return True

    def extend(self, data: bytes) -> None:
        """Write records behind the last good one; on failure the journal stays as it was."""
        path, end = self.folder / JOURNAL, self.view.end
        try:
            self.files.write_at(path, end, data)
        except OSError:
            # What did reach the disk is cut off now, or by the next append.
            with suppress(OSError):
                self.files.truncate(path, end)
            raise

    def look(self) -> Changes:
        """Return what others wrote since the last look."""
        view, stamps = self.view, self.stamps()
        if view.quiet and stamps == view.stamps and not (view.young() and not self._same_snapshot()):
            return Changes()
        if view.seen >= 0 and stamps.journal is not None and stamps.new_journal is None and self._follow(stamps):
            data = self.files.read(self.folder / JOURNAL, view.seen)
            records, good = decode_records(data, view.head, view.width)
            return view.grown(records, view.seen + good, stamps)
        return view.reread(self.read())

    def _attached(self, dims: int | None) -> bool:
        view, stamps = self.view, self.stamps()
        if view.header is None or view.stamps is None or stamps.journal is None or stamps.new_journal is not None:
            return False
        if (stamps.meta, stamps.vectors) != (view.stamps.meta, view.stamps.vectors) or stamps.journal.size < view.end:
            return False
        if dims not in (None, view.width):
            return False
        return self.files.read(self.folder / JOURNAL, 0, len(view.head)) == view.head

    def _reattach(self, dims: int | None) -> bool:
        state = self.read()
        width = state.dims or dims
        if width is None:
            return False
        if dims not in (None, width):
            raise SidecarError(
                f"The sidecar in {self.folder} holds vectors of {width} numbers, these have {dims}: the model changed "
                "under one name. Rebuild it with `memory-lsp rebuild`."
            )
        header, head, end = repair(self.folder, self.model_id, self.files, state, width)
        self.view.attach(header, head, end, self.stamps(), read=state.stamps)
        return True

    def _follow(self, stamps: Stamps) -> bool:
        """Tell whether the journal is ours, or one that replaced ours and left nothing untold behind."""
        view = self.view
        found = decode_header(self.files.read(self.folder / JOURNAL, 0, _HEAD_BYTES))
        if found is None or found[0].model != self.model_id:
            return False
        header, head = found
        if view.header is None:
            if header.base != view.base or not self._untouched(stamps):
                return False
            self.view.begin(header, head)
            return True
        if head == view.head:
            return self._untouched(stamps)
        ours = view.header.generation
        return header.parent == ours and self._names_snapshot(header) and view.follow(header, head)

    def _untouched(self, stamps: Stamps) -> bool:
        before = self.view.stamps
        if before is not None and (stamps.meta, stamps.vectors) == (before.meta, before.vectors):
            return True
        return self._same_snapshot()

    def _same_snapshot(self) -> bool:
        return bool(self.view.base) and digest_of(self.folder / META, self.files) == self.view.base

    def _names_snapshot(self, header: Header) -> bool:
        return bool(header.base) and digest_of(self.folder / META, self.files) == header.base
