"""Words so common that they tell nothing: English, German, Spanish and French, folded."""

from __future__ import annotations

_ENGLISH = """
a about above after again all also am an and any are as at be because been before being below between both but by can
could did do does doing done down during each either few for from further get gets go goes had has have having he her
here hers him his how i if in into is it its itself just let like made make makes may me might more most much must my no
nor not now of off on once one only or other our ours out over own per please same shall she should since so some such
than that the their theirs them then there these they this those though through to too two under until up upon us use
used uses using very was we were what when where whether which while who whom whose why will with within without would
yet you your yours
"""
_GERMAN = """
aber als am auch auf aus bei beim bin bis das dass dem den der des die dies diese dieser dieses doch du durch ein eine
einem einen einer eines er es fur gibt hat haben ich ihr im ist ja kann kein keine mit muss nach nicht noch nur oder
sein sich sie sind so soll sollen uber um und uns unser vom von vor war warum was welche welcher welches wenn wer
werden wie wir wird wo wurde zu zum zur
"""
_SPANISH = """
al algo como con cual cuales cuando cuanto de del donde dos el ella en entre era es esa ese eso esta este esto estan
fue ha hace hay la las le lo los mas mi muy no nos o para pero por porque que quien se ser si sin sobre son su sus
tambien tiene un una uno unos y ya
"""
_FRENCH = """
au aux avec ce ces cette comme dans de des du elle en est et il ils je la le les leur lui mais ne nous on ou par pas
plus pour qu que quel quelle qui sa se ses son sont sur un une vous
"""

ENGLISH_STOP_WORDS = frozenset(_ENGLISH.split())
STOP_WORDS = frozenset((_ENGLISH + _GERMAN + _SPANISH + _FRENCH).split())
