"""The checks can find something: each meets what it forbids, and what it allows."""

import sys
import tempfile
import unittest
from pathlib import Path

import manifests
import orderings
import proofs
import structure
import words
from source import Tree, mask

WEAK = "x.store(1, Ordering::Relaxed);"


class Checks(unittest.TestCase):
    def tree(self, files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, text in files.items():
            path = Path(folder.name, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return Tree(folder.name, files)

    def finds(self, check, files, *fragments):
        """The check reports exactly one thing per fragment, in any order."""
        found = list(check(self.tree(files)))
        self.assertEqual(len(found), len(fragments), found)
        for fragment in fragments:
            self.assertTrue(any(fragment in finding for finding in found), (fragment, found))

    def test_mask(self):
        code = 'a /* /* b */ "c */ d; \'{\' "\\"e" r#"f"#; // g\n\'h: loop {}'
        self.assertEqual(mask(code).split(), ["a", "d;", ";", "'h:", "loop", "{}"])
        self.assertEqual(len(mask(code)), len(code))

    def test_cfg(self):
        ok = '#[cfg(feature = "std")]\nfn f() { if cfg!(debug_assertions) {} }\n// cfg(target_os)\n'
        tests = "#[cfg(test)]\nmod tests { fn f() { #[cfg(target_os = \"linux\")] g(); } }\n"
        self.finds(structure.cfg, {"src/spin.rs": ok + tests, "src/sys/mod.rs": "#[cfg(target_os = \"x\")] mod a;"})
        self.finds(structure.cfg, {"src/spin.rs": '#[cfg(all(reveille_loom, feature = "a"))] mod a;'}, "reveille_loom")
        self.finds(structure.cfg, {"src/lib.rs": "fn f(a: [u8; 4]) { #[cfg(feature = \"a\")] g(); }"}, "inside a function")

    def test_sizes(self):
        self.finds(structure.sizes, {"src/lib.rs": "mod a;\n" * 60 + "// b\n\n", "src/a.rs": "c();\n" * 400})
        long = {"src/lib.rs": "mod a;\n" * 61, "src/a.rs": "c();\n" * 401, "src/b.rs": "// d\n" * 801}
        self.finds(structure.sizes, long, "lib.rs: 61", "a.rs: 401", "b.rs: 802")

    def test_edges(self):
        lib = "pub use parker::{Parker};\npub use time::Deadline;"
        ok = {
            "src/lib.rs": lib,
            "src/basket/mod.rs": "use crate::{shim::fence, parker::{A, B}, Parker}; use super::spin; mod a { use super::b; }",
            "src/integrations/merge/mod.rs": "use crate::{Deadline, Parker, basket::Basket};",
        }
        self.finds(structure.edges, ok)
        bad = {
            "src/lib.rs": lib,
            "src/sys/mod.rs": "use crate::Deadline;",
            "src/parker/slot.rs": "use super::super::basket::Basket;",
            "src/integrations/pool/mod.rs": "use crate::time::Deadline; use crate::merge::M;",
            "src/other.rs": "",
        }
        self.finds(structure.edges, bad, "sys uses", "parker uses", "crate::time is private", "integrations uses", "no layer")

    def test_integrations(self):
        parker = {"src/parker/mod.rs": "pub(crate) fn inner() {} pub fn outer() {}"}
        forbid = "#![forbid(unsafe_code)]\n"
        ok = {"src/integrations/merge/mod.rs": forbid, "src/integrations/merge/a.rs": "fn f() { p.outer(); }"}
        self.finds(structure.integrations, parker | ok)
        bad = {"src/integrations/pool/mod.rs": "fn f() { p.inner(); }"}
        self.finds(structure.integrations, parker | bad, "forbid", "inner is not public")

    def test_integrations_by_type(self):
        forbid = "#![forbid(unsafe_code)]\n"
        crate = {
            "src/shim/mod.rs": "pub(crate) fn turn() {}",
            "src/basket/mod.rs": "pub struct Basket; pub(crate) struct Chain;\n"
            "impl<F: Fn() -> R> Basket<F> where F: X { pub(crate) fn peek() {} }\n"
            "impl Chain { pub(crate) fn append() {} }",
        }
        use = {"src/integrations/a.rs": forbid + "use crate::shim::turn; fn f() { turn(); vec.append(x); self.leave(); }"}
        other = {"src/integrations/b.rs": forbid + "pub(super) fn leave() {}"}
        self.finds(structure.integrations, crate | use | other)
        bad = {"src/integrations/a.rs": forbid + "use crate::basket::{self, Chain};\nfn f() { basket.peek(); }"}
        self.finds(structure.integrations, crate | bad, "Chain is not public", "peek is not public")

    def test_safety(self):
        self.finds(structure.safety, {"src/a.rs": "// SAFETY: yes.\nunsafe { f() }\nunsafe fn g() {}"})
        self.finds(structure.safety, {"src/a.rs": "// SAFE\nunsafe { f() }\nunsafe impl Send for A {}"}, ":2", ":3")

    def test_ordering_comments(self):
        commented = f"// ORDERING(a.b): Relaxed — one.\n{WEAK}\n"
        self.finds(orderings.comments, {"src/a.rs": commented + commented, "src/sys/model.rs": WEAK})
        self.finds(orderings.comments, {"src/a.rs": "cell.swap(&other); fn load(order: Ordering) {}"})
        self.finds(orderings.comments, {"src/a.rs": f"{commented}{WEAK}\n{WEAK}"})
        self.finds(orderings.comments, {"src/a.rs": f"{commented}{WEAK.replace('Relaxed', 'Release')}"}, ":3: store")
        self.finds(orderings.comments, {"src/a.rs": f"{commented}f();\n{WEAK}"}, ":4: store")
        self.finds(orderings.comments, {"src/a.rs": commented.split("\n")[0] + "\n" + "f();\n" * 9 + WEAK}, ":11: store")
        self.finds(orderings.comments, {"src/a.rs": "fence(order);\nbarrier::light();"}, ":1: fence", ":2: barrier::light")

    def test_ordering_tags(self):
        self.finds(orderings.ends, {"src/a.rs": "// ORDERING(a.b): x; pairs with itself.\n"})
        two = "// ORDERING(a.b): x.\n\n// ORDERING(a.b): x.\n\n// ORDERING(c.d): pairs\n// with (a.b) in f().\n"
        self.finds(orderings.ends, {"src/a.rs": two})
        self.finds(orderings.ends, {"src/a.rs": "// ORDERING(a.b): x; pairs with (e.f).\n"}, "which is nowhere", "one end")

    def test_ordering_models(self):
        model = {"loom-tests/tests/park.rs": "#[test]\n#[should_panic]\nfn token() {}\nfn helper() {}"}
        self.finds(orderings.models, model | {"src/a.rs": "// ORDERING(a.b): x; dies in\n// park::token."})
        bad = "// ORDERING(a.b): dies in park::helper and park::gone, or else in basket::x."
        self.finds(orderings.models, model | {"src/a.rs": bad}, "park::helper", "park::gone")
        self.finds(orderings.models, model | {"src/a.rs": "// ORDERING(a.b): dies in basket::x."}, "basket::x")

    def test_ordering_mutants(self):
        strong = "x.load(Ordering::Acquire);"
        source = {"src/a.rs": f"f();\n{strong}\n{WEAK}\n{strong}"}
        patch = f"# model: a::b\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n f();\n-{strong}\n+{WEAK}\n {WEAK}"
        self.finds(orderings.mutants, source | {"loom-tests/mutants/m.patch": patch}, ":4: no mutant")
        self.finds(orderings.mutants, source, ":2: no mutant", ":4: no mutant")

    def test_ordering_table(self):
        head = "| tag | shape | ends | order | model that dies when weakened |\n|---|---|---|---|---|\n"
        source = {"src/a.rs": "// ORDERING(a.b): x.", "loom-tests/tests/park.rs": "#[test] fn token() {}"}
        row = "| `a.b` | MP | f, g | Release | park::token |\n"
        self.finds(orderings.table, source | {orderings.TABLE: head + row})
        self.finds(orderings.table, source | {orderings.TABLE: head + row + row}, "second row")
        self.finds(orderings.table, source | {orderings.TABLE: head + row.replace("token", "x")}, "park::x")
        self.finds(orderings.table, source | {orderings.TABLE: head + row.replace("MP", "")}, "empty cell")
        self.finds(orderings.table, source | {orderings.TABLE: head + row.replace("a.b", "c.d")}, "no row", "no ORDERING")
        self.finds(orderings.table, source, "missing")

    def test_proof_tables(self):
        tests = {"tests/park.rs": "#[test] fn one() {}\nmod more { #[test] fn two() {} }"}
        head = "## State × operation\n\n| | unpark | drop |\n|---|---|---|\n"
        good = head + "| empty | park::one | `park::more::two`, park::two |\n\n| not | checked |\n## Rest\n| a | |\n"
        other = {"docs/proofs/basket.md": head + "| full | park::one | impossible: by type |\n"}
        # A second table under the same heading has a heading row of its own.
        self.finds(proofs.tables, tests | other | {"docs/proofs/parker.md": good})
        self.finds(proofs.tables, tests | other | {"docs/proofs/parker.md": head + "| a | park::three | |\n"}, "three", "column 3")
        self.finds(proofs.tables, tests | other | {"docs/proofs/parker.md": "# Claims\n"}, "no table")
        self.finds(proofs.tables, tests | other, "missing")

    def test_manifests(self):
        root = '[workspace.package]\nversion = "0.1.0"\nrust-version = "1.85"\n[package]\nversion.workspace = true\n'
        root += 'rust-version.workspace = true\n[features]\na = []\n[dependencies]\nlibc = "1"\n'
        root += "[target.'cfg(reveille_loom)'.dependencies]\nloom = \"0.7\"\n"
        model = {"loom-tests/Cargo.toml": '[features]\na = []\n[dependencies]\nlibc = "1"\nloom = "0.7"\n'}
        self.finds(manifests.mirror, {"Cargo.toml": root} | model)
        self.finds(manifests.mirror, {"Cargo.toml": root, "loom-tests/Cargo.toml": ""}, "features", "libc", "loom")
        texts = {
            "Cargo.toml": root,
            "clippy.toml": 'msrv = "1.85"',
            "README.md": 'reveille = "0.1"\n\nMSRV: 1.85',
            "CHANGELOG.md": "## [Unreleased]\n## [0.1.0]\nMSRV 1.85\n",
        }
        self.finds(manifests.versions, texts)
        self.finds(manifests.versions, texts | {"README.md": "MSRV: 1.84\nreveille = \"0.2\""}, "1.84", "asks for")
        self.finds(manifests.versions, texts | {"CHANGELOG.md": "## [0.0.9]\n"}, "newest", "MSRV")
        self.finds(manifests.versions, texts | {"clippy.toml": ""}, "clippy")

    def test_words(self):
        self.finds(words.words, {"a.md": "see /usr/bin/cargo, target/work/x, methods, a todo list"})
        self.finds(words.words, {"a.md": "// TO" + "DO\n/wo" + "rk/x\nthe sub" + "agents"}, ":1", ":2", ":3")


if __name__ == "__main__":
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0).run(
        unittest.defaultTestLoader.loadTestsFromTestCase(Checks)
    )
    sys.exit(0 if result.wasSuccessful() else 1)
