# make audit: set-up, the demo (or SUITE= and RESPONSES= of your own), its report. make test: set-up, every check.
SHELL := /bin/bash
PYTHON ?= python3
SUITE ?= suites/fair_sea.yml
RESPONSES ?=
SITE_PORT ?= 8000

BIN := .venv/bin
UV_VERSION := 0.13.8
SETUP := .venv/.setup
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: help setup models audit test check bench study fuzz spark lint sbom vulnerabilities pictures serve clean
.DEFAULT_GOAL := help

help:
	@echo 'make audit [SUITE=suites/x.yml RESPONSES=answers.csv]   audit, and build the site (demo without arguments)'
	@echo 'make serve                                              open the site at http://localhost:$(SITE_PORT)'
	@echo 'make models                                             torch and transformers, for classifiers and local models'
	@echo 'make test                                               every check, as CI runs it'
	@echo 'make check                                              what a change touches, in a minute'
	@echo 'make sbom | vulnerabilities                             what is installed, as CycloneDX in dist/; what is known against it'
	@echo 'make spark                                              the demo on DuckDB and on Spark: are all marts equal?'
	@echo 'make lint | bench | study | fuzz | pictures | clean'

setup: $(SETUP) reports/node_modules/.package-lock.json

$(SETUP): pyproject.toml uv.lock
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11 …")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	$(BIN)/uv sync --locked --inexact --compile-bytecode --extra embed --extra corpus --extra pdf
	touch $@

reports/node_modules/.package-lock.json: reports/package-lock.json reports/package.json
	@if command -v npm > /dev/null; then \
	  echo 'npm ci (reports)'; cd reports && npm ci --no-audit --no-fund --loglevel=error && touch node_modules/.package-lock.json; \
	else echo 'Node is not installed: the audit will end with the warehouse, without the site.'; fi

models: setup
	scripts/models.sh

audit: setup
	$(BIN)/plumbline audit $(SUITE) $(if $(RESPONSES),--responses $(RESPONSES))
	@test ! -f reports/build/index.html || echo 'Open it: make serve, then http://localhost:$(SITE_PORT)'

# The pictures of README and guide, anew: of the demo that `make audit` made.
pictures: browser
	cd reports && node tests/pictures.mjs build ../docs/pictures

serve:
	$(BIN)/python -m http.server --directory reports/build $(SITE_PORT)

test: setup browser java
	COVERAGE=$(COVERAGE) scripts/test.sh

check: setup
	scripts/check.sh

# Browser tests run in Debian's Chromium; without windows to draw (the headless shell) they take half the time.
.PHONY: browser
browser:
	@command -v chromium-headless-shell > /dev/null || command -v chromium > /dev/null || { \
	  echo 'The tests of the site need a system package: chromium-headless-shell. Installing it with apt-get ($(or $(SUDO),as root)).'; \
	  command -v apt-get > /dev/null || { echo 'There is no apt-get here: install Chromium by hand, then run make test again.'; exit 1; }; \
	  $(SUDO) apt-get update -qq && \
	  $(SUDO) apt-get install -y -qq $$(apt-cache show chromium-headless-shell > /dev/null 2>&1 && echo chromium-headless-shell || echo chromium) > /dev/null; }

# Spark needs Java. Where it cannot be had, make test says that the tests on Spark are left out.
.PHONY: java
java:
	@test "$${TEST_SPARK:-}" = no || command -v java > /dev/null || { \
	  echo 'The tests on Spark need a system package: openjdk-17-jre-headless. Installing it with apt-get ($(or $(SUDO),as root)).'; \
	  $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq openjdk-17-jre-headless > /dev/null || echo 'Java could not be installed.'; }

spark: setup java
	scripts/spark.sh
	$(BIN)/python scripts/spark_parity.py $${SPARK_OUT:-data/parity} tests/fixtures/warehouse_suite.yml suites/fair_sea.yml

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	test -f $${PLUMBLINE_DATA:-data}/audit.duckdb || $(BIN)/plumbline audit $(SUITE) --no-site
	$(BIN)/python scripts/lint_sql.py

bench: setup
	$(BIN)/python bench/run.py

study: setup
	$(BIN)/python experiments/placebo.py --data $${PLUMBLINE_DATA:-data} --out $${STUDY_OUT:-data/study}
	$(BIN)/python -m experiments.validity --out $${STUDY_OUT:-data/study} $(if $(QUICK),--quick)

# MINUTES=60: odd suites, files and replies, and failures at any write.
fuzz: setup
	MINUTES=$(MINUTES) scripts/fuzz.sh

sbom: setup
	$(BIN)/python scripts/sbom.py

vulnerabilities: setup
	$(BIN)/python scripts/vulnerabilities.py

clean:
	rm -rf data dist target logs reports/build reports/.evidence
