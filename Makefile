# Everything a developer does, by name. `make` alone lists the targets.
#
# `make demo` and `make test` do their own set-up: they look for a Chromium and
# install Debian's when there is none. Running them again installs nothing.

GO        ?= go
MODULE    := github.com/playtest-dev/playtest
PLAYTEST  := bin/playtest

# Packages tested at a time. Most tests drive a real Chromium, which brings its
# own processes, and wait for it half of the time.
PARALLEL  ?= 2
TESTFLAGS ?=
# A demo that plays something else: make demo GAME=starfall
GAME      ?=
# What the go command sees: folders that begin with a dot are not part of it.
SOURCES    = $(shell find . -name '*.go' -not -path './.*')

.DEFAULT_GOAL := help
.PHONY: help pages test-export build release dist notices demo test lint fmt fmt-check vet staticcheck layering bench bench-real bench-instruments bench-peers bench-batch replays test-probe test-all test-adaptive chaos chaos-selftest chaos-games soak dashboard watchers lists load hostile sbom vuln test-offline chromium compiler clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build bin/playtest
	$(GO) build -o $(PLAYTEST) ./cmd/playtest

# Equal byte for byte for a commit and a Go: no paths, no symbols, no build id.
release: ## build bin/playtest stripped and reproducible
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags='-s -w -buildid=' -o $(PLAYTEST) ./cmd/playtest

dist: ## make a release in dist/: binaries, archives, packages, checksums (docs/releasing.md)
	scripts/release

sbom: release ## write what bin/playtest is built from to bin/playtest.cdx.json (CycloneDX)
	$(GO) run ./scripts/sbom $(PLAYTEST) THIRD_PARTY_NOTICES.md >$(PLAYTEST).cdx.json

# Asks a database of known weaknesses, so it needs the network, or a copy of the
# database: make vuln GOVULNDB=file:///path
vuln: ## look whether a known weakness is in what is built
	$(GO) run golang.org/x/vuln/cmd/govulncheck@v1.8.0 ./...

notices: ## write THIRD_PARTY_NOTICES.md anew
	scripts/notices

demo: ## play a bundled game in a real Chromium and print the verdict
	@GO=$(GO) scripts/demo $(GAME)

# Under the race detector pictures are decoded ten times slower, so the packages
# that look at pictures all the time run without it; so do those that speak to vendors
# through their SDKs, which are not compiled for it then and have no goroutines of ours.
# The worker plays whole games under the detector, with the machine to itself. The
# longest run first, so that none is left over at the end; processes under the detector
# would each sleep a second before they end.
EVERY     = $(shell $(GO) list ./...)
PICTURES := $(addprefix $(MODULE)/,internal/qa cmd/playtest internal/qa/adapt agent/computer bench/witness)
VENDORS   = $(addprefix $(MODULE)/,agent/computer/anthropic agent/computer/choose agent/computer/google agent/computer/openai \
	internal/config internal/config/provider internal/qa/opinion \
	model/anthropic model/google model/openai model/openai/azure model/provider model/provider/clouds) \
	$(filter $(MODULE)/examples%,$(EVERY))
WORKER   := $(MODULE)/internal/worker
LONG     := $(addprefix $(MODULE)/,agent browser/probe browser internal/qa/load stage games)
RACE     := GORACE=atexit_sleep_ms=10 scripts/with-s3 scripts/with-postgres $(GO) test -race -vet=off -timeout 15m $(TESTFLAGS)
test: chromium compiler lint ## gofmt, vet, staticcheck, import direction, all tests, with the race detector where it can be afforded
	$(RACE) $(WORKER)
	$(RACE) -p $(PARALLEL) $(LONG) $(filter-out $(PICTURES) $(VENDORS) $(LONG) $(WORKER),$(EVERY))
	scripts/with-s3 scripts/with-postgres $(GO) test -vet=off -p $(PARALLEL) -timeout 30m $(TESTFLAGS) $(PICTURES) $(VENDORS)
	$(GO) test -vet=off -p $(PARALLEL) -timeout 15m -run '^TestVendors$$' $(TESTFLAGS) $(MODULE)/agent $(MODULE)/stage

lint: fmt-check vet staticcheck layering ## everything that reads the code without running it

fmt: ## format the code
	gofmt -l -w $(SOURCES)

fmt-check:
	@files=$$(gofmt -l $(SOURCES)); if [ -n "$$files" ]; then \
		printf 'error: not formatted:\n%s\nhint: make fmt\n' "$$files" >&2; exit 1; fi

vet:
	$(GO) vet ./...

staticcheck:
	$(GO) tool staticcheck ./...

layering:
	$(GO) test ./internal/layering

bench: chromium ## run every Go benchmark (docs/benchmarks.md)
	$(GO) test -run '^$$' -bench . -benchtime 20x -p 1 -timeout 15m ./...

bench-real: chromium build ## judge real games from npm, healthy and broken (docs/benchmarks.md)
	scripts/bench-real

bench-instruments: chromium ## measure what the probe and code coverage cost a game (docs/benchmarks.md)
	$(GO) test ./browser/probe -run '^$$' -bench Cost -benchtime 4x -timeout 30m

# Everything that is fetched is fetched before the network is shut off.
test-offline: chromium compiler ## run all tests with no network but loopback
	$(GO) list -deps -test ./... >/dev/null
	GOOS=darwin $(GO) list -deps ./cmd/playtest >/dev/null
	scripts/with-s3
	scripts/with-postgres true
	scripts/offline $(MAKE) test

test-probe: chromium ## play every bundled game with and without the probe and compare
	$(GO) test ./browser/probe -run '^TestGamesDoNotNotice$$' -probe.all -v -timeout 30m

test-adaptive: chromium ## finish three games in whole adaptive runs
	$(GO) test ./internal/qa/adapt -run '^TestWholeRuns$$' -whole -v -timeout 30m

test-all: chromium ## play everything of which make test plays a part each day
	$(GO) test ./internal/qa -run '^(TestOddGames|TestHostilePages|TestRounds|TestCases|TestDeadControlsAreCaught|TestGamesThatComeToAStop|TestIssuesAreNamed|TestMemory|TestModelsPlayAsLongAsTheMetadataSays)$$' -pages.all -v -timeout 150m
	$(GO) test ./internal/qa/search -run '^TestWordsOnlyOrder$$' -games.all -v -timeout 60m
	$(GO) test ./internal/qa/adapt -run '^(TestPuzzleOfLevels|TestTwoMenus|TestFastRunner)$$' -courses.all -v -timeout 30m

chaos: ## do to workers what happens to machines and look whether anything was lost (docs/reliability.md)
	$(GO) build -o bin/chaos ./bench/chaos
	bin/chaos -kills 60 -stops 5 -terms 5 -jumps 5
	scripts/with-postgres sh -c 'bin/chaos -kills 40 -stops 10 -terms 5 -jumps 5 -db "$$PLAYTEST_TEST_POSTGRES"'
	scripts/with-postgres sh -c 'bin/chaos -kills 40 -db "$$PLAYTEST_TEST_POSTGRES" -crash "$$PLAYTEST_TEST_POSTGRES_CRASH"'
	scripts/with-s3 scripts/with-postgres sh -c 'bin/chaos -kills 10 -stops 4 -terms 4 -cuts 8 -db "$$PLAYTEST_TEST_POSTGRES" -evidence "$$PLAYTEST_TEST_S3"'
	bin/chaos -full 5
	bin/chaos -power 6

chaos-selftest: ## take fencing and syncing out and look whether chaos notices (docs/reliability.md)
	scripts/chaos-selftest

chaos-games: chromium ## two workers share 200 bundled games, one is killed halfway (docs/reliability.md)
	$(GO) build -o bin/chaos ./bench/chaos
	scripts/with-postgres sh -c 'bin/chaos -games -runs 200 -slots 2 -patience 6h -db "$$PLAYTEST_TEST_POSTGRES"'

# How many runs make soak plays: make soak RUNS=20
RUNS ?= 500
soak: chromium ## play 500 mixed runs in one process and see that nothing grows (docs/reliability.md)
	$(GO) build -o bin/soak ./bench/soak
	bin/soak -runs $(RUNS)

dashboard: chromium build ## use the dashboard in a real Chromium and take pictures of every page (docs/server.md)
	$(GO) build -o bin/dashboard ./bench/dashboard
	bin/dashboard -playtest $(PLAYTEST) -out bin/shots $(if $(AXE),-axe $(AXE))

watchers: chromium build ## play a game with and without 200 clients watching, 50 of them stalled (docs/server.md)
	$(GO) build -o bin/watchers ./bench/watchers
	bin/watchers -playtest $(PLAYTEST) $(if $(APART),-apart)

lists: ## store 100,000 runs and time the list of them, in SQLite and Postgres (docs/server.md)
	$(GO) build -o bin/lists ./bench/lists
	bin/lists
	scripts/with-postgres sh -c 'bin/lists -db "$$PLAYTEST_TEST_POSTGRES"'

load: chromium ## play 1, 2, 4 and 8 runs side by side (docs/reliability.md)
	$(GO) build -o bin/soak ./bench/soak
	bin/soak -side 1,2,4,8

hostile: chromium ## play every hostile page beside games whose verdicts must not change (docs/reliability.md)
	$(GO) build -o bin/soak ./bench/soak
	bin/soak -hostile

# Which saved runs make pages shows: make pages RESULTS="results-a results-b"
RESULTS ?= $(dir $(wildcard playtest-results/*/report.json))
pages: chromium ## take pictures of the reports of saved runs: light, dark, phone, print (docs/reports.md)
	$(GO) run ./bench/pages -out playtest-results/pages $(RESULTS)

test-export: chromium build ## shrink runs of a broken game and run the exported tests (docs/replays.md)
	scripts/test-export

bench-batch: chromium build ## play the thirty bundled games as a batch, one by one and two at a time (docs/benchmarks.md)
	$(GO) run ./bench/batches -playtest $(PLAYTEST)

# Runs that are there already are used: make replays RUNS_OF=DIR
RUNS_OF ?= playtest-results/replays
replays: chromium build ## replay what runs of the bundled games observed, ten times each (docs/replays.md)
	$(GO) run ./bench/replays -playtest $(PLAYTEST) -runs $(RUNS_OF)

bench-peers: chromium ## measure the stage beside Stagehand 3 and 4, agent-browser and Playwright MCP (docs/peers.md)
	scripts/bench-peers

chromium:
	@scripts/setup-chromium

compiler:
	@scripts/setup-gcc

clean: ## remove what was built and what runs left behind
	rm -rf bin dist playtest-results
