# make demo   two devices and a server on this machine's package database
# make test   every test, against real SQLite, real PostgreSQL and a real server
# make differential SEED=…   random queries in memory, in SQLite and in PostgreSQL: again those of a seed
# make kills KILLS=500   a device's process is killed so many times at any instant; again those of a SEED=…
# make bench ONLY=fetch   Backstitch beside SQLite in C, GRDB and libpq, as ratios; without ONLY all of it
# make bench-thresholds   has any of them come to take a tenth more instructions
# make simulate SEEDS=10000   as many worlds of devices, server and a bad network; SEED=… one of them, with its trace
# make lint   format and the doors between rooms
# make help   this list

.PHONY: help bootstrap build demo test differential kills bench bench-thresholds simulate lint format clean

help:
	@sed -n 's/^# //p' Makefile

bootstrap:
	@scripts/bootstrap

build: bootstrap
	swift build

# ARGS goes to the command: make demo ARGS="--input books.csv"
demo: bootstrap
	swift run -c release --quiet backstitch demo $(ARGS)

# FILTER picks tests by name: make test FILTER=SyncEndToEnd
test: bootstrap
	@scripts/test $(if $(FILTER),--filter $(FILTER))

# QUERIES asks for more than 20,000: make differential QUERIES=200000
differential: bootstrap
	@$(if $(SEED),BACKSTITCH_SEED=$(SEED)) $(if $(QUERIES),BACKSTITCH_QUERIES=$(QUERIES)) \
		scripts/test --filter "PredicateDifferentialTests|PredicateAgreementTests"

kills: bootstrap
	@BACKSTITCH_KILLS=$(or $(KILLS),500) $(if $(SEED),BACKSTITCH_SEED=$(SEED)) scripts/test --filter KillTests

# ROUNDS and SCALE make it shorter: make bench ROUNDS=3 SCALE=0.1. Those of sync are a program of their own.
bench_arguments = --results Benchmarks/results.json \
	$(if $(ONLY),--only $(ONLY)) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(SCALE),--scale $(SCALE))
bench: bootstrap
	$(if $(filter sync%,$(ONLY)),,swift run -c release --package-path Benchmarks Benchmarks $(bench_arguments))
	$(if $(filter-out sync%,$(ONLY)),,swift run -c release --package-path Benchmarks SyncBenchmarks $(bench_arguments))

# The instructions of some benchmarks beside Benchmarks/thresholds.txt; UPDATE=1 writes that file.
bench-thresholds: bootstrap
	@Benchmarks/thresholds $(if $(UPDATE),update)

# Hashing is the same in every run, so that a seed is too.
simulate: bootstrap
	@SWIFT_DETERMINISTIC_HASHING=1 swift run -c release --quiet backstitch-simulate \
		$(if $(SEED),--seed $(SEED),--seeds $(or $(SEEDS),10000)) $(if $(SMALL),--small) $(if $(BUG),--bug $(BUG))

lint:
	@scripts/lint

format:
	swift format format --in-place --recursive --parallel Package.swift Sources Backends Tests Examples Benchmarks

clean:
	rm -rf .build
