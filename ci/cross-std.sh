#!/usr/bin/env bash
# Debian's rustc-web of the stable release, with std for other architectures, unpacked under
# DIRECTORY: ci/cross-std.sh DIRECTORY. The architectures stay unknown to dpkg (a list that is out of
# step would break every later install), and rustup's toolchains stay as they are.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ -x $1/rustc ]] && "$1/rustc" -V >/dev/null 2>&1 && exit 0
if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
    echo "needs root and apt-get"
    exit 1
fi
mkdir -p target/ci "$1"
prefix=$(realpath "$1")
work=$(mktemp -d "$PWD/target/ci/cross-std.XXXXXX")
trap 'rm -rf "$work"' EXIT

# The mirror that this machine uses for the release itself; its updates do not have every architecture.
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
# shellcheck disable=SC2016 # apt-get fills the format in
mirror=$(apt-get indextargets --format '$(REPO_URI)' \
    'Created-By: Packages' 'Origin: Debian' "Codename: $codename" 'Component: main' | head -n 1)
[[ $mirror ]] || { echo "no Debian mirror is configured, or apt-get update never ran"; exit 1; }

mkdir -p "$work"/{lists/partial,cache/archives/partial,sources,debs}
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $codename main" >"$work/sources/main.list"
: >"$work/status"
cat >"$work/apt.conf" <<CONF
APT::Architectures { "amd64"; "i386"; "arm64"; "s390x"; };
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
Dir::State::lists "$work/lists";
Dir::State::status "$work/status";
Dir::Cache "$work/cache";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$work/sources";
CONF
private() { APT_CONFIG=$work/apt.conf "$@"; }

echo "+ apt-get download rustc-web and libstd-rust-web-dev for i386, arm64, s390x"
private apt-get -qq update
version=$(private apt-cache policy rustc-web | sed -n 's/.*Candidate: //p')
std=libstd-rust-web-$(cut -d. -f1,2 <<<"$version")
std=$(private apt-cache depends "libstd-rust-web-dev=$version" | grep -oE "${std}[.0-9]*" | head -n 1)
(
    cd "$work/debs" || exit
    private apt-get -qq download "rustc-web=$version" "$std=$version" \
        "libstd-rust-web-dev=$version" libstd-rust-web-dev:{i386,arm64,s390x}="$version"
    for package in *.deb; do dpkg-deb --extract "$package" "$prefix"; done
)
llvm=$(private apt-cache depends "$std=$version" | grep -oE 'libllvm[0-9]+' | head -n 1)
DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends -o DPkg::Lock::Timeout=300 \
    "$llvm" >target/ci/apt.log 2>&1 || { tail -n 5 target/ci/apt.log; exit 1; }

for tool in rustc rustdoc; do
    cat >"$prefix/$tool" <<WRAPPER
#!/bin/sh
LD_LIBRARY_PATH=$prefix/usr/lib/x86_64-linux-gnu\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH} exec $prefix/usr/bin/$tool "\$@"
WRAPPER
    chmod +x "$prefix/$tool"
done
"$prefix/rustc" -V
