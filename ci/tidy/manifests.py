"""What several files say about the crate must agree."""

import re
import tomllib


def _toml(tree, name):
    return tomllib.loads(tree.read(name) or "")


def mirror(tree):
    """loom-tests compiles the same source: same features, same dependencies, loom a plain one."""
    root, mirrored = _toml(tree, "Cargo.toml"), _toml(tree, "loom-tests/Cargo.toml")
    if root.get("features") != mirrored.get("features"):
        yield "loom-tests/Cargo.toml: features differ from Cargo.toml"
    # Dependencies of one platform belong to its wait backend, and the model brings its own.
    model = root.get("target", {}).get("cfg(reveille_loom)", {}).get("dependencies", {})
    wanted = {**root.get("dependencies", {}), **model}
    present = mirrored.get("dependencies", {})
    for name in sorted(wanted.keys() | present.keys()):
        if wanted.get(name) != present.get(name):
            yield f"loom-tests/Cargo.toml: dependency {name} is {present.get(name)}, in Cargo.toml {wanted.get(name)}"


def _inherited(manifest, key):
    value = manifest["package"].get(key)
    return manifest["workspace"]["package"][key] if isinstance(value, dict) else value


def versions(tree):
    """One version and one MSRV everywhere."""
    root = _toml(tree, "Cargo.toml")
    version, msrv = _inherited(root, "version"), _inherited(root, "rust-version")
    clippy = _toml(tree, "clippy.toml").get("msrv")
    if clippy != msrv:
        yield f"clippy.toml: msrv is {clippy}, in Cargo.toml {msrv}"
    for name in ("README.md", "CHANGELOG.md"):
        text = tree.read(name)
        if text is None:
            yield f"{name} is missing"
            continue
        said = re.findall(r"\b(?:MSRV|Rust)\b[^\d\n]{1,40}(1\.\d+)", text)
        if not said:
            yield f"{name}: does not say the MSRV, {msrv}"
        # A changelog also tells of former ones.
        for other in sorted(set(said if name == "README.md" else said[:1]) - {msrv}):
            yield f"{name}: says Rust {other}, in Cargo.toml {msrv}"
        if name == "CHANGELOG.md":
            newest = re.search(r"^## \[?v?(\d+\.\d+\.\d+)", text, re.MULTILINE)
            if not newest or newest[1] != version:
                yield f"{name}: the newest version is {newest and newest[1]}, in Cargo.toml {version}"
        else:
            for wanted in re.findall(r'reveille\s*=\s*(?:"|\{[^}\n]*version\s*=\s*")([\d.]+)', text):
                if not f"{version}.".startswith(f"{wanted}."):
                    yield f"{name}: asks for reveille {wanted}, the version is {version}"


CHECKS = [mirror, versions]
