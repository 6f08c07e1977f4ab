# make demo   two devices and a server on this machine's package database
# make test   every test, with real SQLite, real PostgreSQL and a real server
# make install PREFIX=/usr/local   the command backstitch, built for release, without symbols
# make campaigns   the random tests at full size: worlds, kills, storms, power cuts, walks and queries. make test runs a few of each
# make readme   builds and runs the README's programs with SwiftPM in a new package
# make differential SEED=…   random queries in memory, in SQLite and in PostgreSQL; SEED repeats a run
# make fuzz MINUTES=10   libFuzzer generates input for the code that reads bytes of others; ONLY=json runs one target
# make hostile MINUTES=10   one user attacks a server while another works, and then strangers do, on each database: memory and waiting
#   times; each of the four runs has that time; SEED=… repeats a run
# make kills KILLS=500 STORMS=100   kills a device's process at random instants. Then runs storms of 20 s on each database: processes
#   share a store, and ten users share a list; all are killed and cut off. SEED=… repeats a run
# make users SECONDS=60   ten users work on one shared list, each with a process and a store. They and the server are killed and cut off.
#   At the end all have the same content, and every acknowledged save; STORMS=10 runs, SEED=… repeats one
# make nodes SECONDS=20   three servers on one PostgreSQL: every two seconds one is killed, and the database crashes twice, while programs
#   push and read; then the feed of each storage beside writers with open transactions; then STORMS=3 runs of devices and three servers
# make powercuts CUTS=500   cuts the power under stores and server; SEED=… repeats a run
# make bench ONLY=fetch   Backstitch beside SQLite in C, GRDB and libpq, as ratios; without ONLY all of it
# make bench-thresholds   fails if a benchmark takes a tenth more instructions than before
# make simulate SEEDS=10000   simulated worlds of devices, server and a bad network, from seed FROM=… on; SEED=… runs one with its trace.
#   PLAIN=1 a server with CloudKit's wire only, SERVERS=1 three servers on one storage, ZONES=1 several zones,
#   SHARES=1 shared zones and shared objects, SECRETS=1 encrypted attributes, PUBLIC=1 public data
# make mutants   plants the bugs of Tests/Mutants in a copy: the simulator must find each; ONLY=tokenFirst runs some
# make sanitize   the tests under ThreadSanitizer and AddressSanitizer; KIND=thread runs one of them, FILTER=… some tests
# make api   compiles a program for the last version with this one; TAG=… takes another version
# make sbom   writes sbom.json: all that is built in, as CycloneDX, for scanners of vulnerabilities
# make lint   checks format, the imports between rooms, sizes and language
# make help   this list

.PHONY: help bootstrap build install demo test campaigns readme differential kills users nodes powercuts fuzz sanitize hostile bench bench-thresholds simulate mutants api sbom lint format clean

help:
	@sed -n 's/^# //p' Makefile

bootstrap:
	@scripts/bootstrap

build: bootstrap
	swift build

# Symbols are two thirds of the file. Debian and its like need no Swift at run time then.
static = $(if $(filter Linux,$(shell uname -s)),--static-swift-stdlib)
install: bootstrap
	swift build -c release --product backstitch --disable-index-store $(static)
	install -d "$(DESTDIR)$(or $(PREFIX),/usr/local)/bin"
	install -s "$$(swift build -c release --show-bin-path)/backstitch" "$(DESTDIR)$(or $(PREFIX),/usr/local)/bin/backstitch"

# ARGS goes to the command: make demo ARGS="--input books.csv"; RELEASE=1 builds for release.
demo:
	@scripts/bootstrap demo
	@$(if $(RELEASE),RELEASE=$(RELEASE)) scripts/demo $(ARGS)

# FILTER picks tests by name: make test FILTER=SyncEndToEnd; TARGETS=BackstitchTests builds that target's tests alone.
test: bootstrap
	@$(if $(TARGETS),BACKSTITCH_TESTS=$(TARGETS)) scripts/test $(if $(FILTER),--filter $(FILTER))

campaigns: bootstrap
	@scripts/campaigns

readme: bootstrap
	@scripts/readme

# QUERIES asks for more than 20,000: make differential QUERIES=200000
differential: bootstrap
	@$(if $(SEED),BACKSTITCH_SEED=$(SEED)) $(if $(QUERIES),BACKSTITCH_QUERIES=$(QUERIES)) \
		scripts/test --filter "PredicateAgreementTests"

kills: bootstrap
	@BACKSTITCH_KILLS=$(or $(KILLS),500) $(if $(SEED),BACKSTITCH_SEED=$(SEED)) BACKSTITCH_STORMS=$(or $(STORMS),20) \
		BACKSTITCH_STORM_SECONDS=$(or $(SECONDS),20) BACKSTITCH_STORMS_AT_ONCE=$(or $(AT_ONCE),4) \
		scripts/test --filter KillTests

users: bootstrap
	@BACKSTITCH_STORMS=$(or $(STORMS),1) BACKSTITCH_STORM_SECONDS=$(or $(SECONDS),60) \
		$(if $(SEED),BACKSTITCH_SEED=$(SEED)) scripts/test --filter 'SharedKillTests.list'

nodes: bootstrap
	@BACKSTITCH_NODE_SECONDS=$(or $(SECONDS),20) BACKSTITCH_FEED_SECONDS=$(or $(SECONDS),20) \
		$(if $(SEED),BACKSTITCH_SEED=$(SEED)) BACKSTITCH_STORMS=$(or $(STORMS),3) \
		BACKSTITCH_STORM_SECONDS=$(or $(SECONDS),20) \
		scripts/test --filter 'NodeKillTests|FeedProbeTests|SharedKillTests.nodes'

fuzz: bootstrap
	@scripts/fuzz $(or $(MINUTES),10) $(ONLY)

sanitize: bootstrap
	@for kind in $(or $(KIND),thread address); do scripts/sanitize $$kind $(if $(FILTER),--filter "$(FILTER)") || exit 1; done

# The server is built for release: its memory and its waiting times are meant, not those of the tests.
hostile: bootstrap
	swift build -c release --product backstitch
	@BACKSTITCH_PROGRAMS=$(CURDIR)/.build/release BACKSTITCH_HOSTILE_MINUTES=$(or $(MINUTES),10) $(if $(SEED),BACKSTITCH_SEED=$(SEED)) scripts/test --filter HostileLoadTests

powercuts: bootstrap
	@BACKSTITCH_CUTS=$(or $(CUTS),500) $(if $(SEED),BACKSTITCH_SEED=$(SEED)) scripts/test --filter PowerCutTests

# ROUNDS and SCALE make it shorter: make bench ROUNDS=3 SCALE=0.1. Those of sync are a program of their own.
bench_arguments = --results Benchmarks/results.json \
	$(if $(ONLY),--only $(ONLY)) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(SCALE),--scale $(SCALE))
bench: bootstrap
	$(if $(filter sync% server%,$(ONLY)),,swift run -c release --package-path Benchmarks Benchmarks $(bench_arguments))
	$(if $(filter-out sync% server%,$(ONLY)),,swift run -c release --package-path Benchmarks SyncBenchmarks $(bench_arguments))

# The instructions of some benchmarks beside Benchmarks/thresholds.txt; UPDATE=1 writes that file.
bench-thresholds: bootstrap
	@Benchmarks/thresholds $(if $(UPDATE),update)

# Hashing is the same in every run, so that a seed is too.
simulate: bootstrap
	@SWIFT_DETERMINISTIC_HASHING=1 swift run -c release --quiet backstitch-simulate \
		$(if $(SEED),--seed $(SEED),--seeds $(or $(SEEDS),10000) $(if $(FROM),--from $(FROM))) \
		$(if $(SMALL),--small) $(if $(PLAIN),--plain) $(if $(SERVERS),--servers) $(if $(ZONES),--zones) $(if $(SHARES),--shares) \
		$(if $(SECRETS),--secrets) $(if $(PUBLIC),--public)

mutants: bootstrap
	@scripts/mutants $(ONLY)

api: bootstrap
	@$(if $(TAG),TAG=$(TAG)) scripts/api

sbom: bootstrap
	swift package resolve
	@scripts/sbom >sbom.json

lint:
	@scripts/lint

format:
	swift format format --in-place --recursive --parallel Package.swift Sources Backends Tests Examples Benchmarks

clean:
	rm -rf .build
