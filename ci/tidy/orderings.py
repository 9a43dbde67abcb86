"""The ORDERING comments: one on every atomic operation, tags with two ends, a row for each tag."""

import re
from collections import defaultdict
from dataclasses import dataclass

TABLE = "docs/orderings.md"
# How far above its operation a comment may end.
_REACH = 8

_OPERATION = re.compile(
    r"\b(load|store|swap|compare_exchange(?:_weak)?|fetch_\w+|fence|compiler_fence)\s*\("
    r"|\bbarrier::(light|heavy)\s*\("
)
_ORDER = re.compile(r"\bOrdering::|\b(?:Relaxed|Acquire|Release|AcqRel|SeqCst)\b")
_ORDER_NAME = re.compile(r"\b(Relaxed|Acquire|Release|AcqRel|SeqCst)\b")
_END = re.compile(r"^\s*// ORDERING\(([\w.]+)\):")
_REFERENCE = re.compile(r"\((?:ORDERING\()?([a-z_]+(?:\.[a-z_]+)+)\)")
_PATHS = r"((?:`?[a-z_]\w*(?:::\w+)+`?(?:,?\s+(?:and|or)\s+|,\s*|\s+)?)+)"
_MODELS = re.compile(r"\b(?:dies? in|killed by|models?|tests?)\s+" + _PATHS)


@dataclass
class End:
    """One ORDERING comment."""

    where: str
    tag: str
    text: str
    last: int  # the number of its last line


def _ends(source):
    """The comments of a file, in order."""
    ends = []
    for number, line in enumerate(source.lines, 1):
        stripped = line.strip()
        if start := _END.match(line):
            ends.append(End(f"{source.path}:{number}", start[1], stripped[3:], number))
        elif ends and ends[-1].last == number - 1 and re.match(r"//(?![/!])", stripped):
            ends[-1].text += " " + stripped[2:].strip()
            ends[-1].last = number
    return ends


def _sources(tree):
    """The shipped sources: what stands in for the machine under the model is no part of it."""
    return [source for source in tree.src if source.path.name != "model.rs"]


def tagged(tree):
    """The comments of each tag."""
    tags = defaultdict(list)
    for source in _sources(tree):
        for end in _ends(source):
            tags[end.tag].append(end)
    return tags


def _operations(source):
    """(position, name) of each atomic operation and fence outside the unit tests."""
    for match in _OPERATION.finditer(source.shipped):
        declared = re.search(r"\bfn\s+$", source.code[: match.start()])
        passed_on = re.search(r"\border\b", source.arguments(match.end() - 1))
        if declared or (not match[2] and not passed_on and not _ORDER.search(source.arguments(match.end() - 1))):
            continue
        yield match.start(), match[1] or f"barrier::{match[2]}"


def _orders(source, position):
    return _ORDER_NAME.findall(source.arguments(source.code.index("(", position)))


def _grouped(source, previous, position):
    """Whether one comment may speak for both: one statement, or two in a row with the same orders."""
    between = source.code[previous:position]
    if re.search(r"[{}]", between):
        return False
    steps = between.count(";")
    return steps == 0 or (steps == 1 and _orders(source, previous) == _orders(source, position))


def comments(tree):
    """Every atomic operation is explained just above it."""
    for source in _sources(tree):
        if str(source.path) == "src/shim/real.rs":
            continue  # hands orders on, chooses none
        explained_to = {end.last for end in _ends(source)}
        previous, explained = None, False
        for position, name in _operations(source):
            grouped = previous is not None and _grouped(source, previous, position)
            line = source.line(position)
            floor = source.line(previous) if previous is not None else 0
            explained = explained and grouped
            for above in range(line, max(floor, line - _REACH - 1), -1):
                explained = explained or above in explained_to
                if above < line and not source.lines[above - 1].strip():
                    break
            if not explained:
                yield f"{source.at(position)}: {name} without an `// ORDERING(tag): ...` comment just above"
            previous = position


def explaining(source, position):
    """The comment that speaks for what stands there: the nearest one above."""
    line = source.line(position)
    return next((end for end in reversed(_ends(source)) if end.last < line), None)


def ends(tree):
    """A tag has two ends, or names the other tag that it pairs with, or is one exchange against itself."""
    tags = tagged(tree)
    for tag, found in sorted(tags.items()):
        named = {name for end in found for name in _REFERENCE.findall(end.text)}
        for name in sorted(named - set(tags)):
            yield f"{found[0].where}: ({tag}) pairs with ({name}), which is nowhere"
        alone = len(found) < 2 and "pairs with itself" not in found[0].text
        if alone and not (named - {tag}) & set(tags):
            yield f"{found[0].where}: ({tag}) has one end only"


def models(tree):
    """A model that a comment names exists."""
    files = {name.split("::")[0] for name in tree.tests if name.count("::")}
    model_files = {source.path.stem for source in tree.rust("loom-tests/tests")}
    for source in _sources(tree):
        for end in _ends(source):
            named = set()
            for match in _MODELS.finditer(end.text):
                named |= set(re.findall(r"\w+(?:::\w+)+", match[1]))
            named |= {
                path
                for path in re.findall(r"\b[a-z_]\w*(?:::[a-z_]\w*)+(?!\w*\()", end.text)
                if path.split("::")[0] in model_files & files
            }
            for name in sorted(named - tree.tests):
                yield f"{end.where}: names model {name}, which does not exist"


_STRONG = re.compile(r"\bOrdering::(?:Acquire|Release|AcqRel|SeqCst)\b|\bbarrier::(?:light|heavy)\b")


def _removed(patch):
    """(file, line before, line) of every line that a patch takes away."""
    file, before = None, ""
    for line in patch.split("\n"):
        if header := re.match(r"--- (?:a/)?(\S+)", line):
            file = header[1]
        elif line.startswith("@@"):
            before = ""
        elif line[:1] in ("-", " "):
            if line[0] == "-":
                yield file, before, line[1:].strip()
            before = line[1:].strip()


def strong(tree):
    """(source, match) of every ordering stronger than Relaxed that the models run."""
    for source in _sources(tree):
        # What a backend does for itself they do not.
        if source.path.parts[1] not in ("shim", "sys"):
            for match in _STRONG.finditer(source.shipped):
                yield source, match


def weakened(tree):
    """What the patches take away."""
    patches = [path for path in tree.files if path.parent == tree.path("loom-tests/mutants") and path.suffix == ".patch"]
    return {removed for path in patches for removed in _removed(path.read_text(encoding="utf-8"))}


def place(source, match):
    """The line of an ordering as `weakened` has it."""
    number = source.line(match.start())
    before, line = source.lines[number - 2].strip() if number > 1 else "", source.lines[number - 1].strip()
    return str(source.path), before, line


def mutants(tree):
    """Every ordering stronger than Relaxed is weakened by a mutant: some patch takes its line away."""
    removed = weakened(tree)
    for source, match in strong(tree):
        if place(source, match) not in removed:
            yield f"{source.at(match.start())}: no mutant weakens {match[0]}"


def _rows(text):
    """(line number, cells) of the table's rows."""
    for number, line in enumerate(text.split("\n"), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.lstrip().startswith("|") and not re.fullmatch(r"[|:\s-]+", line.strip()):
            yield number, cells


def table(tree):
    """docs/orderings.md has one row for each tag, filled, and no other."""
    tags = tagged(tree)
    text = tree.read(TABLE)
    if text is None:
        yield f"{TABLE} is missing: | tag | shape | ends | order | model that dies when weakened |"
        return
    seen = {}
    for number, cells in _rows(text):
        tag = cells[0].strip("`")
        if tag == "tag" or "." not in tag:
            continue
        if tag in seen:
            yield f"{TABLE}:{number}: a second row for {tag}"
        seen[tag] = number
        if tag not in tags:
            yield f"{TABLE}:{number}: no ORDERING({tag}) in src"
        if len(cells) != 5 or not all(cells):
            yield f"{TABLE}:{number}: the row of {tag} has an empty cell or not five of them"
            continue
        for name in re.findall(r"\b[a-z_]\w*(?:::[a-z_]\w*)+\b(?!\()", cells[4]):
            if name not in tree.tests:
                yield f"{TABLE}:{number}: {tag} names model {name}, which does not exist"
    for tag, found in sorted(tags.items()):
        if tag not in seen:
            yield f"{TABLE}: no row for {tag} ({found[0].where})"


CHECKS = [comments, ends, models, mutants, table]
