#!/bin/sh
# Ingest the files of a night, and look for lineage that is missing: nightly.sh [FOLDER [RUN]]
# FOLDER is incoming by default, and RUN is nightly.
# The exit status is that of the ingest, or 8 if captured jobs have left lineage that is not stored.
set -eu

provhouse ingest "${1:-incoming}" --run "${2:-nightly}" --wait "${WAIT:-3600}"
provhouse status --format json | python3 -c '
import json, sys
status = json.load(sys.stdin)
for write in status["uncaptured"]:
    print("not captured:", write["table"], write["reason"], file=sys.stderr)
for job in status["waiting"]:
    print("not ingested:", job["folder"], job["error"], file=sys.stderr)
sys.exit(8 if status["uncaptured"] or status["waiting"] else 0)
'
