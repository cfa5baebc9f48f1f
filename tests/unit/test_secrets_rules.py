"""Every secret rule finds what it should and leaves alone what it should, by the labelled lines in tests/secrets."""

from __future__ import annotations

import importlib.util
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from memory_lsp.core.secrets import RULES, find_secrets

if TYPE_CHECKING:
    from types import ModuleType

DATA = Path(__file__).resolve().parents[1] / "secrets"


def _report() -> ModuleType:
    spec = importlib.util.spec_from_file_location("secrets_report", DATA / "report.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


report = _report()
LINES = [line for path in sorted(DATA.glob("*.json")) for line in report.load(path)]
POSITIVE: defaultdict[str, list[Any]] = defaultdict(list)
NEGATIVE: defaultdict[str, list[Any]] = defaultdict(list)
for _line in LINES:
    (POSITIVE if _line.is_secret else NEGATIVE)[_line.kind].append(_line)


def test_rule_ids_are_unique_and_plain() -> None:
    ids = [rule.id for rule in RULES]
    assert len(ids) == len(set(ids))
    assert all(rule.id.replace("-", "").isalnum() and rule.id.islower() and rule.name for rule in RULES)


@pytest.mark.parametrize("rule", [rule.id for rule in RULES])
def test_rule_finds_its_lines_and_the_value_alone(rule: str) -> None:
    assert POSITIVE[rule], "a rule needs a line that it finds"
    for line in POSITIVE[rule]:
        found = [(secret.rule, secret.span.of(line.text)) for secret in find_secrets(line.text)]
        assert found == [(rule, line.value)], line.text


@pytest.mark.parametrize("rule", [rule.id for rule in RULES])
def test_rule_leaves_look_alikes_alone(rule: str) -> None:
    assert NEGATIVE[rule], "a rule needs a line that only looks like one it finds"
    for line in NEGATIVE[rule]:
        assert not find_secrets(line.text), line.text


@pytest.mark.parametrize("rule", [rule.id for rule in RULES])
def test_a_rule_switched_off_reports_nothing_and_no_other_takes_over(rule: str) -> None:
    for line in POSITIVE[rule]:
        assert not find_secrets(line.text, disabled={rule}), line.text


def test_clean_lines_are_clean_alone_and_together() -> None:
    texts = [line.text for line in NEGATIVE["clean"]]
    assert not [text for text in texts if find_secrets(text)]
    assert not find_secrets("\n".join(texts))


def test_development_defaults_are_told_apart() -> None:
    for line in NEGATIVE["development"]:
        found = [(secret.span.of(line.text), secret.development) for secret in find_secrets(line.text)]
        assert found == [(line.value, True)], line.text


def test_the_lines_of_all_rules_in_one_text_give_each_value_once() -> None:
    lines = [line for rule in RULES for line in POSITIVE[rule.id]]
    text = "\n\n".join(line.text for line in lines)
    assert [secret.span.of(text) for secret in find_secrets(text)] == [line.value for line in lines]


def test_report_prints_both_figures_and_lists_every_miss(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert report.main([]) == 0
    assert "precision 1.000, recall 1.000" in capsys.readouterr().out
    wrong = tmp_path / "wrong.json"
    wrong.write_text(
        '[{"id": "A", "kind": "k", "is_secret": true, "line": "nothing here"},'
        ' {"id": "B", "kind": "k", "is_secret": false, "line": "pw: Zebra!44{~}17"}]',
        encoding="utf-8",
    )
    assert report.main([str(wrong)]) == 1
    printed = capsys.readouterr().out
    assert "missed A" in printed and "false alarm B" in printed and "recall 0.000" in printed
