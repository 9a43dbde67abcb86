# Sourced by every stage. A stage prints each command it runs, stops at the first that fails, and
# exits 77 with a line `SKIPPED stage: reason` when the machine lacks what it needs.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

stage=$(basename "$0" .sh)
out=target/ci
mkdir -p "$out"
# A backtrace overflows the small stacks of loom's threads: a model that fails would hang.
export CARGO_TERM_COLOR=never RUST_BACKTRACE=0 PYTHONDONTWRITEBYTECODE=1
# What a developer's shell may hold and what would change the outcome. The two LOOM ones end a model
# early and let it pass.
unset RUSTFLAGS CARGO_TARGET_DIR CARGO_BUILD_TARGET LOOM_MAX_DURATION LOOM_MAX_PERMUTATIONS \
    LOOM_MAX_PREEMPTIONS LOOM_MAX_BRANCHES

# Commands are shown on standard error: the output of one may go to a file.
show() {
    printf '+%s%s\n' "$(printf ' %q' "${@:2}")" "$1" >&2
}

run() {
    show "" "$@"
    "$@"
}

# The whole stage cannot run here: skip REASON
skip() {
    printf 'SKIPPED %s: %s\n' "$stage" "$*"
    exit 77
}

# A part of the stage cannot: skip_part PART REASON
skip_part() {
    printf 'SKIPPED %s (%s): %s\n' "$stage" "$1" "${*:2}"
}

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# Negative control: the command must fail and print PATTERN. must_fail PATTERN COMMAND...
must_fail() {
    local pattern=$1 log=$out/must-fail.log
    shift
    show "   # must fail: $pattern" "$@"
    if "$@" >"$log" 2>&1; then
        fail "this should have failed: $*"
    fi
    if ! grep -qE -- "$pattern" "$log"; then
        cat "$log"
        fail "this failed, but without '$pattern': $*"
    fi
}

# Debian packages, see install.sh; false if they cannot be had. have GROUP...
have() {
    ci/install.sh "$@"
}

# shellcheck disable=SC2034 # for the stages
# Cargo with unstable flags: nightly where there is one, else stable told to take them.
unstable_cargo=(cargo +nightly)
if ! rustup toolchain list 2>/dev/null | grep -q '^nightly'; then
    # shellcheck disable=SC2034
    unstable_cargo=(env RUSTC_BOOTSTRAP=1 cargo)
fi
# shellcheck disable=SC2034
# Debian's newest rustc, which comes with the source of std and so builds it for any target.
debian_cargo=(env RUSTC=/usr/bin/rustc RUSTDOC=/usr/bin/rustdoc RUSTC_BOOTSTRAP=1 /usr/bin/cargo)

# The work tree as git would commit it, copied: copy_tree DIRECTORY
copy_tree() {
    rm -rf "$1"
    mkdir -p "$1"
    git ls-files -z --cached --others --exclude-standard --deduplicate \
        | while IFS= read -r -d '' file; do if [ -e "$file" ]; then printf '%s\0' "$file"; fi; done \
        | tar --null --create --files-from=- | tar --extract --directory="$1"
}
