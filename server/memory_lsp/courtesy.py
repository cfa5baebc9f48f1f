"""Background work that steps aside while requests are answered.

Python runs one thread at a time, and a request that calls numpy gives its turn away dozens of times. Each time it waits
for a worker thread that computes, so one such thread makes a question take many times as long.
"""

from __future__ import annotations

import time

# A request that came, or was answered, so many seconds ago counts: the next one is likely to follow.
_RECENT = 0.05
_STEP = 0.002
# However many requests come, a piece of background work waits no longer than this.
_MOST = 0.05


class Courtesy:
    """When a request was last at work; the event loop says so, and any thread may ask."""

    def __init__(self) -> None:
        self._last = float("-inf")

    def touch(self) -> None:
        """Say that a request came, or was answered."""
        self._last = time.monotonic()

    @property
    def is_due(self) -> bool:
        """Tell whether background work should wait."""
        return time.monotonic() - self._last < _RECENT

    def step_aside(self) -> None:
        """Wait, in a worker thread, for a moment without requests; to be called between small pieces of work."""
        until = time.monotonic() + _MOST
        while self.is_due and time.monotonic() < until:
            time.sleep(_STEP)
