#!/usr/bin/env bash
# Installs Debian packages by purpose: ci/install.sh [GROUP...], all groups without arguments.
# Exits 0 if everything is there afterwards. Leaves what is installed alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

groups=(tidy build-std sanitizers cross spin)
(($#)) && groups=("$@")

# LLVM's version follows rustc's.
llvm() {
    apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
        --no-replaces --no-enhances rustc-web 2>/dev/null | grep -oE 'libllvm[0-9]+' | grep -oE '[0-9]+' \
        | sort -n | tail -n 1
}

packages_of() {
    case $1 in
        tidy) echo shellcheck ;;
        build-std) echo "rustc-web cargo-web rust-web-src lld-$(llvm) binutils-mingw-w64-x86-64" ;;
        sanitizers) echo "rustc-web cargo-web rust-web-src clang-$(llvm) llvm-$(llvm) libclang-rt-$(llvm)-dev" ;;
        cross)
            echo qemu-user-static gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-s390x-linux-gnu \
                libc6-dev-s390x-cross gcc-i686-linux-gnu libc6-dev-i386-cross libc6-i386 \
                lib32gcc-s1
            ;;
        spin) echo spin ;;
        *)
            echo "no group named $1" >&2
            return 1
            ;;
    esac
}

missing() {
    local package
    for group in "${groups[@]}"; do
        for package in $(packages_of "$group"); do
            dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null \
                | grep -qx installed || echo "$package"
        done
    done
}

command -v apt-get >/dev/null || { echo "no apt-get: cannot install ${groups[*]}"; exit 1; }
mapfile -t wanted < <(missing)
((${#wanted[@]})) || exit 0
[[ $(id -u) == 0 ]] || { echo "not root: cannot install ${wanted[*]}"; exit 1; }

# Lists that are older than a few hours may name versions that the mirror no longer has. A third
# party's list that cannot be fetched is none of our business.
fresh=target/ci/apt-updated
mkdir -p target/ci
if [[ -z $(find "$fresh" -mmin -240 2>/dev/null) ]]; then
    apt-get -qq -o DPkg::Lock::Timeout=300 update || true
    touch "$fresh"
    mapfile -t wanted < <(missing)
fi
echo "+ apt-get install ${wanted[*]}"
DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
    -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "${wanted[@]}" >target/ci/apt.log 2>&1 \
    || { tail -n 5 target/ci/apt.log; exit 1; }
