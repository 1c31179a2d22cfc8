# Most people only need `make demo` and `make test`; both install what they use.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
# Checks run before the steps that need them.
.NOTPARALLEL:
.PHONY: help install install-dev services port demo test test-postgres test-sqlite test-firefox-core test-firefox mutants lint format bench messages lock audit clean

PORT ?= 8000
# One more than the number of cores: many tests wait for processes.
PYTEST_WORKERS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))
BIN := .venv/bin
# Not the documents, whose examples are laid out for readers.
SOURCES := contests ratings platform scripts tests manage.py gunicorn.conf.py
TEMPLATES := templates static/errors
# Each NAME.txt lists packages with a version and a reason; its NAME.lock lists all that they need, with hashes.
LOCKED := requirements requirements-dev requirements-mutants requirements-tools
# The version of Django whose tags djade may use.
DJANGO := 5.2
# Set by .ci/run, where a skipped test is a failure.
CI ?=
PYTEST_FLAGS ?= $(if $(CI),--no-skips)

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' Makefile

install: .venv/.run-time  ## Create .venv with everything that Podium needs to run

install-dev: .venv/.development  ## The same, with the packages for testing and development

demo: port .venv/.run-time  ## Start a rated demo site on http://127.0.0.1:8000 (PORT=... to change); Ctrl-C stops it
	@$(BIN)/python scripts/demo.py --port $(PORT)

# Services first: they list all missing programs at once.
test: services lint test-postgres test-sqlite test-firefox-core  ## Run lint, all tests on PostgreSQL and Redis, the database tests on SQLite, and the main browser tests in Firefox

test-postgres: services .venv/.development
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist worksteal --durations=15 $(PYTEST_FLAGS)

test-sqlite: services .venv/.development
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist worksteal --sqlite --database-only -m "not browser" $(PYTEST_FLAGS)

test-firefox-core: services .venv/.development  ## Run the browser tests of the main tasks in Firefox, as `make test` does
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist worksteal --sqlite --firefox -m firefox_core $(PYTEST_FLAGS) tests/browser

test-firefox: services .venv/.development  ## Run all browser tests in Firefox instead of Chromium
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist worksteal --sqlite --firefox -m browser $(PYTEST_FLAGS)

# One process: they would share one SQLite file.
mutants: .venv-mutants/.installed  ## Change the rating code in small ways and list changes that no test notices (MUTANTS='ratings.systems.algorithms.elo.*')
	.venv-mutants/bin/mutmut run --max-children 1 $(if $(MUTANTS),'$(MUTANTS)')
	@.venv-mutants/bin/mutmut results

lint: .venv/.development  ## Check style, types, templates and import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check $(SOURCES)
	find $(TEMPLATES) -name '*.html' -exec $(BIN)/djade --check --target-version $(DJANGO) {} +
	@! LC_ALL=C grep -rnE --include='*.html' '^.{121,}' $(TEMPLATES) || { echo 'The lines above are longer than 120 bytes.'; exit 1; }
	$(BIN)/mypy
	PYTHONPATH=platform $(BIN)/lint-imports --no-cache

format: .venv/.development  ## Fix style automatically where possible
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format $(SOURCES)
	find $(TEMPLATES) -name '*.html' -exec $(BIN)/djade --target-version $(DJANGO) {} +

bench: .venv/.development services  ## Run the benchmarks (minutes)
	$(BIN)/python scripts/bench/systems.py
	$(BIN)/python scripts/bench/growth.py
	$(BIN)/python scripts/bench/accuracy.py
	$(BIN)/python scripts/bench/synthetic.py
	$(BIN)/python scripts/bench/halo.py
	DURABLE=1 scripts/services.sh run $(BIN)/python scripts/bench/pipeline.py
	DURABLE=1 scripts/services.sh run $(BIN)/python scripts/bench/upload.py
	DURABLE=1 scripts/services.sh run $(BIN)/python scripts/bench/preview.py
	DURABLE=1 scripts/services.sh run $(BIN)/python scripts/bench/pages.py
	scripts/services.sh run $(BIN)/python scripts/bench/contest_list.py
	scripts/services.sh run $(BIN)/python scripts/bench/games.py
	scripts/services.sh run $(BIN)/python scripts/bench/communities.py

# Report a port in use before installing anything.
port:
	@python=$$(scripts/setup.sh python) && "$$python" scripts/demo.py --port $(PORT) --check

messages: .venv/.development  ## Collect texts for translators in locale/, and compile translations (needs gettext)
	$(BIN)/python manage.py makemessages --locale de --no-location --no-wrap --no-obsolete --ignore 'tests/*' --ignore 'scripts/*' --ignore 'var/*'
	$(BIN)/python manage.py compilemessages --locale de --ignore '.venv/*'

# For all platforms and all versions of Python that Podium supports, whatever this machine has.
lock: .venv-tools/.installed  ## Write the lock files from requirements*.txt (LOCK_FLAGS=--upgrade also renews what these need)
	for name in $(LOCKED); do \
		case $$name in requirements | requirements-tools) same= ;; *) same='--constraints requirements.lock' ;; esac; \
		.venv-tools/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate $(LOCK_FLAGS) \
			--custom-compile-command 'make lock' $$same --output-file $$name.lock $$name.txt; \
	done

audit: .venv-tools/.installed  ## Compare the locked packages with known vulnerabilities (needs https://pypi.org)
	@.venv-tools/bin/python scripts/audit.py .venv-tools/bin/pip-audit $(AUDIT_FLAGS)

services:
	@scripts/setup.sh services

clean:  ## Remove the virtual environment and files of tools; keep var/, which is your site
	rm -rf .venv .venv-mutants .venv-tools .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage htmlcov mutants
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.run-time: requirements.lock scripts/setup.sh
	@scripts/setup.sh packages requirements.lock
	@touch $@

.venv-mutants/.installed: requirements-mutants.lock scripts/setup.sh
	@scripts/setup.sh packages requirements-mutants.lock .venv-mutants
	@touch $@

.venv-tools/.installed: requirements-tools.lock scripts/setup.sh
	@scripts/setup.sh packages requirements-tools.lock .venv-tools
	@touch $@

.venv/.development: requirements-dev.lock scripts/setup.sh
	@scripts/setup.sh packages requirements-dev.lock
	@touch .venv/.run-time $@
