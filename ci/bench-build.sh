#!/usr/bin/env bash
# The benches build, and a quick run of one suite ends well and writes lines that others can read.
source "$(dirname "$0")/lib.sh"

run cargo build --release -p reveille-bench
lines=$out/park.jsonl
rm -f "$lines"
run timeout 600 cargo run --quiet --release -p reveille-bench -- park --quick --json "$lines"
run python3 - "$lines" <<'PYTHON'
import json
import sys

KEYS = {"suite", "case", "impl", "metric", "unit", "median", "min", "max", "rounds"}
with open(sys.argv[1], encoding="utf-8") as file:
    rows = [json.loads(line) for line in file]
for row in rows:
    assert KEYS <= row.keys(), f"{sorted(KEYS - row.keys())} missing in {row}"
    assert row["min"] <= row["median"] <= row["max"], row
assert rows, "no lines"
print(f"{len(rows)} lines")
PYTHON
