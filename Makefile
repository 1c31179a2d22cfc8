# `make demo` and `make test` are all that most people need; both set up what they use.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
# Checks come before what they check for.
.NOTPARALLEL:
.PHONY: help install install-dev services port demo test test-postgres test-sqlite mutants lint format bench messages clean

PORT ?= 8000
# One more than there are cores: many tests wait for processes.
PYTEST_WORKERS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))
BIN := .venv/bin
# Examples in documents are laid out for their readers, so the formatter leaves them alone.
SOURCES := contests ratings platform scripts tests manage.py gunicorn.conf.py
TEMPLATES := templates static/errors
# The version of Django whose tags djade may use.
DJANGO := 5.2
# Set by .ci/run: there a test that cannot run is a failure.
CI ?=
PYTEST_FLAGS ?= $(if $(CI),--no-skips)

help:  ## Say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

install: .venv/.run-time  ## Make .venv with all that Podium needs to run

install-dev: .venv/.development  ## The same, and what testing and developing need

demo: port .venv/.run-time  ## Start a rated demo site on http://127.0.0.1:8000 (PORT=... to change); Ctrl-C stops it
	@$(BIN)/python scripts/demo.py --port $(PORT)

# Services come first: they name all that is missing at once.
test: services lint test-postgres test-sqlite  ## Everything: lint, then all tests on PostgreSQL and Redis, then the database tests on SQLite

test-postgres: services .venv/.development
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist worksteal --durations=15 $(PYTEST_FLAGS)

test-sqlite: services .venv/.development
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist worksteal --sqlite --database-only -m "not browser" $(PYTEST_FLAGS)

# One at a time: all of them share one SQLite file.
mutants: .venv-mutants/.installed  ## Change the rating code in small ways and list what no test notices (MUTANTS='ratings.systems.algorithms.elo.*')
	.venv-mutants/bin/mutmut run --max-children 1 $(if $(MUTANTS),'$(MUTANTS)')
	@.venv-mutants/bin/mutmut results

lint: .venv/.development  ## Check style, types, templates and import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check $(SOURCES)
	find $(TEMPLATES) -name '*.html' -exec $(BIN)/djade --check --target-version $(DJANGO) {} +
	$(BIN)/mypy
	PYTHONPATH=platform $(BIN)/lint-imports --no-cache

format: .venv/.development  ## Fix style automatically where possible
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format $(SOURCES)
	find $(TEMPLATES) -name '*.html' -exec $(BIN)/djade --target-version $(DJANGO) {} +

bench: .venv/.development services  ## Measure, side by side with peers (minutes)
	$(BIN)/python scripts/bench/systems.py
	$(BIN)/python scripts/bench/growth.py
	$(BIN)/python scripts/bench/accuracy.py
	DURABLE=1 scripts/services.sh run $(BIN)/python scripts/bench/pipeline.py
	DURABLE=1 scripts/services.sh run $(BIN)/python scripts/bench/upload.py
	DURABLE=1 scripts/services.sh run $(BIN)/python scripts/bench/preview.py
	DURABLE=1 scripts/services.sh run $(BIN)/python scripts/bench/pages.py
	scripts/services.sh run $(BIN)/python scripts/bench/contest_list.py

# A port that is taken is named before anything is installed.
port:
	@python=$$(scripts/setup.sh python) && "$$python" scripts/demo.py --port $(PORT) --check

messages: .venv/.development  ## Collect the texts for translators into locale/, and compile what they wrote (needs gettext)
	$(BIN)/python manage.py makemessages --locale de --no-location --no-wrap --no-obsolete --ignore 'tests/*' --ignore 'scripts/*' --ignore 'var/*'
	$(BIN)/python manage.py compilemessages --locale de --ignore '.venv/*'

services:
	@scripts/setup.sh services

clean:  ## Remove the virtual environment and what tools left behind; var/ stays, it is your site
	rm -rf .venv .venv-mutants .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage htmlcov mutants
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.run-time: requirements.txt pyproject.toml scripts/setup.sh
	@scripts/setup.sh packages requirements.txt
	@touch $@

.venv-mutants/.installed: requirements-mutants.txt requirements-dev.txt requirements.txt
	"$$(scripts/setup.sh python)" -m venv .venv-mutants
	.venv-mutants/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-mutants.txt
	@touch $@

.venv/.development: requirements-dev.txt requirements.txt pyproject.toml scripts/setup.sh
	@scripts/setup.sh packages requirements-dev.txt
	@touch .venv/.run-time $@
