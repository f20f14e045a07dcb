# Everything sets itself up: on a machine with Python 3.11, 3.12 or 3.13, pip and make, each target works as it is.

# Each test starts many processes: without files of bytecode every one of them would compile all of weft again.
unexport PYTHONDONTWRITEBYTECODE

# The python3 of an environment may have no pip: then the one that made it is meant.
ifndef PYTHON
PYTHON := $(shell python3 -m pip --version >/dev/null 2>&1 && echo python3 || \
	python3 -c 'import sys; print(sys.base_prefix + "/bin/python3")')
endif
VENV   ?= .venv
BIN    := $(VENV)/bin
# pywb and its like, with which the tests judge archives.
JUDGES ?= .judges
# Scrapy and other crawlers, which the bench runs beside weft.
PEERS  ?= .peers
# Real FTP servers and proxies, for the tests of fetching.
SERVERS := .servers
# Chromium and real pages, for the tests that look at mirrors.
BROWSER := .browser
# spider's binding for Node; its newest versions come without the program itself.
SPIDER := @spider-rs/spider-rs@0.0.157 @spider-rs/spider-rs-linux-x64-gnu@0.0.157
# Packages whose documentation is crawled by bench-order.
DOCUMENTS := apache2-doc debian-policy git-doc libglib2.0-doc octave-doc postgresql-doc-15 python-django-doc \
	python-sqlalchemy-doc python3.11-doc sqlite3-doc
# The revision that bench-versions compares with.
BEFORE ?= HEAD~1
# Built at installation where there is a compiler.
C_PART := setup.py $(wildcard src/weft/*/_*.c src/weft/*/_*.h)
# pip of the outside installs into the environment: Debian's Python has no ensurepip of its own.
PIP    := $(PYTHON) -m pip --python $(BIN)/python --disable-pip-version-check -q

.DEFAULT_GOAL := help

.PHONY: help
help:           ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: $(VENV)/ready          ## a first crawl, of a synthetic web on this machine
	@$(BIN)/weft demo

# Types are checked while the tests run, and shown after them. Eight tests at once: most wait, as crawlers do. In the
# order of the files: by their number of tests, which is xdist's way, a file of one long test would come last, alone.
.PHONY: test
test: $(VENV)/ready-dev $(JUDGES)/ready $(SERVERS)/ready $(BROWSER)/ready  ## format, lint, types and all tests: what CI runs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	@said=$$(mktemp); $(BIN)/mypy >$$said 2>&1 & mypy=$$!; \
	$(BIN)/pytest -n 8 --dist loadfile --no-loadscope-reorder -rs; tests=$$?; \
	wait $$mypy; types=$$?; cat $$said; rm $$said; [ $$types$$tests = 00 ]

.PHONY: check
check: test                  ## the same

.PHONY: test-pythons
test-pythons: $(VENV)/ready-dev $(JUDGES)/ready $(SERVERS)/ready $(BROWSER)/ready  ## the tests on every Python found, with and without the parts in C (15 minutes each)
	$(PYTHON) tests/pythons.py $(TESTS)

.PHONY: test-bare
test-bare:                   ## demo and tests on a bare Debian without a compiler, made by debootstrap; needs root
	tests/bare-system .bare

.PHONY: test-container
test-container:              ## docs/Containerfile, its stages made by debootstrap; needs root (5 minutes)
	command -v debootstrap >/dev/null || apt-get install -y -q debootstrap >/dev/null
	$(PYTHON) tests/containerfile.py .container

.PHONY: settings
settings: $(VENV)/ready-dev  ## write the keywords and the tables of the docs that follow from weft/config.py
	$(BIN)/python -m tests.settings_tables

.PHONY: reference
reference: $(VENV)/ready-dev  ## write docs/api.md from the docstrings
	$(BIN)/python -m tests.reference

.PHONY: format
format: $(VENV)/ready-dev    ## put the code into its usual form
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.PHONY: test-large
test-large: $(VENV)/ready-dev $(JUDGES)/ready $(SERVERS)/ready $(BROWSER)/ready  ## the large runs: 120 kills, a 2 GB body, 550 pages in a browser, 10,000 schedules of a cluster (an hour)
	bench/install-site
	tests/install-docs
	$(BIN)/pytest -m large -s

.PHONY: torture
torture: $(VENV)/ready-dev $(JUDGES)/ready  ## crawls killed, cut and fed with rubbish: tables of what is lost (an hour)
	tests/torture/install-strace
	$(BIN)/python -m tests.torture
	$(BIN)/python -m tests.parse.asan_fuzz --pages 20000
	$(BIN)/python -m tests.store.record_asan --pages 1000000
	$(BIN)/python -m tests.fetch.head_asan --pages 1000000
	$(BIN)/python -m tests.store.lines_asan --pages 1000000

.PHONY: bench
bench: $(VENV)/ready-bench $(PEERS)/ready  ## pages/s, CPU and memory beside other crawlers, on four corpora: docs/benchmarks.md (18 minutes)
	bench/install-site
	$(BIN)/python -m bench --peers $(PEERS) --write

.PHONY: bench-versions
bench-versions: $(VENV)/ready-bench  ## what a change costs: weft's CPU a page at BEFORE (a revision) and now, in turn (6 minutes)
	bench/install-site
	$(BIN)/python -m bench.versions --before $(BEFORE)

.PHONY: bench-https
bench-https: $(VENV)/ready-bench  ## weft alone: what https costs beside http, kept alive and not
	bench/install-site
	$(BIN)/python -m bench --corpus b,e --tools weft

.PHONY: bench-dns
bench-dns: $(VENV)/ready-dev  ## what slow DNS costs: a long crawl, a short one, one of many hosts; the name cache
	$(BIN)/python bench/dns_latency.py --rounds 5
	$(BIN)/python bench/dns_latency.py --pages 5000 --rounds 5
	$(BIN)/python bench/dns_latency.py --hosts 3000 --pages 12000
	$(BIN)/python bench/dns_cache.py

.PHONY: bench-groups
bench-groups: $(VENV)/ready-bench  ## paper 3's experiment: balanced, unbalanced, serial; a step in latency (6 minutes)
	bench/install-site
	$(BIN)/python -m bench.groups

.PHONY: bench-growth
bench-growth: $(VENV)/ready-bench  ## speed and memory as a crawl grows to a million pages, 10 M URLs (half an hour)
	$(BIN)/python -m bench.growth

.PHONY: bench-cores
bench-cores: $(VENV)/ready-bench  ## pages a second over cores and engines: as many as this machine has (2 minutes for each number of engines)
	$(BIN)/python -m bench.cores

.PHONY: bench-mirror
bench-mirror: $(VENV)/ready-bench  ## weft mirror beside wget, wget2 and HTTrack; memory up to 100,000 pages (15 minutes)
	bench/install-site
	bench/install-peers
	$(BIN)/python -m bench.mirrors

.PHONY: bench-clean
bench-clean: $(VENV)/ready-bench $(PEERS)/ready-clean $(PEERS)/pages/ready $(SERVERS)/ready  ## paper 4's designs on SQLite and PostgreSQL; other cleaners (10 minutes)
	$(BIN)/python -m bench.clean --peers $(PEERS) --folder $(PEERS)/pages

.PHONY: bench-markdown
bench-markdown: $(VENV)/ready-dev $(PEERS)/pages/ready  ## Markdown of 500 pages, rendered again and compared with them; any folder: PAGES=DIR (3 minutes)
	$(BIN)/python -m bench.markdown_round_trip $(or $(PAGES),$(PEERS)/pages) --show 3

.PHONY: bench-cluster
bench-cluster: $(VENV)/ready-bench  ## paper 2's experiment: who has which hosts, and what moves; 1,000 nodes; real nodes (20 minutes)
	$(BIN)/python -m bench.cluster

.PHONY: bench-order
bench-order: $(VENV)/ready-bench $(PEERS)/documents/ready  ## what each order fetches first: a web with a topic, and documentation of ten Debian packages (6 minutes)
	bench/install-site
	$(BIN)/python -m bench.order --documents $(PEERS)/documents

.PHONY: bench-quality
bench-quality: $(VENV)/ready-bench $(PEERS)/ready $(PEERS)/documents/ready  ## weft's site report beside LinkChecker, wget and a plain check (12 minutes)
	bench/install-site
	$(BIN)/python -m bench.quality --peers $(PEERS) --documents $(PEERS)/documents

.PHONY: bench-article
bench-article:               ## main content beside other extractors; CORPUS=DIR in the form of trafilatura's (4 minutes)
	@[ -n "$(CORPUS)" ] || { echo "bench-article needs CORPUS=DIR: docs/article-bench.md says where one comes from" >&2; exit 2; }
	@$(MAKE) --no-print-directory $(VENV)/ready-bench $(PEERS)/ready-article
	$(BIN)/python -m bench.article --corpus "$(CORPUS)" --peers $(PEERS)

.PHONY: bench-metadata
bench-metadata: $(VENV)/ready-bench $(PEERS)/ready-metadata  ## titles, dates and authors beside trafilatura and htmldate, on CORPUS=DIR (1 minute)
	$(BIN)/python -m bench.metadata --peers $(PEERS) $(if $(CORPUS),--corpus $(CORPUS))

.PHONY: papers
papers: $(VENV)/ready-bench $(PEERS)/pages/ready $(SERVERS)/ready  ## the five papers' experiments, run again: docs/papers.md (25 minutes); paper-1 … paper-5: one of them
	bench/install-site
	bench/install-peers
	$(BIN)/python -m bench.papers

.PHONY: paper-1 paper-2 paper-3 paper-4 paper-5
paper-4: $(PEERS)/pages/ready $(SERVERS)/ready
paper-1 paper-2 paper-3 paper-4 paper-5: $(VENV)/ready-bench
	$(if $(filter paper-3 paper-5,$@),bench/install-site)
	$(if $(filter paper-5,$@),bench/install-peers)
	$(BIN)/python -m bench.papers $(@:paper-%=%)

.PHONY: clean
clean:          ## remove the environment and everything generated
	rm -rf --one-file-system $(VENV) $(JUDGES) $(PEERS) $(SERVERS) $(BROWSER) .pythons .bare .container build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis bench/results src/weft/*/_*.so
	find . -name __pycache__ -o -name '*.egg-info' | xargs rm -rf

$(BIN)/python:
	@$(PYTHON) -m venv --without-pip $(VENV)

# With pip of its own: that of the outside, typed where the environment is activated, would install into another Python.
$(VENV)/ready: $(BIN)/python pyproject.toml constraints.txt $(C_PART)
	@echo "Installing weft into $(VENV): a minute or two, once."
	@$(PIP) install -c constraints.txt pip -e '.[dashboard]'
	@touch $@

$(VENV)/ready-dev: $(BIN)/python pyproject.toml constraints.txt $(C_PART)
	$(PIP) install -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/ready

$(JUDGES)/ready: tests/judges.txt
	$(PYTHON) -m venv --without-pip $(JUDGES)
	$(PYTHON) -m pip --python $(JUDGES)/bin/python --disable-pip-version-check -q install -r tests/judges.txt
	@touch $@

$(SERVERS)/ready: tests/install-servers
	tests/install-servers $(SERVERS)

$(BROWSER)/ready: tests/install-browser
	tests/install-browser $(BROWSER)

# A peer that cannot be had is said so in the table, so only what the package index has must install.
$(PEERS)/ready: bench/peers/requirements.txt bench/install-peers
	bench/install-peers
	$(PYTHON) -m venv --without-pip $(PEERS)
	$(PYTHON) -m pip --python $(PEERS)/bin/python --disable-pip-version-check -q install -r bench/peers/requirements.txt
	npm install --silent --no-fund --no-audit --no-save --prefix $(PEERS) $(SPIDER) || echo "spider cannot be had here"
	@touch $@

$(PEERS)/ready-clean: bench/clean/requirements.txt
	[ -x $(PEERS)/bin/python ] || $(PYTHON) -m venv --without-pip $(PEERS)
	$(PYTHON) -m pip --python $(PEERS)/bin/python --disable-pip-version-check -q install -r bench/clean/requirements.txt
	@touch $@

$(PEERS)/ready-article: bench/article/requirements.txt
	[ -x $(PEERS)/bin/python ] || $(PYTHON) -m venv --without-pip $(PEERS)
	$(PYTHON) -m pip --python $(PEERS)/bin/python --disable-pip-version-check -q install --no-deps -r bench/article/requirements.txt
	@touch $@

$(PEERS)/ready-metadata: bench/metadata/requirements.txt
	[ -x $(PEERS)/bin/python ] || $(PYTHON) -m venv --without-pip $(PEERS)
	$(PYTHON) -m pip --python $(PEERS)/bin/python --disable-pip-version-check -q install -r bench/metadata/requirements.txt
	@touch $@

$(PEERS)/pages/ready: bench/clean/install-pages
	bench/clean/install-pages $(PEERS)/pages

$(PEERS)/documents/ready: bench/clean/install-pages
	bench/clean/install-pages $(PEERS)/documents $(DOCUMENTS)

$(VENV)/ready-bench: $(BIN)/python pyproject.toml constraints.txt $(C_PART)
	$(PIP) install -c constraints.txt -e '.[bench]'
	@touch $@ $(VENV)/ready
