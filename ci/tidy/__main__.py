"""Checks that no compiler makes: python3 ci/tidy [ROOT]. Prints what it finds; exits 1 if anything."""

import subprocess
import sys

import manifests
import orderings
import proofs
import structure
import words
from source import Tree

CHECKS = [check for module in (structure, orderings, proofs, manifests, words) for check in module.CHECKS]


def main(root):
    listing = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(listing, check=True, capture_output=True, text=True).stdout
    tree = Tree(root, sorted({file for file in files.split("\0") if file}))
    found = 0
    for check in CHECKS:
        findings = list(check(tree))
        found += len(findings)
        print(f"{'ok' if not findings else len(findings):>4}  {check.__module__}.{check.__name__}")
        for finding in findings:
            print(f"error: {finding}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
