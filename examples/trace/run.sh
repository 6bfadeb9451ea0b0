#!/bin/sh
# Ingest two files with foreign keys as a trace, and ask where an invoice is from: run.sh [FOLDER]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:-build/trace}"
cd "${1:-build/trace}"
cp "$here"/*.csv .
provhouse ingest orders.csv --map src_id=customer,dst_id=order \
    --src-table customers --dst-table orders --op "place order"
provhouse ingest invoices.csv --map src_id=order,dst_id=invoice \
    --src-table orders --dst-table invoices --op bill
provhouse lineage invoices/9 --format csv
provhouse impact customers/ann --out impact.svg
