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


def _impls(source):
    """(start, end, name of the type) of each impl block."""
    for match in re.finditer(r"^[ \t]*(?:unsafe[ \t]+)?impl\b([^{};]*)\{", source.shipped, re.MULTILINE):
        header, before = match[1].replace("->", ""), None
        while header != before:
            header, before = re.sub(r"<[^<>]*>", "", header), header
        header = re.split(r"\bwhere\b", re.split(r"\bfor\b", header)[-1])[0]
        if name := re.findall(r"\w+", header):
            yield match.end(), source.closing(match.end() - 1), name[-1]


def _reachable(sources):
    """The names of the types that have a public path: made in a top module, or re-exported by one."""
    names = set()
    for source in sources:
        if len(_module_of(source)) < 2:
            names |= set(re.findall(r"\bpub\s+" + _DECLARED, source.shipped))
        for path in re.findall(r"\bpub\s+use\s([^;]*);", source.shipped):
            names |= set(re.findall(r"\w+", path))
    return names


def _hidden(source, reachable):
    """(name, place) of what the crate keeps to itself. Methods of a type count where it has a public
    path: of another one an integration can have no value."""
    impls = list(_impls(source))
    for match in re.finditer(r"\bpub\s*\(\s*crate\s*\)\s*" + _DECLARED, source.shipped):
        owner = next((name for start, end, name in impls if start < match.start() < end), None)
        if owner is None or owner in reachable:
            yield match[1], source.at(match.start())


def _named(source):
    """(position, name) of what is called, and of what is imported or named from the crate's root."""
    code = source.shipped
    for match in re.finditer(r"(?:\.|::)(\w+)\s*\(", code):
        yield match.start(1), match[1]
    for path in re.finditer(r"\bcrate\s*::(?!\s*shim\b)[\w:\s]*(?:\{[^;]*\})?", code):
        for match in re.finditer(r"\w+", path[0]):
            yield path.start() + match.start(), match[0]


def integrations(tree):
    """No unsafe code, and nothing that a user of the crate could not call, but for the shim."""
    inside = {source.path.parent / source.path.stem: source for source in tree.rust("src/integrations")}
    outside = [source for source in tree.src if source.path.parts[1] not in ("integrations", "shim")]
    public = {name for source in outside for name in re.findall(r"\bpub\s+" + _DECLARED, source.shipped)}
    reachable = _reachable(outside)
    hidden = {name: place for source in outside for name, place in _hidden(source, reachable)}
    own = {name for source in inside.values() for name in re.findall(_DECLARED, source.code)}
    for source in inside.values():
        heads = [source] + [inside[folder / "mod"] for folder in source.path.parents if folder / "mod" in inside]
        if not any("#![forbid(unsafe_code)]" in head.code for head in heads):
            yield f"{source.path}: say #![forbid(unsafe_code)] here or in a mod.rs above"
        found = {}
        for position, name in _named(source):
            if name in hidden and name not in public | own:
                found.setdefault((source.line(position), name), source.at(position))
        for (_, name), where in found.items():
            yield f"{where}: {name} is not public ({hidden[name]})"


def safety(tree):
    """Every unsafe block and impl says why it is sound (clippy checks each operation)."""
    for source in tree.src:
        for match in re.finditer(r"\bunsafe\s*(?:\{|impl\b)", source.code):
            line = source.line(match.start())
            above = source.lines[max(0, line - 10) : line]
            if not any(re.search(r"//\s*SAFETY:", text) for text in above):
                yield f"{source.at(match.start())}: unsafe without a SAFETY comment above"


CHECKS = [cfg, sizes, edges, integrations, safety]
