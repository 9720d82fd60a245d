# The everyday commands. `make test` needs no network once the modules are in
# the cache, no cgo and no environment variables.
GO        ?= go
PKGS      := ./...
LINT      := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.PHONY: build test test-long bench bench-infer lint fmt

build:
	$(GO) build -o bin/ ./cmd/...

test:
	$(GO) vet $(PKGS)
	$(GO) test -timeout 10m $(PKGS)

# Slow checks: thousands of random problems, fuzzing, crash schedules.
test-long:
	$(GO) test -tags long -timeout 60m $(PKGS)

bench:
	$(GO) test -run '^$$' -bench . -benchmem $(PKGS)

# Every method over generated families; with HINGE_CASES and HINGE_DATA also over
# solved cases and real data. Resumable; writes the table.
bench-infer:
	$(GO) run ./cmd/bench -suite inference -out benchmarks/inference.md

lint:
	$(GO) vet $(PKGS)
	$(GO) run $(LINT) run

fmt:
	gofmt -l -w .
