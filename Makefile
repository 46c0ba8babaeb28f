# Every target does its own set-up: a virtual environment in .venv with pinned dependencies.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
LOCK := requirements.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test lint bench clean help

help:
	@echo "make demo    the two tori collisions, with one page of pictures (demo.html)"
	@echo "make test    lint, types and tests"
	@echo "make bench   benchmarks, with their peers beside them"
	@echo "make clean   remove everything that was made here"

$(VENV)/ready: pyproject.toml $(LOCK)
	@echo "setting up $(VENV) (once; a minute or so)"
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	@$(PY) -m pip install --quiet --requirement $(LOCK)
	@$(PY) -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(VENV)/ready
	$(PY) -m collide --demo --html demo.html

lint: $(VENV)/ready
	$(PY) -m ruff check .
	$(PY) -m mypy

test: lint
	$(PY) -m pytest

bench: $(VENV)/ready
	$(PY) -m pip install --quiet crival==0.2.1
	$(PY) -m tests.benchmarks

clean:
	rm -rf $(VENV) demo.html build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
