.PHONY: bench-builds files help setup demo bench-ingest bench-large bench-methods bench-worst bench-plots bench-explain bench-serve bench-enter bench-sets bench-components bench-peers test test-long soak fuzz sbom audit lint format lock lock-jars clean
.DEFAULT_GOAL := help

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install everything this needs: virtual environment, Java (as root), Neo4j's and Delta's jars
	@tools/setup.sh

demo: setup ## Explain a surprising figure of 336,776 real flights from their lineage
	@.venv/bin/python examples/flights/run.py

bench-methods: setup ## Measure RQ, CCProv and CSProv on the paper's trace (WAREHOUSE=folder of it; COPIES=9 for nine copies)
	@.venv/bin/python benchmarks/methods.py $(if $(COPIES),--copies $(COPIES)) $(if $(WAREHOUSE),--warehouse $(WAREHOUSE))
	@.venv/bin/python benchmarks/tables.py

bench-worst: setup ## Measure the largest questions of traces of thousands of levels
	@.venv/bin/python benchmarks/worst.py
	@.venv/bin/python benchmarks/tables.py

bench-explain: setup ## Measure how near the estimates of `provhouse explain` come, on the demo's warehouse
	@.venv/bin/python benchmarks/explain.py
	@.venv/bin/python benchmarks/tables.py

bench-sets: setup ## Measure what sets let questions read, for docs/benchmarks.md (SAMPLES=folder adds traces)
	@.venv/bin/python benchmarks/sets.py $(if $(SAMPLES),--samples $(SAMPLES))
	@.venv/bin/python benchmarks/tables.py

bench-components: setup ## Measure components beside scipy, igraph and others, which it installs (COPIES=9 adds copies)
	@.venv/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes -r requirements-bench.lock
	@.venv/bin/python benchmarks/components.py $(if $(COPIES),--copies $(COPIES))
	@.venv/bin/python benchmarks/tables.py

bench-peers: setup ## Measure lineage and impact beside igraph, Ladybug, Neo4j, DuckDB and Spark, which it installs (COPIES=9 for nine copies)
	@.venv/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes -r requirements-bench.lock
	@.venv/bin/python benchmarks/peers.py $(if $(COPIES),--copies $(COPIES)) $(if $(WAREHOUSE),--warehouse $(WAREHOUSE))
	@.venv/bin/python benchmarks/tables.py

bench-plots: setup ## Draw what was measured anew, with matplotlib, which it installs
	@.venv/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes -r requirements-bench.lock
	@.venv/bin/python benchmarks/plots.py

bench-serve: setup ## Measure the server under load for a quarter of an hour (WAREHOUSE=folder of the paper's trace)
	@.venv/bin/python benchmarks/serve.py --warehouse $(WAREHOUSE)
	@.venv/bin/python benchmarks/tables.py

bench-enter: setup ## Measure whole commands, from Enter to the answer (WAREHOUSE=folder of the paper's trace)
	@.venv/bin/python benchmarks/enter.py --warehouse $(WAREHOUSE)
	@.venv/bin/python benchmarks/tables.py

bench-builds: setup ## Compare two builds in interleaved pairs (BEFORE=, AFTER=: their provhouse; TRACE=folder of CSV)
	@.venv/bin/python benchmarks/builds.py --before $(BEFORE) --after $(AFTER) --trace $(TRACE)
	@.venv/bin/python benchmarks/tables.py

bench-ingest: bench-components bench-sets ## Measure components, sets, and a whole ingest of the paper's trace with appends
	@.venv/bin/python benchmarks/ingest.py
	@.venv/bin/python benchmarks/tables.py

bench-large: ## The same of nine copies of that trace, 58 million triples (half an hour)
	@$(MAKE) bench-components COPIES=9
	@.venv/bin/python benchmarks/ingest.py --copies 9
	@.venv/bin/python benchmarks/tables.py

test: setup ## Run all tests
	@.venv/bin/pytest --numprocesses 2 --dist loadscope --no-loadscope-reorder

test-long: setup ## Kill commands at every fault point and at random (hours; goes on where it was; MINUTES=110, PARTS=2 PART=1)
	@.venv/bin/pytest -m long --maxfail=10 tests --ignore=tests/fire/test_soak.py
	@.venv/bin/python benchmarks/reliability.py
	@.venv/bin/python benchmarks/tables.py

soak: setup ## A server under mixed load for an hour, with writers and kills of Neo4j (MINUTES=5 for less)
	@.venv/bin/pytest -q -m long tests/fire/test_soak.py
	@.venv/bin/python benchmarks/soak.py .long/soak.json
	@.venv/bin/python benchmarks/tables.py

fuzz: setup ## Try 100,000 odd inputs on settings, options, readers and the HTTP interface in a quarter of an hour; installs schemathesis
	@.venv/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes -r requirements-fuzz.lock
	@mkdir -p .long && rm -f .long/fuzz.jsonl
	@PROVHOUSE_FUZZ=7000 PROVHOUSE_FUZZ_RECORD=$(CURDIR)/.long/fuzz.jsonl .venv/bin/pytest -q -m 'long or not long' \
		-k 'not whole_ingests' --numprocesses 2 --dist loadscope --no-loadscope-reorder \
		tests/serve/test_fuzz.py tests/ingest/test_fuzz.py tests/model/test_fuzz.py tests/cli/test_fuzz.py
	@.venv/bin/python benchmarks/fuzz.py .long/fuzz.jsonl
	@.venv/bin/python benchmarks/tables.py

sbom: setup ## Write what this is made of, as CycloneDX JSON, from the locks to build/sbom.cdx.json
	@.venv/bin/python tools/sbom.py build/sbom.cdx.json

audit: setup ## Ask whether anything in the locks is known to be vulnerable (needs the network; installs pip-audit)
	@.venv/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes -r requirements-audit.lock
	@.venv/bin/python tools/audit.py

files: setup ## List every module with what it is for
	@.venv/bin/python tools/files.py

lint: setup ## Check format, lint, types and layers
	.venv/bin/ruff format --check
	.venv/bin/ruff check
	.venv/bin/mypy
	.venv/bin/mypy tests tools examples benchmarks
	.venv/bin/python tools/layers.py

format: setup ## Format the code and mend what the linter can mend
	.venv/bin/ruff format
	.venv/bin/ruff check --fix

lock: setup ## Make the locks of the Python packages anew (for maintainers)
	tools/lock.sh

lock-jars: setup ## Make the lock of the jars anew (for maintainers; needs mvn)
	.venv/bin/python tools/lock_jars.py

clean: ## Remove the virtual environment and what tools left; warehouses and the jars' cache stay
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache provhouse.egg-info
