"""What every test shares: the helpers beside this file can be imported, and hypothesis does not hunt for flakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from tiny_judge import make_judge

if TYPE_CHECKING:
    from pathlib import Path

settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")


@pytest.fixture(scope="session")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a cross-encoder that knows quiet and loud for opposites."""
    return make_judge(tmp_path_factory.mktemp("judges") / "tiny", ["entailment", "CONTRADICTION", "Neutral"])
