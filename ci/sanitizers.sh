#!/usr/bin/env bash
# AddressSanitizer with LeakSanitizer, and ThreadSanitizer, on the plain tests. Each must first find
# the bug that is planted for it.
source "$(dirname "$0")/lib.sh"

host=$(rustc -vV | sed -n 's/^host: //p')
tests=(-p reveille --lib --tests --target "$host")
planted=(run --quiet --manifest-path ci/planted/Cargo.toml --target "$host" --bin)
cp Cargo.lock ci/planted/Cargo.lock

address=(env RUSTFLAGS="-Zsanitizer=address -Cunsafe-allow-abi-mismatch=sanitizer" CARGO_TARGET_DIR="$out/asan")
must_fail 'AddressSanitizer: heap-use-after-free' "${address[@]}" "${unstable_cargo[@]}" "${planted[@]}" use_after_free
must_fail 'LeakSanitizer: detected memory leaks' "${address[@]}" "${unstable_cargo[@]}" "${planted[@]}" leak
run "${address[@]}" timeout 900 "${unstable_cargo[@]}" test "${tests[@]}"
# In the models, too: a slot or a node that is freed early, in every interleaving. Without the canaries,
# whose panics cross loom's stacks; loom keeps some memory for good.
run "${address[@]}" ASAN_OPTIONS=detect_stack_use_after_return=0:detect_leaks=0 \
    timeout 900 "${unstable_cargo[@]}" test -p loom-tests --target "$host" -- -Zunstable-options --exclude-should-panic

# ThreadSanitizer needs a std that is instrumented as well: with the shipped one, each `Arc` that is
# dropped looks like a race.
have sanitizers || { skip_part thread "no source of std (Debian's rust-web-src) or no clang"; exit 0; }
clang=$(compgen -c clang- | grep -E '^clang-[0-9]+$' | sort -V | tail -n 1)
symbolizer=$(command -v "${clang/clang/llvm-symbolizer}")
thread=(env RUSTFLAGS="-Zsanitizer=thread -Zexternal-clangrt -Clinker=$clang -Clink-arg=-fsanitize=thread"
    TSAN_OPTIONS="external_symbolizer_path=$symbolizer suppressions=$PWD/ci/tsan.supp" CARGO_TARGET_DIR="$out/tsan")
must_fail 'ThreadSanitizer: data race' "${thread[@]}" "${debian_cargo[@]}" "${planted[@]}" race -Zbuild-std
# Without the tests of signals: a handler is put off until its thread calls something that the sanitizer
# knows, and those threads spin. And without one whose trap for system calls catches the sanitizer's own.
run "${thread[@]}" timeout 900 "${debian_cargo[@]}" test -Zbuild-std "${tests[@]}" -- \
    --skip signals:: --skip without_a_sleeper_there_is_no_system_call
