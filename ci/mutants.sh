#!/usr/bin/env bash
# Each mutant of the source must be killed by the model that claims to guard it.
source "$(dirname "$0")/lib.sh"

run timeout 1700 loom-tests/mutants/run
