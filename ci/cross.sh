#!/usr/bin/env bash
# Other word sizes, byte orders and system call tables: i686 on the host's kernel, aarch64 and s390x
# under qemu-user. It shows nothing about weak memory; that is what the models are for. Last, a spin
# model of the parker: a second proof of its protocol by another checker.
source "$(dirname "$0")/lib.sh"

ran=false

cross() {
    have cross || { skip_part "i686, aarch64, s390x" "no cross compilers or no qemu-user"; return; }
    ci/cross-std.sh "$out/rust-deb" || { skip_part "i686, aarch64, s390x" "no std for them"; return; }
    export CARGO_TARGET_I686_UNKNOWN_LINUX_GNU_LINKER=i686-linux-gnu-gcc
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64-static -L /usr/aarch64-linux-gnu"
    export CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER=s390x-linux-gnu-gcc
    export CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_RUNNER="qemu-s390x-static -L /usr/s390x-linux-gnu"
    local target
    for target in i686 aarch64 s390x; do
        # No doc tests: rustdoc of that version does not know how cargo passes it a runner.
        run env RUSTC="$(realpath "$out/rust-deb/rustc")" CARGO_TARGET_DIR="$out/deb" \
            timeout 900 cargo test -p reveille --lib --tests --target "$target-unknown-linux-gnu"
    done
    ran=true
}

# Spin explores every state: check MODEL BROKEN
explore() {
    local model
    model=$(realpath "$1")
    mkdir -p "$out/spin"
    (
        cd "$out/spin" || exit
        spin "-DBROKEN=$2" -a "$model"
        gcc -O1 -w -DSAFETY -o pan pan.c
        ./pan -m1000000 | tee pan.log
        grep -q 'errors: 0' pan.log && ! grep -qE 'max search depth too small|out of memory' pan.log
    )
}

models() {
    have spin || { skip_part spin "not installed"; return; }
    local model broken
    for model in ci/spin/*.pml; do
        run explore "$model" 0
        # It says how many ways it can be broken.
        for broken in $(seq "$(sed -n 's/.*BROKEN=1\.\.\([0-9]*\).*/\1/p' "$model")"); do
            must_fail 'assertion violated' explore "$model" "$broken"
        done
    done
    ran=true
}

cross
models
$ran || exit 77
