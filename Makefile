# The everyday commands. `make test` needs no network once the modules are in
# the cache, no cgo and no environment variables.
GO        ?= go
PKGS      := ./... ./lab/...
LINT      := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
# The slow checks: every test in a file named so, and for how long to fuzz.
LONG      := $(shell find . -name '*_long_test.go')
FUZZTIME  ?= 60s
MPI_PKGS  := ./cluster/mpi ./cmd/train ./cmd/infer

.PHONY: build test test-same test-race test-mutants test-generator test-arm64 count-arm64 test-own-task test-mpi test-docs test-onnx exporters test-exports test-sql test-triton test-browser test-python wheel test-long test-long-ci \
	release lines bench bench-infer bench-serve bench-mpi peers \
	table2 table3 table4 table5 table6 table5-quick table6-quick lint fmt

build:
	$(GO) build -tags drivers -o bin/ ./cmd/...

# Vet is one of the linters of make lint: what it needs of every package that ours import takes minutes.
test:
	$(GO) test -vet=off -timeout 10m $(PKGS)

# The bits of the commands, on the path that depends on no processor: losses, weights and
# answers of a few steps of each against those of an earlier commit.
test-same:
	$(GO) test -tags same -count=1 -timeout 15m -run Same ./cmd

# The race detector over every package that starts goroutines: whole where that takes seconds,
# else the tests that compute on several threads, ranks or connections. It needs a C compiler:
# Debian's is installed where there is none and that is possible.
RACE := CGO_ENABLED=1 HINGE_DATA= HINGE_CASES= $(GO) test -race -vet=off -short -count=1 -timeout 15m
RACE_WHOLE := ./app/cli ./app/console ./app/pipe ./app/rules ./app/watch ./cluster ./data/citation ./optim/collective ./symbolic/lcqp ./train/checkpoint ./train/simclr \
	./symbolic/infer/baselines/paper ./symbolic/infer/internal/patches ./symbolic/rulemining
RACE_SOME := ./app/infer ./app/serve ./bilevel ./cluster/consensus ./data/mnist ./nn ./nn/kernel ./symbolic/ground ./symbolic/infer \
	./symbolic/infer/internal/problem ./symbolic/infer/internal/sparse ./tasks/mnistadd ./train ./train/traintest
RACES := Concurren|Threads|Ranks|Shard|Workers|WorkerForgets|Branches|LockFree|PlanShares|SlotsIn|SlotsFirst|Batches|Overload|GivenUp|SmallShare|Pieces|SyncIs|Signals|Augment
test-race:
	command -v cc >/dev/null || \
		timeout 180 sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends gcc libc6-dev' || true
	if command -v cc >/dev/null; then $(RACE) $(RACE_WHOLE) && $(RACE) -run '$(RACES)' $(RACE_SOME); \
	else echo 'test-race: skipped, there is no C compiler here and none could be installed'; fi

# The generator of the assembly.
test-generator:
	$(GO) test ./lab/asmgen

# The arm64 assembly under emulation, beside the portable path on the same instruction set:
# the kernels, layers and factors, and gradients through solvers and losses. Debian's
# emulator is installed where it is missing and that is possible.
ARM64 := GOARCH=arm64 CGO_ENABLED=0 HINGE_DATA= HINGE_CASES= $(GO) test -exec qemu-aarch64-static -count=1 -timeout 10m
test-arm64:
	command -v qemu-aarch64-static || \
		timeout 180 sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends qemu-user-static' || true
	if command -v qemu-aarch64-static; then \
		GOARCH=arm64 $(GO) vet ./nn/kernel/... ./symbolic/infer/internal/sparse && \
		$(ARM64) ./nn/... ./symbolic/infer/internal/sparse && \
		$(ARM64) -run 'Example|Gradient' ./symbolic/infer ./bilevel; \
	else echo 'test-arm64: skipped, there is no qemu-aarch64-static here and none could be installed'; fi

# Instructions of a training step on arm64, by path, under emulation: what one step more
# costs. Half an hour of one core, most of it the portable path. Needs Debian's qemu-user
# and gcc.
count-arm64:
	$(GO) run ./lab/arm64

# A user's own task, a module of its own: it compiles and learns for a few steps.
test-own-task:
	$(GO) -C examples/own-task vet .
	dir=$$(mktemp -d) && $(GO) -C examples/own-task run . -steps 20 -quiet -out $$dir/run; \
		code=$$?; rm -rf $$dir; exit $$code

# Several ranks for real, under Open MPI and MPICH: Debian's packages are installed where
# they are missing and that is possible. No C compiler takes part.
test-mpi:
	command -v mpirun.openmpi && command -v mpirun.mpich || \
		timeout 180 sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends openmpi-bin mpich' || true
	if command -v mpirun.openmpi || command -v mpirun.mpich; then \
		CGO_ENABLED=0 $(GO) test -tags mpi -count=1 -timeout 10m \
			-run 'Ranks?$$|Collectives|Ends|StartErrors' $(MPI_PKGS); \
	else echo 'test-mpi: skipped, there is no MPI here and none could be installed'; fi

# Facts in PostgreSQL: a real server in a folder of its own, stopped after the test. Debian's
# package is installed where it is missing and that is possible.
test-sql:
	ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || \
		timeout 240 sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql' || true
	$(GO) test -tags sql -count=1 -timeout 10m -v -run PostgreSQL ./symbolic/facts/drivers

# The commands that the pages show: their flags, and what they do, learning in two steps.
test-docs:
	$(GO) test -tags docs -count=1 -timeout 30m -run 'Commands|PythonPage' ./docs

# The operators of ONNX against its public node tests, which lie in HINGE_CASES. The last line is
# right N, wrong N, refused N.
test-onnx:
	@out=$$(mktemp); $(GO) test -count=1 -vet=off -v -run '^TestNodeSuite$$' ./models/onnxnet >$$out 2>&1; code=$$?; \
		grep -v '^right ' $$out; grep '^right ' $$out || echo 'test-onnx: skipped, HINGE_CASES names no node tests'; rm -f $$out; exit $$code

# Networks as today's exporters write them, in a virtual environment of their own: read, learned,
# written again, and the written files by ONNX's checker and runtime. HINGE_EXPORTERS names an
# interpreter that has the packages; without them and without PyPI it is skipped.
EXPORTERS := torch==2.15.0 onnx==1.23.0 onnxruntime==1.31.1 onnxscript==0.7.2 skl2onnx==1.20.0 onnxslim==0.1.98 pandas==3.1.1 polars==2.1.0 nbclient==0.11.0 ipykernel==7.4.0
exporters: # into the folder VENV
	python3 -m venv $(VENV) && timeout 900 $(VENV)/bin/python -m pip install -q $(EXPORTERS)
test-exports:
	@dir=$$(mktemp -d); python=$(HINGE_EXPORTERS); \
	if [ -z "$$python" ]; then python=$$dir/venv/bin/python && $(MAKE) -s exporters VENV=$$dir/venv >$$dir/pip.log 2>&1 || \
		{ tail -2 $$dir/pip.log; rm -rf $$dir; echo 'test-exports: skipped, the exporters cannot be installed here in a quarter of an hour'; exit 0; }; fi; \
	mkdir -p $$dir/io/torch-made $$dir/written && $$python models/onnxnet/testdata/exports.py write $$dir/io/torch-made && \
	HINGE_CASES=$$dir HINGE_WRITTEN=$$dir/written $(GO) test -count=1 -vet=off -run '^Test(Exports|WrittenAgain|Built)$$' ./models/onnxnet && \
	$$python models/onnxnet/testdata/exports.py check $$dir/written; code=$$?; rm -rf $$dir; exit $$code

# cmd/serve asked by NVIDIA's client over HTTP with its defaults: the package goes into a folder
# of its own. Where pip reaches no index the test says that it is skipped.
test-triton:
	dir=$$(mktemp -d) && python3 -m venv $$dir && $$dir/bin/pip install -q 'tritonclient[http]==2.73.0'; \
		HINGE_PYTHON=$$dir/bin/python $(GO) test -vet=off ./app/serve -run Triton -v -count=1; \
		code=$$?; rm -rf $$dir; exit $$code

# The Python package with the programs inside, as pip installs it: bin/hinge_nesy-….whl.
wheel:
	$(GO) run ./lab/release/wheel -out bin

# The wheel installed without an index, and its tests; with PyTorch and frames of HINGE_EXPORTERS where
# that is set, else with Debian's, installed where they are missing and that is possible. PYTHON names another interpreter.
PYTHON ?= $(or $(HINGE_EXPORTERS),$(firstword $(wildcard /usr/bin/python3) python3))
test-python: wheel
	app/python/test.sh bin/hinge_nesy-*.whl $(PYTHON)

# Slow checks: tens of thousands of random models, fuzzing, crash schedules, leaks,
# examples learned whole. Half an hour of two cores; two need HINGE_DATA.
test-long:
	HINGE_FUZZTIME=$(FUZZTIME) $(GO) test -tags long -count=1 -timeout 60m \
		-run "^($$(sed -n 's/^func \(Test[A-Za-z0-9_]*\).*/\1/p' $(LONG) | paste -sd '|' -))$$" \
		$(sort $(dir $(LONG)))

# The same with a quarter of the fuzzing and of the random models.
test-long-ci:
	HINGE_MODELS=0:5000 $(MAKE) test-long FUZZTIME=15s

# Faults put into the code one at a time, each of which a test has to notice, and a sample of
# generated ones, of which most have to be noticed: some five minutes of two cores.
test-mutants:
	$(GO) run ./lab/mutants
	$(GO) run ./lab/mutants -generated

# Archives of the commands for Linux, macOS and Windows, the same bits from every clone of a
# commit: docs/RELEASES.md.
release:
	$(GO) run ./lab/release -out dist

# Lines of Go: of the product, of the core within it, of the laboratory, of tests, and of files
# that a program wrote, which the other counts leave out (assembly is in no count). Packages
# whose name ends in "test" are support for tests and count as tests.
lines:
	@tests='(_test\.go|test/[^/]*\.go)$$'; core='^(cmd|app|symbolic|nn|models|optim|bilevel|train|data)/'; \
	generated=$$(git grep -lE '^// Code generated .* DO NOT EDIT\.$$' -- '*.go'); \
	files=$$(git ls-files '*.go' | grep -vxF "$$generated"); \
	count() { xargs cat | wc -l; }; \
	echo "product    $$(echo "$$files" | grep -vE "$$tests|^lab/" | count)"; \
	echo "core       $$(echo "$$files" | grep -E "$$core" | grep -vE "$$tests" | count)"; \
	echo "laboratory $$(echo "$$files" | grep '^lab/' | grep -vE "$$tests" | count)"; \
	echo "tests      $$(echo "$$files" | grep -E "$$tests" | count)"; \
	echo "generated  $$(echo "$$generated" | count)"

bench:
	$(GO) test -run '^$$' -bench . -benchmem $(PKGS)

# Every method over generated families; with HINGE_CASES and HINGE_DATA also over
# solved cases and real data. Resumable; writes the table.
bench-infer:
	$(GO) run ./lab/cmd/bench -suite inference -out lab/benchmarks/inference.md

# Hinge beside the programs that do the same work, pinned and installed in a temporary folder, in
# alternation; writes the page. Resumable; PEERS has further flags, such as -questions programs, or
# -env torch=PYTHON for packages that are there. On a machine that others use, as root:
# chrt -r 1 make peers.
PEERS ?=
peers:
	$(GO) run ./lab/peers $(PEERS)

# Training and inference on several ranks against one process, in alternation; writes the page. Says how
# to get an MPI where there is none. On a machine that others use, as root:
# chrt -r 5 make bench-mpi.
bench-mpi:
	$(GO) run ./lab/mpi -out lab/benchmarks/mpi.md

# cmd/serve under load from vegeta on loopback, on a run of an addition task; writes the
# page. On a machine that others use, as root: chrt -r 1 make bench-serve.
RUN ?= checkpoints/mnist-add2-energy-150-split0
bench-serve:
	$(GO) run ./lab/serve -run $(RUN) -out lab/benchmarks/serve.md

# The page of cmd/serve in a Chromium, a module of its own; skipped where there is none.
test-browser:
	$(GO) -C app/serve/browser vet .
	$(GO) -C app/serve/browser test -v -count=1 .

# The paper's tables, run by run and resumable. 2 to 5 need data (HINGE_DATA, or
# a download for 5); quick forms end within ten minutes on two cores.
table2:
	$(GO) run ./lab/cmd/bench -table 2
	$(GO) run ./lab/cmd/bench -table table2-epsilon

table3 table4 table5 table6:
	$(GO) run ./lab/cmd/bench -table $(@:table%=%)

table5-quick table6-quick:
	$(GO) run ./lab/cmd/bench -table $(@:table%-quick=%) -quick

lint:
	for module in . lab examples/own-task app/serve/browser; do (cd $$module && GOWORK=off $(GO) mod tidy -diff) || exit 1; done
	$(GO) run $(LINT) run --build-tags long --allow-parallel-runners $(PKGS)

fmt:
	gofmt -l -w .
