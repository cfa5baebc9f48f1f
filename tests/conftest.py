"""What every test shares: the helpers beside this file can be imported, and hypothesis does not hunt for flakes."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")
