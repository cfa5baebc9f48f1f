"""Words of a text: the common English ones that tell nothing."""

from __future__ import annotations

_COMMON = """
a about above after again all also am an and any are as at be because been before being below between both but by can
could did do does doing done down during each either few for from further get gets go goes had has have having he her
here hers him his how i if in into is it its itself just let like made make makes may me might more most much must my no
nor not now of off on once one only or other our ours out over own per please same shall she should since so some such
than that the their theirs them then there these they this those though through to too two under until up upon us use
used uses using very was we were what when where whether which while who whom whose why will with within without would
yet you your yours
"""

STOP_WORDS = frozenset(_COMMON.split())
