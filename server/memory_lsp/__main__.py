"""`python -m memory_lsp` is the command `memory-lsp`."""

from __future__ import annotations

import sys

from memory_lsp.cli import main

sys.exit(main())
