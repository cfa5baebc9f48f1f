"""How a text says that something is over or different now: English, German, Spanish, Chinese; folded."""

from __future__ import annotations

import re

from memory_lsp.core.claim_words import words_of

# How a text says what it leaves for what: each pattern's group holds the name of the old thing.
LEFT = tuple(re.compile(pattern) for pattern in (
    r"\b(?:switched|moved|migrated|changed|ported|converted|went) from (.+?) to ",
    r"\bvon (?:der |dem |den )?(.+?) (?:auf|zu) .+ (?:umgestiegen|umgezogen|gewechselt|migriert)\b",
    r"\b(?:migr\w+|cambi\w+|pas[oa]\w*) de (.+?) a ",
    r"\breplac(?:ed|es|ing) (.+?) (?:by|with) ",
    r"\A(.+?) (?:was|were|is|are|has been|have been) replaced (?:by|with) ",
    r"\b(?:takes?|took|taken) the place of (.+)",
))  # fmt: skip
# How a text names what is over, all of it. What "is removed" may be so each time; what "is abolished" is gone.
ENDED = tuple(re.compile(pattern) for pattern in (
    r"\A(.+?) (?:was|were|is|are|has been|have been) (?:abolished|discontinued|scrapped|deprecated|retired|abandoned|"
    r"phased out|decommissioned|given up)\b",
    r"\A(.+?) (?:was|were|has been|have been) (?:cancell?ed|deleted|removed|dropped|shut down|switched off|turned off|"
    r"withdrawn)\b",
    r"\b(?:stopped|gave up|given up|did away with|got rid of|phased out|scrapped|abolished) (.+)",
    r"\bused to (?!be\b)(.+)",
    r"\A(.+?) (?:wurde|wurden|ist|sind) (?:\w+ ){0,2}?(?:abgeschafft|eingestellt|aufgehoben|gestrichen|abgeschaltet)\b",
    r"\A(.+?) (?:entfallt|entfallen)\b",
    r"\A(.+?) (?:fue|fueron|ha sido|han sido) (?:eliminad|retirad|cancelad|suspendid|abolid)[oa]s?\b",
    r"\A(.+?)已?(?:被)?(?:取消|废除|停用|弃用)",
))  # fmt: skip
# A thing that only the sentence before names.
POINTING = re.compile(r"(?:the \w+ of )?(?:this|these|that|those|such|it|they)\b")
# How a text names what is over: each pattern's group holds the name of the old thing.
OVER = tuple(re.compile(pattern) for pattern in (
    r"\b(?:has|have) (?:replaced|superseded|succeeded) (.+)",
    r"\b(?:replaces|supersedes|succeeds|replacing) (.+)",
    r"\b(?:no longer|not any ?more|nicht mehr|ya no) (.+)",
    r"\b(?:instead of|rather than|in place of|statt|anstatt|en vez de|en lugar de) (.+)",
    r"\b(?:raised|lowered|reduced|extended|shortened|put off|postponed) from (.+?) to ",
    r"\bwurden? .*?\bvon (.+?) auf ",
    r"\b(?:up|down) from (.+)",
    r"\b(?:taken|takes?|took) over .+ from (.+)",
    r"\b(?:before it was|previously|formerly|until then|it used to be|fruher|vorher|antes era) (.+)",
    r"\bforget (.+)",
    r"\A(.+?) (?:was|were|has been|have been) (?:removed|abandoned|retired|dropped|converted|put off|replaced|"
    r"superseded)\b",
    r"\A(.+?) (?:is|are) (?:history|gone|void|retired|abandoned|superseded)\b",
    r"\A(.+?) (?:used to be|was the first|has left|moved to another|has ended)\b",
    r"\bvon (?:der |dem |den )?(.+?) ubernommen\b",
    r"\by no (.+)",
    r"从(.+?)改为", r"(.+?)不再", r"不再(.+)",
))  # fmt: skip
PREFERENCE = re.compile(r"\b(?:instead of|rather than|in place of|statt|anstatt|en vez de|en lugar de|y no)\b")
# What says that something is different now; without it, "instead of" is a matter of taste.
CHANGED = re.compile(
    r"\b(?:since|as of|now|from now on|from \w+ on|switched|new|any ?more|today|changed|seit|ab sofort|nur noch|jetzt|"
    r"ahora|desde)\b|改为|现在|起"
)
# What says that a number or a date is another one now.
MOVED = re.compile(
    r"\b(?:extended|raised|lowered|enlarged|reduced|shortened|lengthened|increased|decreased|put off|postponed|moved|"
    r"brought forward|pushed back|rescheduled|shifted)(?: \w+){0,3} to\b|\b(?:is|are) now\b|"
    r"\bauf .+(?:verlangert|verkurzt|erhoht|gesenkt)\b|"
    r"\b(?:ampli|reduci)(?:ado|ada|do|da) a\b|改为|现在"
)
CLAUSE = re.compile(r"[,;:.](?!\d)|[，；。：]|\s-\s")
# Where the name of the old thing ends; what is wholly over is named with its where and how.
STOP = re.compile(r"[,;:.。，；(]|\b(?:as|since|because|sino|sondern)\b")
END = re.compile(r"[,;:.。，；(]|\b(?:for|in|to|as|since|by|sino|sondern)\b")
# The words of `MOVED`, which are of no subject.
MOVING = words_of("""
extended raised lowered enlarged reduced shortened lengthened increased decreased put postponed moved brought forward
pushed back rescheduled shifted
""")
# What only says that it is so now.
MARKERS = words_of(
    "now today currently jetzt heute ahora hoy from since as of on the a an our der die das el la los las"
)
