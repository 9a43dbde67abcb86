#!/usr/bin/env bash
# Without features the crate needs neither std nor an allocator: a program that has neither links
# and runs. Then the targets that have no std at all, and other systems' std.
source "$(dirname "$0")/lib.sh"

cp Cargo.lock ci/no-std/Cargo.lock
manifest=(--manifest-path ci/no-std/Cargo.toml)
export CARGO_TARGET_DIR=$out/no-std
run cargo build --release "${manifest[@]}"
binary=$CARGO_TARGET_DIR/release/no-std-proof
run "$binary"
nm -C "$binary" | grep -q ' main$' || fail "$binary has no symbols to look at"
if nm -C "$binary" | grep -E 'std::|rust_eh|__rust_alloc'; then
    fail "$binary has symbols of std or of an allocator"
fi
must_fail 'E0152' cargo build --release "${manifest[@]}" --features evil

have build-std || { skip_part "other targets" "no source of std (Debian's rust-web-src)"; exit 0; }
# Nobody debugs these.
export CARGO_TARGET_DIR=$out/build-std CARGO_PROFILE_DEV_DEBUG=false CARGO_INCREMENTAL=0
lld=$(compgen -c ld.lld- | sort -V | tail -n 1)
export CARGO_TARGET_X86_64_UNKNOWN_NONE_LINKER=$lld CARGO_TARGET_THUMBV7EM_NONE_EABI_LINKER=$lld
bare=(--target x86_64-unknown-none --target thumbv7em-none-eabi)
run "${debian_cargo[@]}" build "${manifest[@]}" -Zbuild-std=core "${bare[@]}"
run "${debian_cargo[@]}" check -p reveille --lib --no-default-features --features alloc \
    -Zbuild-std=core,alloc "${bare[@]}" --target wasm32-unknown-unknown
# Only compiled: nothing here can run them.
run "${debian_cargo[@]}" check -p reveille --lib --all-features -Zbuild-std=std,panic_abort \
    --target aarch64-apple-darwin --target x86_64-pc-windows-gnu --target x86_64-unknown-freebsd
