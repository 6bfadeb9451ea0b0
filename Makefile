.PHONY: tour cluster containers bench-tracing bench-capture bench-capture-tpcds bench-capture-memory bench-capture-nights bench-capture-changes bench-capture-versions bench-builds bench-set-graph files help setup demo bench-ingest bench-large bench-methods bench-plots bench-explain bench-serve bench-enter bench-sets bench-components bench-peers test test-long soak fuzz sbom audit lint format lock lock-jars jars-all clean bench-what-if bench-equivalence bench-interactive bench-interactive-all coverage-interactive bench-crossfilter bench-programs bench-workflowgen bench-dbt site release bench-result-diff bench-frames bench-started bench-dbt-lineage
.DEFAULT_GOAL := help

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install what provhouse needs: virtual environment, Java (as root), Neo4j's and Delta's jars
	@tools/setup.sh

demo: ## Explain a surprising figure from 336,776 real flights by its lineage
	@tools/setup.sh demo
	@.venv/bin/python examples/flights/run.py

tour: setup ## Edit the demo's pipeline ten times: captured, explored, zoomed, asked what-if, reused by proof
	@.venv/bin/python examples/flights/tour.py

bench-methods: setup ## Measure RQ, CCProv and CSProv on the paper's trace (WAREHOUSE=DIR with it; COPIES=9 for nine copies)
	@.venv/bin/python -m benchmarks.questions.methods $(if $(COPIES),--copies $(COPIES)) $(if $(WAREHOUSE),--warehouse $(WAREHOUSE))
	@.venv/bin/python -m benchmarks.tables

bench-explain: setup ## Measure the accuracy of `provhouse explain`, on the demo's warehouse
	@.venv/bin/python -m benchmarks.questions.explain
	@.venv/bin/python -m benchmarks.tables

bench-sets: setup ## Measure what questions read with different sets (SAMPLES=DIR adds traces)
	@.venv/bin/python -m benchmarks.sets.set_sizes $(if $(SAMPLES),--samples $(SAMPLES))
	@.venv/bin/python -m benchmarks.tables

bench-crossfilter: setup ## Measure brushes in linked views beside SQL, cubes and scans (ROWS=10000000, MOVES=60)
	@.venv/bin/python -m benchmarks.charts.crossfilter_speed $(if $(ROWS),--rows $(ROWS)) $(if $(MOVES),--moves $(MOVES))
	@.venv/bin/python -m benchmarks.tables

bench-components: setup ## Compare components with scipy, igraph and others; installs them (COPIES=9 adds copies)
	@.venv/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes -r locks/bench.lock
	@.venv/bin/python -m benchmarks.ingest.component_speed $(if $(COPIES),--copies $(COPIES))
	@.venv/bin/python -m benchmarks.tables

bench-peers: setup ## Compare lineage and impact with igraph, Ladybug, Neo4j, DuckDB and Spark; installs them (COPIES=9 for nine copies)
	@.venv/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes -r locks/bench.lock
	@.venv/bin/python -m benchmarks.peers.peers $(if $(COPIES),--copies $(COPIES)) $(if $(WAREHOUSE),--warehouse $(WAREHOUSE))
	@.venv/bin/python -m benchmarks.tables

bench-plots: setup ## Redraw the pictures of docs/benchmarks.md; installs matplotlib
	@.venv/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes -r locks/bench.lock
	@.venv/bin/python -m benchmarks.plots

bench-serve: setup ## Measure the server under load for a quarter of an hour (WAREHOUSE=DIR with the paper's trace)
	@.venv/bin/python -m benchmarks.server.serve --warehouse $(WAREHOUSE)
	@.venv/bin/python -m benchmarks.tables

bench-what-if: setup ## Measure what-if deletion (WAREHOUSE=DIR with the paper's trace)
	@.venv/bin/python -m benchmarks.what_if.what_if $(if $(WAREHOUSE),--warehouse $(WAREHOUSE)) $(if $(TRIPLES),--triples $(TRIPLES))
	@.venv/bin/python -m benchmarks.tables

bench-equivalence: setup ## Measure verdicts on pairs of queries, and execute those called equal (SUITES="tpch tpcds mutants hazards", MOST=2000, PARTS=FILE to continue an ended run)
	@.venv/bin/python -m benchmarks.equivalence.pairs --execute $(if $(SUITES),--suites $(SUITES)) $(if $(MOST),--most $(MOST)) $(if $(PARTS),--parts $(PARTS))
	@.venv/bin/python -m benchmarks.equivalence.edits
	@.venv/bin/python -m benchmarks.tables

bench-workflowgen: setup ## Measure the workflows of the Lipstick paper on DuckDB, with capture and without
	@.venv/bin/python -m benchmarks.workflows.workflowgen
	@.venv/bin/python -m benchmarks.tables

bench-dbt: setup ## Measure which models of a dbt project 200 edits build (STEPS=200)
	@.venv/bin/python -m benchmarks.workflows.dbt_edits $(if $(STEPS),--steps $(STEPS))
	@.venv/bin/python -m benchmarks.tables

bench-dbt-lineage: setup ## Measure what the lineage of a dbt project costs, beside plain dbt (MODELS="100 300", PAIRS=1)
	@.venv/bin/python -m benchmarks.workflows.dbt_lineage $(if $(MODELS),--models $(MODELS)) $(if $(PAIRS),--pairs $(PAIRS))
	@.venv/bin/python -m benchmarks.tables

bench-result-diff: setup ## Time the difference of two stored results (RECORDS=2000000)
	@.venv/bin/python -m benchmarks.workflows.result_diff $(if $(RECORDS),--records $(RECORDS))
	@.venv/bin/python -m benchmarks.tables

bench-started: setup ## Time queries that start at stored results, and reruns over changed records (YEARS=10)
	@.venv/bin/python -m benchmarks.workflows.started $(if $(YEARS),--years $(YEARS))

bench-frames: setup ## Measure what lineage costs operations of pandas and polars (ROWS=200000, REPEATS=5)
	@.venv/bin/python -m benchmarks.frames.frames_speed $(if $(ROWS),--rows $(ROWS)) $(if $(REPEATS),--repeats $(REPEATS))
	@.venv/bin/python -m benchmarks.tables

bench-set-graph: setup ## Import and walk a large set graph in Neo4j (WAREHOUSE=DIR of one ingest; SETS=20000000)
	@.venv/bin/python -m benchmarks.sets.set_graph --warehouse $(WAREHOUSE) $(if $(SETS),--sets $(SETS))
	@.venv/bin/python -m benchmarks.tables

bench-capture: setup ## Measure what capture costs the 22 queries of TPC-H; installs their generator (SCALE=1, REPEATS=3, QUERIES="q01 q18")
	@.venv/bin/uv venv --quiet --allow-existing --python .venv/bin/python .long/tpch
	@.venv/bin/uv pip install --quiet --python .long/tpch/bin/python --require-hashes --requirement locks/tpch.lock
	@.venv/bin/python -m benchmarks.capture.overhead $(if $(SCALE),--scale $(SCALE)) $(if $(REPEATS),--repeats $(REPEATS)) $(if $(QUERIES),--queries $(QUERIES))
	@.venv/bin/python -m benchmarks.tables

bench-programs: setup ## Measure what capture costs grep, word count and PigMix, as RDDs and data frames; continues where it stopped (SIZE=1 gigabyte, REPEATS=5, PROGRAMS="grep L2", FOLDER=DIR, OUTPUT=FILE)
	@.venv/bin/python -m benchmarks.capture.programs $(if $(SIZE),--size $(SIZE)) $(if $(REPEATS),--repeats $(REPEATS)) $(if $(PROGRAMS),--programs $(PROGRAMS)) $(if $(FOLDER),--folder $(FOLDER)) $(if $(OUTPUT),--output $(OUTPUT))
	@.venv/bin/python -m benchmarks.tables

bench-capture-tpcds: setup ## Measure what capture costs the 103 queries of TPC-DS (SCALE=1, REPEATS=1, QUERIES="q1 q14a")
	@.venv/bin/python -m benchmarks.capture.tpcds $(if $(SCALE),--scale $(SCALE)) $(if $(REPEATS),--repeats $(REPEATS)) $(if $(QUERIES),--queries $(QUERIES))
	@.venv/bin/python -m benchmarks.tables

coverage-interactive: setup ## Check the lineage of all queries of TPC-H and TPC-DS on DuckDB; and of generated SQL; continues where it stopped (SUITES="tpch tpcds", TEXTS=20000, PROCESSES=2)
	@.venv/bin/python -m benchmarks.interactive.coverage $(if $(SUITES),--suites $(SUITES))
	@.venv/bin/python -m benchmarks.interactive.generated $(if $(TEXTS),--texts $(TEXTS)) $(if $(PROCESSES),--processes $(PROCESSES))
	@.venv/bin/python -m benchmarks.tables

bench-interactive: setup ## Measure lineage of queries on DuckDB beside other ways to it; continues where it stopped (SCALE=1, ROWS=10000000, REPEATS=5, OUTPUT=FILE)
	@.venv/bin/python -m benchmarks.interactive.interactive $(if $(SCALE),--scale $(SCALE)) $(if $(ROWS),--rows $(ROWS)) $(if $(REPEATS),--repeats $(REPEATS)) $(if $(OUTPUT),--output $(OUTPUT))
	@.venv/bin/python -m benchmarks.tables

bench-interactive-all: setup ## Measure the capture of all references of queries on DuckDB (ROWS=1500000, REPEATS=3)
	@.venv/bin/python -m benchmarks.interactive.all $(if $(ROWS),--rows $(ROWS)) $(if $(REPEATS),--repeats $(REPEATS))
	@.venv/bin/python -m benchmarks.tables

bench-capture-memory: setup ## Measure the memory of captured jobs beside plain Spark (SCALE=1, REPEATS=3)
	@.venv/bin/python -m benchmarks.capture.capture_memory $(if $(SCALE),--scale $(SCALE)) $(if $(REPEATS),--repeats $(REPEATS))
	@.venv/bin/python -m benchmarks.tables

bench-capture-nights: setup ## Measure nightly captured runs of a star schema (NIGHTS=200; half an hour)
	@.venv/bin/python -m benchmarks.capture.nights $(if $(NIGHTS),--nights $(NIGHTS))
	@.venv/bin/python -m benchmarks.tables

bench-capture-versions: jars-all ## Measure what capture costs the 22 queries of TPC-H on each version of Spark (SPARK="3.5 4.0", SCALE=1, REPEATS=3)
	@.venv/bin/uv venv --quiet --allow-existing --python .venv/bin/python .long/tpch
	@.venv/bin/uv pip install --quiet --python .long/tpch/bin/python --require-hashes --requirement locks/tpch.lock
	@.venv/bin/python -m benchmarks.capture.versions $(if $(SPARK),--spark $(SPARK)) $(if $(SCALE),--scale $(SCALE)) $(if $(REPEATS),--repeats $(REPEATS))
	@.venv/bin/python -m benchmarks.tables

bench-capture-changes: setup ## Measure captured UPDATE, DELETE and MERGE of a Delta table (ROWS=5000000, REPEATS=3)
	@.venv/bin/python -m benchmarks.capture.changes $(if $(ROWS),--rows $(ROWS)) $(if $(REPEATS),--repeats $(REPEATS))

bench-tracing: setup ## Measure walks of captured lineage, replays and searches for planted faults; continues where it stopped (SCALE=1, REPEATS=5, FAULTS=20, ROWS=1000000 for faults, SIZES="0.05 1" gigabytes for programs, OUTPUT=FILE)
	@.venv/bin/uv venv --quiet --allow-existing --python .venv/bin/python .long/tpch
	@.venv/bin/uv pip install --quiet --python .long/tpch/bin/python --require-hashes --requirement locks/tpch.lock
	@.venv/bin/python -m benchmarks.tracing.tracing $(if $(SCALE),--scale $(SCALE)) $(if $(REPEATS),--repeats $(REPEATS)) $(if $(FAULTS),--faults $(FAULTS)) $(if $(ROWS),--rows $(ROWS)) $(if $(SIZES),--sizes $(SIZES)) $(if $(OUTPUT),--output $(OUTPUT))
	@.venv/bin/python -m benchmarks.tables

bench-enter: setup ## Measure complete commands, from Enter to the answer (WAREHOUSE=DIR with the paper's trace)
	@.venv/bin/python -m benchmarks.questions.enter --warehouse $(WAREHOUSE)
	@.venv/bin/python -m benchmarks.tables

bench-builds: setup ## Compare two builds in interleaved pairs (BEFORE=, AFTER=: their provhouse; TRACE=folder of CSV)
	@.venv/bin/python -m benchmarks.ingest.builds --before $(BEFORE) --after $(AFTER) --trace $(TRACE)
	@.venv/bin/python -m benchmarks.tables

bench-ingest: bench-components bench-sets ## Measure components, sets, and a complete ingest of the paper's trace with appends
	@.venv/bin/python -m benchmarks.ingest.ingest
	@.venv/bin/python -m benchmarks.tables

bench-large: ## Measure components and an ingest of nine copies of that trace, 58 million triples (half an hour)
	@$(MAKE) bench-components COPIES=9
	@.venv/bin/python -m benchmarks.ingest.ingest --copies 9
	@.venv/bin/python -m benchmarks.tables

test: ## Run the tests of every change: about ten minutes on two cores
	@echo "make test takes about ten minutes on two cores"
	@tools/setup.sh
	@.venv/bin/pytest --numprocesses 3 --dist loadscope --no-loadscope-reorder --timeout 600

test-long: setup ## Kill commands at every fault point and at random (hours; continues where it stopped; MINUTES=110, PARTS=2 PART=1)
	@.venv/bin/pytest -m long --maxfail=10 tests --ignore=tests/fire/test_soak.py
	@.venv/bin/pytest -q --hypothesis-profile deep $$(grep -rl --include='*.py' '^@given' tests)
	@.venv/bin/python -m benchmarks.server.reliability
	@.venv/bin/python -m benchmarks.capture.capture_coverage
	@.venv/bin/python -m benchmarks.capture.spark_versions
	@.venv/bin/python -m benchmarks.tables

cluster: setup ## Compare a standalone Spark cluster on loopback with one machine; one run loses workers (TRIPLES=200000)
	@.venv/bin/python -m benchmarks.cluster.cluster_speed $(if $(TRIPLES),--triples $(TRIPLES))

soak: setup ## Test a server under mixed load for an hour, with writers and kills of Neo4j (MINUTES=5 for less)
	@.venv/bin/pytest -q -m long tests/fire/test_soak.py
	@.venv/bin/python -m benchmarks.server.soak .long/soak.json
	@.venv/bin/python -m benchmarks.tables

fuzz: setup ## Try 100,000 odd inputs on settings, options, readers and HTTP in a quarter of an hour; installs schemathesis
	@.venv/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes -r locks/fuzz.lock
	@mkdir -p .long && rm -f .long/fuzz.jsonl
	@PROVHOUSE_FUZZ=7000 PROVHOUSE_FUZZ_RECORD=$(CURDIR)/.long/fuzz.jsonl .venv/bin/pytest -q -m 'long or not long' \
		-k 'not whole_ingests' --numprocesses 2 --dist loadscope --no-loadscope-reorder \
		tests/serve/test_fuzz.py tests/ingest/test_fuzz.py tests/ingest/test_fuzz_declared.py tests/model/test_fuzz.py tests/cli/test_fuzz.py
	@.venv/bin/python -m benchmarks.server.fuzz .long/fuzz.jsonl
	@.venv/bin/python -m benchmarks.tables

release: setup ## Build a release from the last commit into dist: wheel, source distribution, jar, checksums (docs/releasing.md)
	@.venv/bin/python tools/release.py dist

site: setup ## Build the site of the documentation into build/site/html; installs its generator
	@.venv/bin/uv venv --quiet --allow-existing --python .venv/bin/python .long/site
	@.venv/bin/uv pip install --quiet --system-certs --python .long/site/bin/python --require-hashes --requirement locks/site.lock
	@.venv/bin/python tools/site_source.py build/site/source
	@.long/site/bin/zensical build --strict --clean

sbom: setup ## Write the software bill of materials (CycloneDX JSON) to build/sbom.cdx.json
	@.venv/bin/python tools/sbom.py build/sbom.cdx.json

audit: setup ## Check the locked Python packages for known vulnerabilities (needs the network; installs pip-audit)
	@.venv/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes -r locks/audit.lock
	@.venv/bin/python tools/audit.py

containers: setup ## Lint the Dockerfile, the scripts, the compose files and the manifest in docker/; installs linters
	@tools/containers.sh

jars-all: setup ## Compile the Java of capture for all versions of Spark; downloads them (1.5 GB)
	@.venv/bin/python tools/jars_all.py

files: setup ## List every module with what it is for
	@.venv/bin/python tools/file_list.py

lint: setup ## Check format, lint, types, layers and words
	.venv/bin/ruff format --check
	.venv/bin/ruff check
	.venv/bin/mypy
	.venv/bin/mypy tests tools examples benchmarks docker
	cd typings && ../.venv/bin/lint-imports --config ../pyproject.toml
	.venv/bin/python tools/words.py

format: setup ## Format the code and fix what the linter can fix
	.venv/bin/ruff format
	.venv/bin/ruff check --fix

lock: setup ## Update the locks of the Python packages (for maintainers)
	tools/lock.sh

lock-jars: setup ## Update the lock of the jars (for maintainers; needs mvn)
	.venv/bin/python tools/lock_jars.py

clean: ## Remove the virtual environment and the tools' caches; keep warehouses and downloaded jars
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache provhouse.egg-info
