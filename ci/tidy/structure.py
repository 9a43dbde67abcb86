"""Where things may stand: cfg, sizes, the arrows between modules, unsafe and its reasons."""

import re

from source import split

# The only files that may ask for the platform, the backend or the model.
_PLATFORM_FILES = ("src/lib.rs", "src/shim/mod.rs", "src/sys/mod.rs")
# What a whole item may depend on elsewhere.
_ITEM_KEYS = {"feature", "test", "debug_assertions", "target_has_atomic", "doc", "docsrs"}
_OPERATORS = {"all", "any", "not", "true", "false"}

_LIB_LINES = 60
_CODE_LINES = 400
_LINES = 800


def _predicate(source, opening, macro):
    condition = source.arguments(opening)
    if macro == "cfg_attr":
        # The attributes that it adds are no conditions.
        condition = split(condition)[0]
    return set(re.findall(r"\b[a-z_]+\b", condition)) - _OPERATORS


def cfg(tree):
    """Platform and model cfgs in three files only; never any inside a function."""
    for source in tree.src:
        for match in re.finditer(r"\b(cfg|cfg_attr)\s*(!?)\s*\(", source.shipped):
            keys = _predicate(source, match.end() - 1, match[1])
            where = source.at(match.start())
            foreign = keys - _ITEM_KEYS
            if foreign and str(source.path) not in _PLATFORM_FILES:
                yield f"{where}: cfg of {', '.join(sorted(foreign))} belongs in {', '.join(_PLATFORM_FILES)}"
            if "fn" in source.enclosing(match.start()) and keys != {"debug_assertions"}:
                yield f"{where}: cfg inside a function: gate the item, or put a function in the shim"


def sizes(tree):
    """A file holds one idea; lib.rs is a map."""
    for source in tree.src:
        limit = _LIB_LINES if str(source.path) == "src/lib.rs" else _CODE_LINES
        if source.code_lines > limit:
            yield f"{source.path}: {source.code_lines} lines of code, {limit} allowed"
        if len(source.lines) > _LINES:
            yield f"{source.path}: {len(source.lines)} lines, {_LINES} allowed"


# From the ground up. A module may use its own layer's names below and the listed neighbours.
_LAYERS = {"shim": 0, "sys": 1, "spin": 2, "stripe": 2, "time": 2, "unwind": 2, "parker": 3, "basket": 3, "bitset": 3, "counter": 3, "oneshot": 3}
_INTEGRATIONS = 4
_SIDEWAYS = {
    ("spin", "time"),
    ("basket", "parker"),
    ("oneshot", "parker"),
    ("bitset", "parker"),
    ("basket", "bitset"),
}
# The shim is not here: without its threads, locks and counters the model could not run an integration.
_PRIVATE = {"sys", "spin", "time"}


def _reexports(tree):
    """Names that lib.rs re-exports from its modules, so that `crate::Name` counts as `crate::module`."""
    lib = next((source for source in tree.src if str(source.path) == "src/lib.rs"), None)
    names = {}
    for match in re.finditer(r"\bpub use (?:crate::)?(\w+)::(\{[^}]*\}|\w+)", lib.code if lib else ""):
        for name in re.findall(r"\w+", match[2]):
            names[name] = match[1]
    return names


def _module_of(source):
    parts = list(source.path.with_suffix("").parts[1:])
    return parts[:-1] if parts[-1] in ("mod", "lib") else parts


def _used(source):
    """(position, first name) of every path that starts at the crate's root."""
    code = source.shipped
    for match in re.finditer(r"(?<![\w$:])(crate|super(?:\s*::\s*super)*)\s*::\s*(\{|\w+)", code):
        if match[1] != "crate":
            inline = [kind for kind in source.enclosing(match.start()) if kind.startswith("mod ")]
            if match[1].count("super") < len(_module_of(source)) + len(inline):
                continue
        group = split(source.arguments(match.end() - 1)) if match[2] == "{" else [match[2]]
        for path in group:
            if name := re.match(r"\s*(\w+)", path):
                yield match.start(), name[1]


def edges(tree):
    """shim -> sys -> spin, time -> primitives -> integrations; never up."""
    reexports = _reexports(tree)
    for source in tree.src:
        own = _module_of(source)
        if not own:
            continue
        integration = own[0] == "integrations"
        rank = _INTEGRATIONS if integration else _LAYERS.get(own[0])
        if rank is None:
            yield f"{source.path}: `{own[0]}` has no layer yet: give it one in ci/tidy/structure.py"
            continue
        for position, name in _used(source):
            where = source.at(position)
            module = reexports.get(name, name)
            if module in own:
                continue
            other = _LAYERS.get(module, _INTEGRATIONS)
            if other > rank or (other == rank and (own[0], module) not in _SIDEWAYS):
                yield f"{where}: {own[0]} uses crate::{name}, against the arrows"
            elif integration and name in _PRIVATE:
                yield f"{where}: crate::{name} is private, integrations use the public API only"


_DECLARED = r"(?:const\s+|unsafe\s+|async\s+)*(?:fn|struct|enum|union|type|trait|static|const|mod)\s+(\w+)"


def integrations(tree):
    """No unsafe code, and nothing that a user of the crate could not call."""
    inside = {source.path.parent / source.path.stem: source for source in tree.rust("src/integrations")}
    hidden, public = {}, set()
    for source in tree.src:
        if source.path.parts[1] == "integrations":
            continue
        for match in re.finditer(r"\bpub\s*\(\s*crate\s*\)\s*" + _DECLARED, source.shipped):
            hidden.setdefault(match[1], source.at(match.start()))
        public |= set(re.findall(r"\bpub\s+" + _DECLARED, source.shipped))
    for source in inside.values():
        heads = [source] + [inside[folder / "mod"] for folder in source.path.parents if folder / "mod" in inside]
        if not any("#![forbid(unsafe_code)]" in head.code for head in heads):
            yield f"{source.path}: say #![forbid(unsafe_code)] here or in a mod.rs above"
        own = set(re.findall(_DECLARED, source.code))
        for match in re.finditer(r"(?:\.|::)(\w+)\s*\(", source.shipped):
            name = match[1]
            if name in hidden and name not in public | own:
                yield f"{source.at(match.start())}: {name} is not public ({hidden[name]})"


def safety(tree):
    """Every unsafe block and impl says why it is sound (clippy checks each operation)."""
    for source in tree.src:
        for match in re.finditer(r"\bunsafe\s*(?:\{|impl\b)", source.code):
            line = source.line(match.start())
            above = source.lines[max(0, line - 10) : line]
            if not any(re.search(r"//\s*SAFETY:", text) for text in above):
                yield f"{source.at(match.start())}: unsafe without a SAFETY comment above"


CHECKS = [cfg, sizes, edges, integrations, safety]
