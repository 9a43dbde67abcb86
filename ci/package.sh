#!/usr/bin/env bash
# What a user of the crate gets: the packaged crate builds, and so does a program on top of it, which
# runs, and which is model-checked.
source "$(dirname "$0")/lib.sh"

run cargo publish -p reveille --dry-run --allow-dirty
version=$(cargo metadata --no-deps --format-version 1 \
    | python3 -c 'import json, sys; print(*(p["version"] for p in json.load(sys.stdin)["packages"] if p["name"] == "reveille"))')
run cargo package -p reveille --allow-dirty --no-verify

packaged=$out/packaged
rm -rf "$packaged"
mkdir -p "$packaged"
run tar --extract --gzip --strip-components=1 --directory="$packaged" --file="target/package/reveille-$version.crate"
for unwanted in ci .ci loom-tests benches; do
    [[ ! -e $packaged/$unwanted ]] || fail "the package contains $unwanted"
done

cp Cargo.lock ci/downstream/Cargo.lock
export CARGO_TARGET_DIR=$out/downstream
run cargo test --manifest-path ci/downstream/Cargo.toml
run env RUSTFLAGS="--cfg reveille_loom" CARGO_TARGET_DIR="$out/downstream-model" \
    timeout 300 cargo test --release --manifest-path ci/downstream/Cargo.toml
