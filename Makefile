# memory-lsp. `make demo` shows it, `make test` checks it; both set everything up and are safe to run twice.

PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
# No test may ask a model hub, and a failed download must not wait.
export HF_HUB_OFFLINE := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo test lint types unit test-editors docs bench eval secrets-report fuzz clean

help: ## what there is
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 18

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "memory-lsp needs Python 3.11 or newer; set PYTHON=/path/to/it." >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[onnx]'
	@touch $@

# torch goes first and pinned, so that nothing pulls another build of it (tests/constraints.txt).
$(VENV)/.test: pyproject.toml tests/constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --constraint tests/constraints.txt torch
	$(BIN)/python -m pip install --quiet --constraint tests/constraints.txt --group dev --group models \
		--editable '.[onnx,sentence-transformers]'
	@touch $@ $(VENV)/.demo

demo: $(VENV)/.demo ## install, check the example memory, ask it a question over LSP
	@$(BIN)/python tools/demo.py

test: $(VENV)/.test lint types unit ## everything that must be green

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test
	$(BIN)/mypy

# Two workers, a file at a time; what measures growth runs alone.
unit: $(VENV)/.test
	$(BIN)/python -m pytest -q -n 2 --dist loadfile --ignore tests/benchmarks
	$(BIN)/python -m pytest -q tests/benchmarks

test-editors: $(VENV)/.test ## drive real editors; installs what it needs, one line a check
	tests/editors/run.sh $(BIN)/memory-lsp

docs: $(VENV)/.test ## write the generated pages anew
	$(BIN)/python tools/gen_docs.py
	$(BIN)/python tools/gen_vscode_settings.py

bench: $(VENV)/.test ## measure; docs/benchmarks.md holds the results
	$(BIN)/python tests/benchmarks/bench_server.py
	$(BIN)/python tests/benchmarks/bench_save.py
	$(BIN)/python tests/benchmarks/bench_sidecar.py

eval: $(VENV)/.test ## compare the rankers on the labelled memory of tests/eval
	$(BIN)/python tests/eval/compare.py --kinds

secrets-report: $(VENV)/.test ## precision and recall of the secret rules, with every miss
	$(BIN)/python tests/secrets/report.py

fuzz: $(VENV)/.test ## ten minutes of damaged notes and messages
	$(BIN)/python tests/faults/fuzz.py

clean: ## remove what make made
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis
