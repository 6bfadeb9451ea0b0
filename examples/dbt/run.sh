#!/bin/sh
# Build a shop with dbt, and draw which rows a customer's total was made from: run.sh [FOLDER]
set -eu

shop=$(cd "$(dirname "$0")/shop" && pwd)
mkdir -p "${1:-build/dbt}"
cd "${1:-build/dbt}"
cp -R "$shop/." .
provhouse dbt build
provhouse lineage customers/ann --format csv
provhouse lineage customers/ann --out ann.svg
