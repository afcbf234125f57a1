# Everything a newcomer needs: `make demo`, `make studio`, `make test`. All set up .venv by themselves.
PYTHON ?= python3
BIN := .venv/bin
# Made when this is installed in .venv: what tilewright itself needs, the studio, the tools to work on it, the site's.
CORE := .venv/.core
STUDIO := .venv/.studio
DEV := .venv/.dev
DOCS := .venv/.docs
NEURAL := .venv/.neural
COVERAGE := .coverage.json
# slipcover changes bytecode, from which numba compiles: kernels are left out.
COVERED = $(BIN)/python -m slipcover --source src/tilewright,plugins --omit '*/kernels/*' --json --out $(COVERAGE)
INSTALL = $(BIN)/pip install --disable-pip-version-check --constraint constraints.txt --editable
# An extra cannot name a folder of this repository.
PLUGINS = $(wildcard plugins/*/pyproject.toml)

# Tests wait for browsers, servers and other processes, so there are half as many processes more than processors.
PROCESSES := $(shell $(PYTHON) -c "import os; print(min(8, (os.cpu_count() or 1) * 3 // 2))")
PYTEST = -m pytest --numprocesses=$(PROCESSES) --dist=worksteal
# Otherwise each program that a test starts compiles all modules again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo studio test coverage test-gpu test-neural check kernels fuzz kills oldest bench docs refresh stubs clean

demo: $(CORE)
	$(BIN)/python examples/demo.py

studio: $(STUDIO)
	$(BIN)/tilewright studio

test: $(DEV)
	$(BIN)/python tests/tools.py
	$(MAKE) --no-print-directory --jobs=2 check kernels
	$(BIN)/python $(PYTEST)

# The tests once more, a quarter slower, and the fraction of executed lines per package.
coverage: $(DEV) kernels
	$(COVERED) $(PYTEST)
	@$(BIN)/python tools/show_coverage.py $(COVERAGE)

# The kernels for GPUs on this machine's GPU; `make test` runs them in a simulator.
test-gpu: $(DEV)
	TILEWRIGHT_GPU=1 $(BIN)/pytest tests/gpu

# Training and the networks to compare with, which need torch.
test-neural: $(NEURAL)
	TILEWRIGHT_NEURAL=1 $(BIN)/pytest tests/neural

check: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Compiled once, on all processors, and not by every test that comes first.
kernels: $(DEV)
	$(BIN)/tilewright warmup

# New hostile files, folders, recipes, requests and links, FUZZ times as many as in the tests.
FUZZ ?= 110
fuzz: $(DEV)
	TILEWRIGHT_FUZZ=$(FUZZ) $(BIN)/python $(PYTEST) tests/test_fuzz.py tests/test_fuzz_folders.py

# Kills of all kinds of jobs, KILLS of them at new places, after which each job is repeated.
KILLS ?= 300
kills: $(DEV)
	TILEWRIGHT_KILLS=$(KILLS) $(BIN)/python $(PYTEST) tests/test_kills.py

# All goldens with the oldest versions that pyproject.toml allows; the tests make some of them.
oldest: $(DEV)
	TILEWRIGHT_OLDEST=1 $(BIN)/pytest tests/test_wheel.py

bench: $(DEV)
	$(BIN)/python -m bench

# The site. A stale table or picture, a broken link or anchor fails the build.
docs: $(DOCS)
	$(BIN)/python docs/build.py --check
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# The generated parts of the repository: stubs, and the pictures and tables of the pages, or of one page such as
# PAGE=techniques/caves.
refresh: stubs
	$(BIN)/python docs/build.py $(if $(PAGE),--page $(PAGE))

# What editors know of tw.make("caves", ...), from the schemas of all parameters.
stubs: $(DEV)
	$(BIN)/python tools/write_stub.py

# The editable install with the versions that were tested; made again when a requirement changes.
$(CORE): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(INSTALL) .
	@touch $@

$(STUDIO): $(CORE)
	$(INSTALL) ".[studio]"
	@touch $@

$(DEV): $(CORE) $(PLUGINS)
	$(INSTALL) ".[dev]" $(PLUGINS:%/pyproject.toml=--editable ./%)
	@touch $@

$(DOCS): $(CORE) $(PLUGINS)
	$(INSTALL) ".[docs]" $(PLUGINS:%/pyproject.toml=--editable ./%)
	@touch $@

$(NEURAL): $(DEV)
	$(INSTALL) ".[dev,neural]"
	@touch $@

clean:
	rm -rf .venv out dist site .mypy_cache .ruff_cache .pytest_cache
