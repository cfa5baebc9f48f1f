"""One of several processes on one sidecar: `hammer.py FOLDER NAME STEPS SEED`; prints its own rows as JSON."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from memory_lsp.sidecar import Row, Sidecar
from sidecar_help import MODEL, applied, is_right, row


def main() -> None:
    folder, name, steps = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    random.seed(sys.argv[4])
    sidecar = Sidecar(folder, MODEL, lock_timeout=30.0)
    loaded = sidecar.load()
    mirror = {note_id: loaded.rows[note_id].hash for note_id in loaded.rows}
    mine: dict[str, str] = {}
    for step in range(steps):
        kind = random.random()
        if kind < 0.1:
            sidecar.compact()
        elif kind < 0.3:
            changes = sidecar.refresh()
            if changes.lost or not all(is_right(each) for each in changes.puts):
                raise AssertionError(changes)
            for note_id in changes.removes:
                mirror.pop(note_id, None)
            mirror.update({each.id: each.hash for each in changes.puts})
        else:
            puts: list[Row] = [row(f"{name}{random.randrange(20)}", f"{name} {step}"), row("shared", f"{name} {step}")]
            removes = [f"{name}{random.randrange(20)}"] if kind < 0.5 else []
            removes = [note_id for note_id in removes if note_id != puts[0].id]
            sidecar.append(puts, removes)
            mirror = applied(mirror, puts, removes)
            mine = applied(mine, puts[:1], removes)
        if {note_id: mirror[note_id] for note_id in mirror if note_id.startswith(name)} != mine:
            raise AssertionError("another process touched our rows")
    sidecar.close()
    sys.stdout.write(json.dumps(mine))


if __name__ == "__main__":
    main()
