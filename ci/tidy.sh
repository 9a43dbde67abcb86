#!/usr/bin/env bash
# Form: formatting, shell scripts, and the rules of the house (ci/tidy), which no compiler checks.
source "$(dirname "$0")/lib.sh"

status=0
run cargo fmt --all --check || status=1
run rustfmt --check --edition 2024 ci/*/src/*.rs ci/*/src/bin/*.rs || status=1
if have tidy; then
    run shellcheck .ci/run ci/*.sh || status=1
else
    skip_part shellcheck "not installed"
fi
# First that the checks can find something, then that they do not.
run python3 ci/tidy/selftest.py || status=1
run python3 ci/tidy || status=1
exit $status
