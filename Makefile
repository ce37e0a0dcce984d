# make help explains every target. Nothing has to be installed by hand first, except Python 3.11 or newer and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FILE ?= manifests/samples/mem-b.yaml
COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --upgrade
PROJECT = $(COMPILE) -c requirements/dev.txt pyproject.toml requirements/build.in
INSTALL = $(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode

.PHONY: help run test check lint types contracts unit integration cluster e2e bench crds docs lock clean
.DEFAULT_GOAL := help

help: ## explain the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(VENV)/run ## run a memory on this machine (FILE=manifests/samples/mem-b.yaml)
	@exec $(BIN)/memstack up $(FILE)

test: check unit integration cluster ## everything that needs no node: lint, types, contracts, unit, integration, a real API server

check: lint types contracts ## what can be said without running anything

lint: $(VENV)/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/dev
	$(BIN)/basedpyright --warnings

contracts: $(VENV)/dev
	$(BIN)/lint-imports

unit: $(VENV)/dev ## pure functions, golden manifests, documentation
	$(BIN)/pytest tests/unit

integration: $(VENV)/dev ## real FalkorDB, real LiteLLM, the official MCP client over HTTP, memstack up
	$(BIN)/python -m testbed install --gateway
	$(BIN)/pytest tests/integration

cluster: $(VENV)/dev ## a real API server: CRD, operator under its own account (builds the control plane once, about 10 minutes)
	$(BIN)/python -m testbed install
	$(BIN)/pytest tests/testbed tests/cluster

e2e: $(VENV)/dev ## a whole cluster on this machine: images, pods, volumes, Claude Code (root)
	$(BIN)/python -m testbed install --node
	$(BIN)/pytest e2e

bench: $(VENV)/dev ## speed and memory, as ratios to the bare parts
	$(BIN)/python -m bench

crds: $(VENV)/dev ## write crds/ from the operator's types
	$(BIN)/python -m memstack_operator.crd > crds/memorystacks.yaml

docs: $(VENV)/dev ## write docs/reference.md from the code
	$(BIN)/python docs/reference.py > docs/reference.md

lock: $(VENV)/dev ## renew requirements/*.txt
	$(COMPILE) requirements/uv.in -o requirements/uv.txt
	$(COMPILE) pyproject.toml requirements/build.in --extra dev -o requirements/dev.txt
	$(COMPILE) requirements/gateway.in -o requirements/gateway.txt
	$(PROJECT) --extra server --extra offline --extra embedded -o requirements/run.txt
	$(PROJECT) --extra server --extra offline --extra operator -o requirements/image.txt

clean: ## remove the environment; what the testbed built stays in ~/.cache/memory-stack
	rm -rf $(VENV)

# A stamp a lock: an environment is made anew only when its lock or this project's metadata changes.
$(VENV)/%: requirements/%.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "make: $(PYTHON) is Python %d.%d; 3.11 or newer is needed. Say which: make run PYTHON=python3.12" % sys.version_info[:2])'
	@echo "Installing what requirements/$*.txt lists (once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@$(INSTALL) --require-hashes -r requirements/$*.txt
	@$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@
