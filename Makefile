# Grove. `make help` lists what can be made.

SWIFT ?= swift
COMPARE_ARGS ?=
TEST_ARGS ?=
MINUTES ?= 10
RUNS ?= 200000
SOURCES = Package.swift $(wildcard Sources Tests Conformance Docs/Examples)

# Warnings are errors here, and not where Grove is a dependency: see Package.swift.
export GROVE_DEVELOPMENT = 1

# Homebrew keeps headers and libraries where no compiler looks.
ifeq ($(shell uname -s),Darwin)
BREW := $(firstword $(shell command -v brew) $(wildcard /opt/homebrew/bin/brew /usr/local/bin/brew))
ifneq ($(BREW),)
PREFIX := $(shell $(BREW) --prefix)
FLAGS = -Xcc -I$(PREFIX)/include -Xlinker -L$(PREFIX)/lib
endif
endif

.PHONY: agreement month help setup build release compare test tsan sanitize mutants sweep soak fuzz check format lint layering conformance adapters scratch clean
.DEFAULT_GOAL := help

help: ## lists these
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

setup: ## installs the C libraries that are missing
	@sh Scripts/setup.sh

build: setup ## builds everything for debugging
	$(SWIFT) build $(FLAGS)

release: setup ## builds the tool, optimised
	$(SWIFT) build -c release --product grove $(FLAGS)

compare: release ## compares the backends; COMPARE_ARGS="--backend lmdb" narrows it
	.build/release/grove compare $(COMPARE_ARGS)

test: setup ## runs every test; TEST_ARGS="--filter …" narrows it
	$(SWIFT) build --build-tests $(FLAGS)
	$(SWIFT) test --skip-build $(FLAGS) $(TEST_ARGS)

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

mutants: release ## checks the rules themselves: each mutant must be found out, and by the rules that list it
	.build/release/grove conformance --mutants

agreement: release ## holds compare against a package that measures by itself
	@sh Scripts/agreement.sh

month: release ## a simulated month within 50 MB on every backend: ten million writes, thirty million reads
	@place=/dev/shm; test -w $$place || place=$${TMPDIR:-/tmp}; \
	.build/release/grove compare --workload churn --writes $(or $(WRITES),10000000) --directory $$place

soak: release ## tries programs, kills and faults; MINUTES=10 says for how long, from 60 on with a whole month
	@place=/dev/shm; test -w $$place || place=$${TMPDIR:-/tmp}; \
	TMPDIR=$$place .build/release/grove conformance --soak $(MINUTES)
	@if [ "$(MINUTES)" -ge 60 ]; then $(MAKE) month; fi

fuzz: ## fuzzes the reading of records; RUNS=200000 says how often
	@sh Scripts/fuzz.sh $(RUNS)

check: lint layering test conformance ## the gate: format, layering, tests, conformance

format: ## formats the sources in place
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

lint: ## checks the format and the style
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)

layering: setup ## checks that modules import what they may and no more
	@sh Scripts/layering.sh
	$(SWIFT) build --explicit-target-dependency-import-check error $(FLAGS)

adapters: setup ## tests the adapters to swift-log and swift-metrics, which no other build fetches
	$(SWIFT) test --traits default,Logging,Metrics --filter GroveAdapterTests $(FLAGS)

scratch: setup ## builds packages outside this one that depend on the last commit by URL, with both build systems
	@SWIFT="$(SWIFT)" FLAGS="$(FLAGS)" sh Scripts/scratch.sh

clean: ## removes what was built
	$(SWIFT) package clean
	rm -rf .build
