# Grove. `make help` lists what can be made.

SWIFT ?= swift
COMPARE_ARGS ?=
PEERS_ARGS ?=
TEST_ARGS ?=
SHARED_ARGS ?=
MINUTES ?= 10
RUNS ?= 200000
SHARED ?= ../shared
# Package.swift turns none on by default. One set for all targets: a build with another one compiles much of it again.
TRAITS ?= Tool,Macros,Logging,Metrics
SOURCES = Package.swift $(wildcard Sources Tests Conformance Docs/Examples Benchmarks)

# Warnings are errors here, and not where Grove is a dependency: see Package.swift.
export GROVE_DEVELOPMENT = 1

# Suites and tests whose names begin so are not in `make test`: `make slow` and `make real-data` run them.
SLOW = [./][Ss]low[A-Z]
REAL_DATA = [./][Rr]ealData

# Homebrew keeps headers and libraries where no compiler looks.
ifeq ($(shell uname -s),Darwin)
BREW := $(firstword $(shell command -v brew) $(wildcard /opt/homebrew/bin/brew /usr/local/bin/brew))
ifneq ($(BREW),)
PREFIX := $(shell $(BREW) --prefix)
FLAGS = -Xcc -I$(PREFIX)/include -Xlinker -L$(PREFIX)/lib
endif
endif

TRAITED = --traits $(TRAITS) $(FLAGS)

# The Swift package manager hands the traits to the compiler in the order of a hash. If that changes, everything is compiled again.
BUILD = env SWIFT_DETERMINISTIC_HASHING=1 $(SWIFT) build

.PHONY: docs tutorial recording fifth-backend report shared agreement budget families month help setup build tests release compare compare-full peers screens test slow real-data tsan sanitize mutants sweep soak fuzz \
	check full release-check format lint layering conformance plain scratch interface clean
.DEFAULT_GOAL := help

help: ## lists these
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile

setup: ## installs the C libraries that are missing
	@sh Scripts/setup.sh

build: setup ## builds everything for debugging
	$(BUILD) $(TRAITED)

release: setup ## builds the tool, optimised
	@echo "Building the tool, which takes minutes the first time."
	@sh Scripts/quiet.sh .build/release.log $(BUILD) -c release --product grove $(TRAITED)

compare: release ## compares the backends in a minute or so; COMPARE_ARGS="--backend lmdb" narrows it
	@.build/release/grove compare $(COMPARE_ARGS)

compare-full: release ## the same with more repetitions and longer lists, in some ten minutes
	@.build/release/grove compare --full $(COMPARE_ARGS)

peers: setup ## compares the backends with GRDB, JSON and dictionaries; PEERS_ARGS="scale grove-lmdb grdb-raw" narrows it
	$(BUILD) -c release --package-path Benchmarks/Peers --product Peers $(FLAGS)
	Benchmarks/Peers/.build/release/Peers $(PEERS_ARGS)

report: release ## the comparison with its peers, and days within a budget, as pages in .build/report, and pictures of them by Chromium; REPORT_ARGS="--full"
	@mkdir -p .build/report
	@$(MAKE) peers >.build/report/peers.md
	.build/release/grove compare --details --format html --peers .build/report/peers.md --output .build/report/compare.html $(REPORT_ARGS)
	.build/release/grove compare --workload churn --format html --output .build/report/budget.html $(REPORT_ARGS)
	@sh Scripts/pages.sh .build/report/compare.html .build/report/budget.html

docs: build ## the guides and the reference as a site in .build/docs/site, and pictures of it by Chromium; fails on a broken link
	@sh Scripts/docs.sh

recording: setup ## makes Docs/Images/two-panes.svg of what the example TwoPanes prints
	$(BUILD) --product TwoPanes $(TRAITED)
	@python3 Scripts/recording.py .build/debug/TwoPanes Docs/Images/two-panes.svg

tutorial: setup ## follows Docs/Guides/GettingStarted.md from an empty folder, over a clone of the last commit; some minutes
	@FLAGS="$(FLAGS)" python3 Scripts/tutorial.py

screens: setup ## a list on screen that others edit, beside GRDB's ValueObservation; ROWS="1000 10000" ROUNDS=3
	$(BUILD) -c release --package-path Benchmarks/Peers --product Screens $(FLAGS)
	@sh Scripts/screens.sh

tests: setup ## builds the tests
	@sh Scripts/quiet.sh .build/build.log $(BUILD) --build-tests $(TRAITED)

# All tests at once wait for each other: so many at a time take a quarter less time.
WIDTH ?= 6

test: tests ## runs the quick tests, in minutes; TEST_ARGS="--filter …" narrows it
	@sh Scripts/quiet.sh .build/test.log env SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(WIDTH) \
		$(SWIFT) test --skip-build $(TRAITED) \
		--skip '$(SLOW)' --skip '$(REAL_DATA)' $(TEST_ARGS)

slow: tests shared ## runs the tests that take long and are not in `make test`, and `make shared`
	@sh Scripts/quiet.sh .build/slow.log $(SWIFT) test --skip-build $(TRAITED) --filter '$(SLOW)'

real-data: ## runs the tests on recorded documents and traces; SHARED=path says where they are
	@for folder in models traces; do test -d "$(SHARED)/data/$$folder" || \
		{ echo "There is no $(SHARED)/data/$$folder. Say where it is: make real-data SHARED=path" >&2; exit 2; }; done
	@$(MAKE) --no-print-directory tests
	@GROVE_SHARED_DATA="$(abspath $(SHARED))/data" sh Scripts/quiet.sh .build/real-data.log \
		$(SWIFT) test --skip-build $(TRAITED) --filter '$(REAL_DATA)'

conformance: release ## runs the conformance kit on every backend
	.build/release/grove conformance --backend all

tsan: ## runs the tests of models, engine and providers under the thread sanitizer
	sh Scripts/tsan.sh

sanitize: setup ## checks the kit's rules on every backend under the thread sanitizer, then the address sanitizer
	sh Scripts/sanitize.sh thread
	sh Scripts/sanitize.sh address

sweep: release ## cuts a small store of each backend off at every length, and flips a bit of every byte
	@place=/dev/shm; test -w $$place || place=$${TMPDIR:-/tmp}; \
	TMPDIR=$$place .build/release/grove conformance --sweep

shared: setup ## runs the rules for a cache of many machines over a PostgreSQL of its own; SHARED_ARGS="measure" or "history 1800"
	@sh Scripts/shared.sh --check || exit 0; \
	$(BUILD) -c release --product SharedPostgres --scratch-path .build/shared --traits Postgres $(FLAGS) && \
	sh Scripts/shared.sh "$(CURDIR)/.build/shared/release/SharedPostgres" $(SHARED_ARGS)

mutants: release ## checks the rules themselves: each mutant must be found out, and by the rules that list it
	.build/release/grove conformance --mutants
	@sh Scripts/near-mutants.sh
	@TRAITS=$(TRAITS) sh Scripts/outbox-mutants.sh

agreement: release ## holds compare against a package that measures by itself
	@TRAITS=$(TRAITS) sh Scripts/agreement.sh

families: release ## generated traces of eight families through eviction, against LRU and S3-FIFO at equal bytes
	.build/release/grove trace --families

budget: release ## what a budget costs a process, with RECORDS=500000; a process for each figure
	@sh Scripts/budget.sh

month: release ## a simulated month within 50 MB on every backend: three million writes, nine million reads
	@place=/dev/shm; test -w $$place || place=$${TMPDIR:-/tmp}; \
	.build/release/grove compare --workload churn --writes $(or $(WRITES),3000000) --directory $$place

soak: release ## tries programs, kills and faults; MINUTES=10 says for how long, from 60 on with a whole month
	@place=/dev/shm; test -w $$place || place=$${TMPDIR:-/tmp}; \
	TMPDIR=$$place .build/release/grove conformance --soak $(MINUTES)
	@if [ "$(MINUTES)" -ge 60 ]; then $(MAKE) month; fi

fifth-backend: ## makes a backend over RocksDB from the template, outside of this clone: kit, comparison, and six faults that must be found
	@sh Scripts/fifth-backend.sh $(FOLDER)

fuzz: ## fuzzes the reading of records; RUNS=200000 says how often
	@sh Scripts/fuzz.sh $(RUNS)

check: lint layering test conformance ## the gate: format, layering, quick tests, conformance

full: check docs tutorial slow mutants sweep sanitize tsan fuzz plain scratch interface soak ## the gate, and everything that takes long; CI runs it before a release

release-check: ## checks what a tag needs: version, changelog, links, privacy manifests, and `make full`; VERSION=1.2.3
	@sh Scripts/release-check.sh $(VERSION)
	@$(MAKE) --no-print-directory full

format: ## formats the sources in place
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

lint: ## checks the format, the style, the words of comments and pages, and the links of pages
	@sh Scripts/words.sh
	@sh Scripts/links.sh
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)

layering: setup ## checks that modules import what they may and no more
	@sh Scripts/layering.sh
	@sh Scripts/headers.sh
	$(SWIFT) build --explicit-target-dependency-import-check error $(TRAITED)

plain: setup ## builds with no trait, as `swift build` alone does
	$(SWIFT) build --scratch-path .build/plain $(FLAGS)
	@.build/plain/debug/grove 2>&1 | grep -q 'swift run -c release --traits Tool grove help' || { echo "grove does not say how to build it" >&2; exit 1; }

scratch: setup ## builds packages outside this one that depend on the last commit by URL, with both build systems
	@SWIFT="$(SWIFT)" FLAGS="$(FLAGS)" SYSTEMS="$(SYSTEMS)" sh Scripts/scratch.sh

interface: setup ## compares the public interface with that of the last tag
	@SWIFT="$(SWIFT)" FLAGS="$(FLAGS)" sh Scripts/interface.sh

clean: ## removes what was built
	$(SWIFT) package clean
	rm -rf .build
