# The everyday commands. `make test` needs no network once the modules are in
# the cache, no cgo and no environment variables.
GO        ?= go
PKGS      := ./...
LINT      := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.PHONY: build test test-generator test-long bench bench-infer bench-torch \
	table2 table3 table4 table5 table6 table5-quick table6-quick lint fmt

build:
	$(GO) build -o bin/ ./cmd/...

test:
	$(GO) vet $(PKGS)
	$(GO) test -timeout 10m $(PKGS)

# The generator of the assembly, a module of its own.
test-generator:
	$(GO) -C nn/kernel/internal/asmgen test ./...

# Slow checks: thousands of random problems, fuzzing, crash schedules.
test-long:
	$(GO) test -tags long -timeout 60m $(PKGS)

bench:
	$(GO) test -run '^$$' -bench . -benchmem $(PKGS)

# Every method over generated families; with HINGE_CASES and HINGE_DATA also over
# solved cases and real data. Resumable; writes the table.
bench-infer:
	$(GO) run ./cmd/bench -suite inference -out benchmarks/inference.md

# The neural engine and PyTorch in alternation; writes the table. Says how to get
# PyTorch where there is none.
bench-torch:
	$(GO) run ./benchmarks/torch -out benchmarks/neural.md

# The paper's tables, run by run and resumable. 2 to 5 need data (HINGE_DATA, or
# a download for 5); quick forms end within ten minutes on two cores.
table2:
	$(GO) run ./cmd/bench -table 2
	$(GO) run ./cmd/bench -table table2-epsilon

table3 table4 table5 table6:
	$(GO) run ./cmd/bench -table $(@:table%=%)

table5-quick table6-quick:
	$(GO) run ./cmd/bench -table $(@:table%-quick=%) -quick

lint:
	$(GO) vet $(PKGS)
	$(GO) run $(LINT) run

fmt:
	gofmt -l -w .
