# What can be done here, one word each. `make` alone lists them; .ci/run calls the same targets.

.DEFAULT_GOAL := help
.PHONY: help run setup containers check test cover chaos deep bench fmt lock clean
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

BIN := .venv/bin
SOURCES := $(wildcard schemas streams projections horae tests bench examples)
LOCKED := requirements/install.sh

help: ## This list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: .venv/stamp-run ## Everything on this machine: broker, database, processor, projector; examples fire
	@$(BIN)/horae up --demo $(ARGS)

setup: .venv/stamp-dev ## The virtual environment with all tools, from the locked requirements

.venv/stamp-run: requirements/run.txt requirements/install.sh
	@$(LOCKED) run

.venv/stamp-dev: requirements/dev.txt requirements/install.sh
	@$(LOCKED) dev

containers: ## What the tests of containers and of leaping clocks need (root, apt-get)
	@requirements/containers.sh

check: .venv/stamp-dev ## Format, lint, types, import borders, schema evolution, container files
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml
	@if [ -f schemas/evolution.py ]; then echo $(BIN)/python -m schemas.evolution check; $(BIN)/python -m schemas.evolution check; fi

test: .venv/stamp-dev ## All tests but the long tortures, on a real broker and a real database
	$(BIN)/pytest -m "not chaos" -n 2 --dist loadfile --no-loadscope-reorder $(ARGS)

cover: .venv/stamp-dev ## The same tests, and which lines none of them reaches
	$(BIN)/coverage run -m pytest -m "not chaos" $(ARGS)
	$(BIN)/coverage report --skip-covered

chaos: .venv/stamp-dev ## The long tortures: kills, freezes, thaws, clock jumps
	$(BIN)/pytest -m chaos $(ARGS)

deep: .venv/stamp-dev ## Properties under a thousand made-up examples each, others each time
	HORAE_EXAMPLES=deep $(BIN)/pytest -m "not broker and not chaos" -n 2 --timeout 0 $(ARGS)

bench: .venv/stamp-dev ## The numbers, each beside its reference
	$(BIN)/python -m bench $(ARGS)

fmt: .venv/stamp-dev ## Bring the sources into shape
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

lock: .venv/stamp-dev ## Resolve all requirements anew: Python's and the broker's (needs the network)
	@requirements/lock.sh

clean: ## Remove the virtual environment and all caches; data folders stay
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage
