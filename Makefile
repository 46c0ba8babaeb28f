# Every target does its own set-up: a virtual environment in .venv with pinned dependencies.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
LOCK := requirements.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test slow lint fuzz sampled bench gallery notebook docs clean help

help:
	@echo "make demo      the two tori collisions, with one page of pictures (demo.html)"
	@echo "make test      lint, types and tests"
	@echo "make slow      the tests that take longest"
	@echo "make fuzz      asks random scenes in different ways whose answers must agree (MINUTES=10)"
	@echo "make sampled   random assemblies against dense samples (COUNT=300 of each kind; KINDS=kept BUDGET=20)"
	@echo "make bench     benchmarks, with their peers beside them"
	@echo "make gallery   a contact sheet of every shape, operator and motion (build/gallery)"
	@echo "make notebook  JupyterLab on the notebooks, with everything they need"
	@echo "make docs      the documentation, with executed notebooks and reference pages (site; FAST=--fast executes none)"
	@echo "make clean     remove everything that was made here"

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
	$(PY) -m pytest -n auto --dist worksteal -m "not slow"

slow: $(VENV)/ready
	$(PY) -m pytest -n auto --dist worksteal -m slow

MINUTES ?= 10
fuzz: $(VENV)/ready
	$(PY) -m tests.ways --minutes $(MINUTES)

COUNT ?= 300
BUDGET ?= 60
KINDS ?=
sampled: $(VENV)/ready
	$(PY) -m tests.sampled --count $(COUNT) --budget $(BUDGET) $(KINDS)

bench: $(VENV)/ready
	$(PY) -m pip install --quiet crival==0.2.1 ipctk==1.6.1 coal==3.0.3 python-fcl==0.7.0.11 trimesh==5.2.0 embreex==4.4.0.post1 \
	  codac==2.1.2 heyoka==7.13.2 cadquery-ocp-novtk==8.0.1.1.0 distributed==2026.8.0 joblib==1.6.0
	$(PY) -m tests.benchmarks

gallery: $(VENV)/ready
	$(PY) docs/gallery.py build/gallery

notebook: $(VENV)/ready
	$(PY) -m pip install --quiet "jupyterlab>=4" "nbclient>=0.10" "ipywidgets>=8"
	$(PY) -m jupyterlab notebooks

docs: $(VENV)/ready
	$(PY) -m pip install --quiet mkdocs==1.6.1 mkdocs-material==9.8.1 mkdocstrings==1.0.8 mkdocstrings-python==2.0.11 latex2mathml==3.81.1 "ipywidgets>=8"
	$(PY) docs/build.py $(FAST)
	$(PY) -m mkdocs build --quiet --strict --config-file docs/mkdocs.yml

clean:
	rm -rf $(VENV) demo.html build site dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
