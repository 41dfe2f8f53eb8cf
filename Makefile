# make run          install what is missing and start Strata on http://localhost:8501
# make test         install what is missing and run all tests
# make torture      kill servers and commands under load, fill the disk, lock the database, set the
#                   clock back; then count the packets that leave in a round of pages and commands
# make dev          install what tests and linters need
# make lint         ruff, ruff format and mypy, as in .ci/run
# make bench        load time, latency and throughput of the bundled model, on an idle machine
# make bench-ui     what a person waits for in the workbench, in Chromium, on an idle machine
# make screenshots  every page, wide and narrow, light and dark, into screenshots/
# make lock         pin what the container installs, with hashes, in requirements.lock
#                   (ARGS=--upgrade: in the newest versions)
# make sbom         list all that is installed, with its licences, as CycloneDX: strata.cdx.json
# make clean        remove the environment and caches; decisions in var/ stay
#
# PORT=8600               another port
# KILLS=5000              how many kills and faults `make torture` makes; 1000 by default
# BROWSER_KILLS=50        how often each of the tests after that kills its server; 200 by default
# ARGS="-k metrics"       more arguments for pytest or the benchmark; ARGS="-n 0" tests in one process
# PYTHON=/usr/bin/python3.12   another Python (3.11 or newer) for the environment
# TORCH_INDEX=https://download.pytorch.org/whl/cpu   a torch without CUDA, gigabytes smaller

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8501
ARGS ?=
KILLS ?= 1000
BROWSER_KILLS ?= 200
TORCH_INDEX ?=

IS_NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python -c '$(IS_NEW_ENOUGH)' 2>/dev/null && echo $$python && break; done)

# Stamps carry the checksum of what was asked for, so that nothing is installed twice.
RUN_STAMP := $(VENV)/run-$(firstword $(shell cat requirements.txt | cksum)).stamp
DEV_STAMP := $(VENV)/dev-$(firstword $(shell cat requirements.txt requirements-dev.txt | cksum)).stamp
PREPARED_STAMP := prepared/$(firstword $(shell cat requirements.txt assets/clinical/*.tsv \
	core/clinical/names/*.py core/vocabulary/search/*.py \
	core/vocabulary/versions/keeping.py | cksum)).stamp
PIP_INSTALL = $(BIN)/python -m pip install --disable-pip-version-check

.PHONY: help install dev run test torture lint bench bench-ui screenshots lock sbom clean
help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

install: $(RUN_STAMP) $(PREPARED_STAMP)
	@echo "Installed. make run starts Strata, make test runs the tests."

$(BIN)/pip:
	@test -n "$(PYTHON)" || { echo "Strata needs Python 3.11 or newer, and none was found" \
		"(python3 is: $$(python3 --version 2>&1)). Install one, or name it: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@$(PYTHON) -c '$(IS_NEW_ENOUGH)' || { echo "Strata needs Python 3.11 or newer;" \
		"$(PYTHON) is: $$($(PYTHON) --version 2>&1)" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) cannot create environments." \
		"On Debian or Ubuntu: sudo apt install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)

$(RUN_STAMP): | $(BIN)/pip
	@echo "Installing what Strata needs (some minutes the first time)"
	$(if $(TORCH_INDEX),$(PIP_INSTALL) --index-url $(TORCH_INDEX) $(shell grep '^torch==' requirements.txt))
	$(PIP_INSTALL) -r requirements.txt
	@touch $@

$(PREPARED_STAMP): $(RUN_STAMP)
	@echo "Preparing EuroVoc and ICD-10-CM, so that the first document does not wait for them"
	@rm -rf prepared
	STRATA_HOME=prepared $(BIN)/python -m core search law > /dev/null
	STRATA_HOME=prepared $(BIN)/python -m core vocabulary icd10cm --import > /dev/null
	@touch $@

$(DEV_STAMP): $(RUN_STAMP)
	$(PIP_INSTALL) --quiet -r requirements-dev.txt
	@touch $@

# glibc otherwise gives large blocks back after every step and asks for them again, which slows
# torch on long texts by a quarter to a half; kept, they cost some 150 MB in batches of such texts.
# And it gives each thread a heap of its own, which then keeps the most that the thread ever needed:
# one heap for all saves 200 MB. Other allocators ignore these.
run bench bench-memory: export MALLOC_ARENA_MAX = 1
run bench bench-memory: export MALLOC_MMAP_THRESHOLD_ = 4294967296
run bench bench-memory: export MALLOC_TRIM_THRESHOLD_ = 8589934592
run bench bench-memory: export MALLOC_TOP_PAD_ = 268435456

run: $(RUN_STAMP) $(PREPARED_STAMP)
	$(BIN)/python -m streamlit run streamlit_app.py --server.address=localhost \
		--server.port=$(PORT) --server.headless=true --browser.gatherUsageStats=false

bench: $(RUN_STAMP)
	$(BIN)/python -m tests.bench.serving $(ARGS)

bench-memory: $(DEV_STAMP)
	$(BIN)/python -m tests.bench.memory $(ARGS)

bench-ui: $(DEV_STAMP)
	$(BIN)/python -m tests.bench $(ARGS)

screenshots: $(DEV_STAMP)
	$(BIN)/python -m tests.browser.screenshots $(ARGS)

# One more than there are cores, at most four: browser tests mostly wait.
WORKERS = $(shell $(BIN)/python -c 'import os; print(min(4, (os.cpu_count() or 1) + 1))')

# Set before NumPy is imported: workers share the processors, and more threads wait for each other.
test torture: export OMP_NUM_THREADS ?= 1
# What one worker has compiled, with its assertions rewritten, the others and the next run read.
test torture: export PYTHONDONTWRITEBYTECODE =

test: $(DEV_STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

# Where no network namespace can be made, a line says so, and the status is 77.
COUNT_PACKETS = $(BIN)/python -m tests.network $(BIN)/python -m tests.network.round || [ $$? -eq 77 ]

torture: $(DEV_STAMP)
	$(BIN)/python -m tests.torture --kills $(KILLS) $(ARGS)
	STRATA_KILLS=$(BROWSER_KILLS) $(BIN)/python -m pytest -n 0 -k "kills or sigkill" \
		tests/browser/pages/test_main_job.py \
		tests/core/review/decisions/test_decision_durability.py \
		tests/core/review/store/test_restore_durability.py
	$(COUNT_PACKETS)

dev: $(DEV_STAMP)

lint: $(DEV_STAMP)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy --strict

# What only training uses stays out. So does torch, whose wheels without CUDA are on an index of its
# own: what it needs besides stands here, so that its own wheel is all that comes without a hash.
SERVING = sed '/^\(accelerate\|omikuji\|torch\)\b/d' requirements.txt
NEEDED_BY_TORCH := filelock fsspec jinja2 networkx setuptools>=77.0.3 sympy>=1.13.3 typing-extensions

lock: $(DEV_STAMP)
	{ $(SERVING); printf '%s\n' $(foreach name,$(NEEDED_BY_TORCH),'$(name)'); } | $(BIN)/uv pip compile - \
		--generate-hashes --python-version 3.11 --python-platform x86_64-manylinux_2_28 \
		--default-index https://pypi.org/simple --no-emit-index-url --no-annotate \
		--custom-compile-command "make lock" --quiet --output-file requirements.lock $(ARGS)

sbom: $(DEV_STAMP)
	$(BIN)/python -m cyclonedx_py environment --output-reproducible --output-file strata.cdx.json $(BIN)/python

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
