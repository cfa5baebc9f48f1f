"""What a model wants in front of a query and of a passage, and how alike unrelated texts look to it.

Models that were trained with prompts lose accuracy without them. A model's own folder knows best (the `prompts` of
sentence-transformers); otherwise its name tells the family, whose model cards say what to put in front.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_lsp.core.vectors import MINILM_BACKGROUND

if TYPE_CHECKING:
    from pathlib import Path

_CONFIG = "config_sentence_transformers.json"
_PASSAGE_NAMES = ("passage", "document", "corpus")
_LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class Prompts:
    """What stands before a query and before a passage, with the blank at its end."""

    query: str = ""
    passage: str = ""


NO_PROMPTS = Prompts()


@dataclass(frozen=True, slots=True)
class _Family:
    """Models of one training: what tells their names, their prompts, the usual cosine of two unrelated texts."""

    name: re.Pattern[str]
    prompts: Prompts
    background: float


_INSTRUCTION = "Represent this sentence for searching relevant passages: "
_TASK = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "


def _family(pattern: str, query: str, passage: str, background: float) -> _Family:
    # A part of a name starts behind anything but a letter or digit: `my-e5_v2` is found, `type5` is not.
    return _Family(re.compile(rf"(?:^|[^a-z0-9])(?:{pattern})"), Prompts(query, passage), background)


# The first that fits counts. The backgrounds are only where calibration starts from.
_FAMILIES = (
    _family(r"(?:multilingual-)?e5[^/]*instruct", _TASK, "", 0.7),
    _family(r"(?:nano)?e5(?![0-9])", "query: ", "passage: ", 0.75),
    _family(r"bge-m3", "", "", 0.4),
    _family(r"bge[^/]*-zh", "为这个句子生成表示以用于检索相关文章：", "", 0.45),
    _family(r"(?:bge|mxbai-embed)", _INSTRUCTION, "", 0.45),
    _family(r"nomic-embed", "search_query: ", "search_document: ", 0.45),
    _family(r"gte", "", "", 0.7),
)
_MINILM = re.compile(r"(?:^|[^a-z0-9])all[-_]minilm[-_]l\d+[-_]v\d")


def prompts_for(name: str, folder: Path | None = None) -> Prompts:
    """Return the prompts of a model, by what its folder says, else by its name."""
    return (folder and _own(folder)) or next((each.prompts for each in _families(name)), NO_PROMPTS)


def background_of(name: str) -> float | None:
    """Return the cosine of two unrelated texts to calibrate from, None for a model whose cosines are the scale."""
    if _MINILM.search(name.lower()):
        return None
    return next((each.background for each in _families(name)), MINILM_BACKGROUND)


def _families(name: str) -> list[_Family]:
    lower = name.lower()
    return [each for each in _FAMILIES if each.name.search(lower)]


def _own(folder: Path) -> Prompts | None:
    """Return the prompts that a folder of sentence-transformers names, None where it names none for queries."""
    try:
        config = json.loads((folder / _CONFIG).read_bytes())
    except (OSError, ValueError):
        return None
    named = config.get("prompts") if isinstance(config, dict) else None
    if not isinstance(named, dict):
        return None
    texts = {str(key): value[:_LONGEST] for key, value in named.items() if isinstance(value, str)}
    if not texts.get("query") and not any(texts.get(name) for name in _PASSAGE_NAMES):
        return None
    return Prompts(texts.get("query", ""), next((texts[name] for name in _PASSAGE_NAMES if name in texts), ""))
