#!/usr/bin/env bash
# The benches build, and a quick run of one suite ends well and writes lines that others can read.
source "$(dirname "$0")/lib.sh"

run cargo build --release -p reveille-bench
lines=$out/park.jsonl
rm -f "$lines"
run timeout 600 cargo run --quiet --release -p reveille-bench -- park --quick --json "$lines"
run python3 ci/json_lines.py "$lines" suite case impl metric unit median min max rounds
