# Thin names for the commands of the project; each makes the environment first if needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

ROLE ?= student
PIP := --quiet --disable-pip-version-check
INSTALL := -c constraints.txt -e '.[test]'

# Every command here starts many processes, which without bytecode compile all libraries anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test lab build check lint format bench corpus browser clean

demo: $(READY)
	$(BIN)/python -m examples

test: lint
	-@PYTHONPATH=.:tests $(BIN)/python -m support.browser
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
	$(BIN)/lint-imports --no-cache --no-logo

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/python tests/bench.py

corpus: $(READY)
	$(BIN)/python tests/corpus.py

browser: $(READY)
	PYTHONPATH=.:tests $(BIN)/python -m support.browser

clean:
	rm -rf $(VENV) demo .autograder

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Python 3.11 or newer is needed, $(PYTHON) is older; name another with PYTHON=..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || uv venv --quiet --seed --allow-existing --python $(PYTHON) $(VENV)
	@echo "Installing into $(VENV) ..."
	@PATH="$(BIN):$$PATH"; \
	test -w "$${UV_CACHE_DIR:-$${XDG_CACHE_HOME:-$$HOME}}" || export UV_NO_CACHE=1; \
	command -v uv >/dev/null || python -m pip install $(PIP) -c constraints.txt uv; \
	uv pip install --quiet --python $(BIN)/python $(INSTALL) || { \
		echo "uv does not work here; pip takes its place, and minutes."; \
		python -m pip install $(PIP) $(INSTALL); }
	@touch $(READY)
