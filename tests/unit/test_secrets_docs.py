"""The table of rules in docs/secrets.md is the rules, and its examples behave as it says."""

from __future__ import annotations

import re
from pathlib import Path

from memory_lsp.core.secrets import RULES, find_secrets

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "secrets.md").read_text(encoding="utf-8")


def test_the_table_lists_every_rule_as_it_is() -> None:
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| (.+?) \| (.+?) \|$", PAGE, re.MULTILINE)
    assert rows == [(rule.id, rule.name, rule.advice or "–") for rule in RULES]


def test_the_examples_of_what_is_no_secret_are_none() -> None:
    section = PAGE.partition("## What is not")[2].partition("A **development default**")[0]
    examples = re.findall(r"`([^`\n]+)`", section)
    assert len(examples) > 8
    assert not [example for example in examples if find_secrets(f"password: {example}")]


def test_the_page_itself_holds_no_secret() -> None:
    assert not [secret for secret in find_secrets(PAGE) if not secret.development]
