# Every target does its own set-up: a virtual environment in .venv with pinned dependencies.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
LOCK := requirements.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test slow nightly durations wheel pythons lint fuzz fresh sampled parts arm budgets bench gallery notebook docs clean help

help:
	@echo "make demo      the two tori collisions, with one page of pictures (demo.html)"
	@echo "make test      lint, types and tests"
	@echo "make slow      the tests that take longest"
	@echo "make nightly   all that make test leaves out: slow tests, fuzz, fresh, sampled, parts, arm, docs, demo, the wheel, other Pythons"
	@echo "make durations measures all tests and makes the list of slow ones (tests/slow.txt) from that"
	@echo "make fuzz      asks random scenes in different ways whose answers must agree (MINUTES=10)"
	@echo "make fresh     new questions in one long process and in fresh ones that interpret (QUESTIONS=10000)"
	@echo "make sampled   random assemblies against dense samples (COUNT=300 of each kind; KINDS=kept BUDGET=20)"
	@echo "make arm       kernels for AArch64 under QEMU's user mode, whose bits must be those of this processor"
	@echo "make parts     random parts made by OpenCASCADE (extra cad), read and compared with it (MADE=200)"
	@echo "make budgets   random questions with random budgets, and those that return latest (MINUTES=10; ARGUMENTS=--interrupt)"
	@echo "make bench     benchmarks, with their peers beside them"
	@echo "make gallery   a contact sheet of every shape, operator and motion (build/gallery; STEP=folder: also of the parts in STEP files)"
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

durations: $(VENV)/ready
	-$(PY) -m pytest -n auto --dist worksteal --junitxml build/durations.xml
	$(PY) -m tests.slow build/durations.xml

# Each part runs, also where one before it failed; the end says which did. PYTHONS: further versions, where they are installed.
PARTS := slow fuzz fresh sampled parts arm docs demo wheel pythons
nightly: $(VENV)/ready
	@failed=; for part in $(PARTS); do $(MAKE) $$part || failed="$$failed $$part"; done; \
	  test -z "$$failed" || { echo "failed:$$failed"; exit 1; }

wheel: $(VENV)/ready
	rm -rf build/wheel && $(PY) -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheel .
	$(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/python -m pip install --quiet build/wheel/*.whl
	cd build/wheel && venv/bin/collide tori-crossed

PYTHONS ?= $(filter-out $(notdir $(PYTHON)),$(foreach v,3.11 3.12 3.13,$(if $(shell python$(v) --version 2>/dev/null),python$(v))))
pythons:
	@for version in $(PYTHONS); do \
	  $$version -m venv build/$$version && build/$$version/bin/python -m pip install --quiet ".[tests]" && \
	  build/$$version/bin/python -m tests.golden || exit 1; done

MADE ?= 200
parts: $(VENV)/ready
	$(PY) -m tests.random_parts --count $(MADE)

arm: $(VENV)/ready
	$(PY) -m tests.arm

MINUTES ?= 10
fuzz: $(VENV)/ready
	$(PY) -m tests.ways --minutes $(MINUTES)

QUESTIONS ?= 10000
fresh: $(VENV)/ready
	$(PY) -m tests.fresh --count $(QUESTIONS)

COUNT ?= 300
BUDGET ?= 60
KINDS ?=
sampled: $(VENV)/ready
	$(PY) -m tests.sampled --count $(COUNT) --budget $(BUDGET) $(KINDS)

ARGUMENTS ?=
budgets: $(VENV)/ready
	$(PY) -m tests.budgets --minutes $(MINUTES) $(ARGUMENTS)

bench: $(VENV)/ready
	$(PY) -m pip install --quiet crival==0.2.1 ipctk==1.6.1 coal==3.0.3 python-fcl==0.7.0.11 trimesh==5.2.0 embreex==4.4.0.post1 \
	  codac==2.1.2 heyoka==7.13.2 cadquery-ocp-novtk==8.0.1.1.0 distributed==2026.8.0 joblib==1.6.0
	$(PY) -m tests.benchmarks

gallery: $(VENV)/ready
	$(PY) docs/gallery.py build/gallery $(STEP)

notebook: $(VENV)/ready
	$(PY) -m pip install --quiet "jupyterlab>=4" "nbclient>=0.10" "ipywidgets>=8"
	$(PY) -m jupyterlab notebooks

docs: $(VENV)/ready
	$(PY) -m pip install --quiet mkdocs==1.6.1 mkdocs-material==9.8.1 mkdocstrings==1.0.8 mkdocstrings-python==2.0.11 latex2mathml==3.81.1 "ipywidgets>=8"
	$(PY) docs/build.py $(FAST)
	$(PY) -m mkdocs build --quiet --strict --config-file docs/mkdocs.yml

clean:
	rm -rf $(VENV) demo.html build site dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
