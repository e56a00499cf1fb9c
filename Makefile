# Thin names for the commands of the project; each makes the environment first if needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

ROLE ?= student

.PHONY: demo test lab build check lint format bench corpus clean

demo: $(READY)
	$(BIN)/autograder demo

test: lint
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

lab: $(READY)
	@$(BIN)/autograder lab --role $(ROLE)

build: $(READY)
	$(BIN)/autograder build

check: $(READY)
	$(BIN)/autograder check

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/python tests/bench.py

corpus: $(READY)
	$(BIN)/python tests/corpus.py

clean:
	rm -rf $(VENV) demo .autograder

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Python 3.11 or newer is needed, $(PYTHON) is older; name another with PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]'
	@touch $(READY)
