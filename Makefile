# Two commands on a fresh clone: `make demo` and `make test`. Each builds .venv by itself.
# Without make:  python3 -m venv .venv && .venv/bin/pip install -c constraints.txt -e '.[test]' && .venv/bin/pytest

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
WORKERS ?= 2
# one thread each for BLAS and OpenMP: with more, the workers wait for each other's cores; bytecode is written, since
# rewriting the asserts of all tests takes each worker ten seconds
PYTEST := PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

.PHONY: demo test check bench docs lint clean

demo: .venv/demo.stamp
	$(BIN)/probus study titanic --target Survived --time 2m --out demo

test: lint
	$(PYTEST) --warmup

check: lint
	HYPOTHESIS_PROFILE=quick $(PYTEST) -m "not slow"

bench: .venv/bench.stamp
	$(BIN)/python -m benchmarks

docs: .venv/docs.stamp
	$(BIN)/python -m sphinx -q -b html docs docs/_build
	@echo docs/_build/index.html

lint: .venv/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Probus needs Python 3.11 or newer: make PYTHON=python3.11 …")'
	$(PYTHON) -m venv .venv

.venv/demo.stamp: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) -e .
	@touch $@

.venv/test.stamp: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) -e '.[test]'
	@touch $@

.venv/bench.stamp: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) -e '.[test,bench]'
	@touch $@

.venv/docs.stamp: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) -e '.[docs]'
	@touch $@

clean:
	rm -rf .venv demo build docs/_build docs/api docs/project dist src/*.egg-info .mypy_cache .ruff_cache .pytest_cache
