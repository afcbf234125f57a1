# Everything a newcomer needs: `make demo`, `make studio`, `make test`. All set up .venv by themselves.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.ready

.PHONY: demo studio test check kernels bench docs clean

demo: $(STAMP)
	$(BIN)/python examples/demo.py

studio: $(STAMP)
	$(BIN)/tilewright studio

test: $(STAMP)
	$(BIN)/python tests/tools.py
	$(MAKE) --no-print-directory --jobs=2 check kernels
	$(BIN)/pytest --numprocesses=logical --maxprocesses=8 --dist=worksteal

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Compiled once, not by every test that comes first.
kernels: $(STAMP)
	$(BIN)/tilewright warmup

bench: $(STAMP)
	$(BIN)/python -m bench

docs: $(STAMP)
	$(BIN)/python docs/build.py

# The editable install with what was tested; made again when a requirement changes.
$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	@touch $(STAMP)

clean:
	rm -rf .venv out dist .mypy_cache .ruff_cache .pytest_cache
