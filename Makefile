# make demo   two devices and a server on this machine's package database
# make test   every test, against real SQLite, real PostgreSQL and a real server
# make lint   format and the doors between rooms
# make help   this list

.PHONY: help bootstrap build demo test lint format clean

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

lint:
	@scripts/lint

format:
	swift format format --in-place --recursive --parallel Package.swift Sources Backends Tests Examples

clean:
	rm -rf .build
