"""Rust source as the checks need it: code without comments and strings, and who encloses what."""

import re
from functools import cached_property
from pathlib import Path

_TOKEN = re.compile(
    r"""
      //[^\n]*                                  # line comment
    | /\*                                       # block comment, nested: closed by hand
    | b?r(?P<hashes>\#*)".*?"(?P=hashes)        # raw string
    | b?c?"(?:\\.|[^"\\])*"                     # string
    | b?'(?:\\[^\n]+?|[^\\'\n])'                # character (a lifetime has no closing quote)
    """,
    re.VERBOSE | re.DOTALL,
)


def mask(text):
    """The text with comments and literals blanked: same length, same lines."""
    out, at = [], 0
    while match := _TOKEN.search(text, at):
        start, end = match.span()
        if match[0] == "/*":
            depth, end = 1, start + 2
            while depth and (edge := re.compile(r"/\*|\*/").search(text, end)):
                depth += 1 if edge[0] == "/*" else -1
                end = edge.end()
        out += [text[at:start], re.sub(r"[^\n]", " ", text[start:end])]
        at = end
    return "".join(out) + text[at:]


def _closing(code, opening):
    """Where the bracket at `opening` closes."""
    pairs = {"(": ")", "[": "]", "{": "}"}
    close, depth = pairs[code[opening]], 0
    for at in range(opening, len(code)):
        if code[at] == code[opening]:
            depth += 1
        elif code[at] == close:
            depth -= 1
            if depth == 0:
                return at
    return len(code)


def split(code):
    """The parts between the commas that no bracket encloses."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(code):
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            parts.append(code[start:at])
            start = at + 1
    return [*parts, code[start:]]


class Source:
    """One Rust file."""

    def __init__(self, root, path):
        self.path = path.relative_to(root)
        self.text = path.read_text(encoding="utf-8")
        self.lines = self.text.split("\n")

    @cached_property
    def code(self):
        return mask(self.text)

    @cached_property
    def shipped(self):
        """The code without its unit tests."""
        code = self.code
        for match in re.finditer(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub\S*\s+)?mod\s+\w+\s*\{", code):
            end = _closing(code, match.end() - 1)
            code = code[: match.start()] + re.sub(r"[^\n]", " ", code[match.start() : end + 1]) + code[end + 1 :]
        return code

    def line(self, position):
        """The number of the line, from 1."""
        return self.text.count("\n", 0, position) + 1

    def at(self, position):
        return f"{self.path}:{self.line(position)}"

    def arguments(self, opening):
        """The code between the parenthesis at `opening` and its partner."""
        return self.code[opening + 1 : _closing(self.code, opening)]

    def closing(self, opening):
        """The position of the partner of the parenthesis at `opening`."""
        return _closing(self.code, opening)

    @cached_property
    def code_lines(self):
        """Lines with code on them: neither blank nor comment only."""
        return sum(1 for line in self.code.split("\n") if line.strip())

    @cached_property
    def _blocks(self):
        """(start, end, kind) of each brace pair; kind is `fn`, `mod NAME` or empty."""
        blocks, stack = [], []
        # `[T; N]` in a signature does not end it.
        code = re.sub(r"\[[^\[\]{};]*;[^\[\]{};]*\]", lambda array: " " * len(array[0]), self.code)
        for brace in re.finditer(r"[{}]", code):
            if brace[0] == "{":
                header = re.split(r"[;{}]", code[: brace.start()])[-1]
                module = re.search(r"\bmod\s+(\w+)\s*$", header)
                function = re.search(r"\bfn\s+\w+", header)
                stack.append((brace.start(), f"mod {module[1]}" if module else "fn" if function else ""))
            elif stack:
                start, kind = stack.pop()
                blocks.append((start, brace.start(), kind))
        return blocks

    def enclosing(self, position):
        """The kinds of the blocks around a position, outermost first."""
        around = [block for block in self._blocks if block[0] < position < block[1]]
        return [kind for _, _, kind in sorted(around)]


class Tree:
    """The files that git knows or would add, under `root`."""

    def __init__(self, root, files):
        self.root = Path(root)
        self.files = [self.root / file for file in files if (self.root / file).is_file()]

    def path(self, name):
        return self.root / name

    def read(self, name):
        """The text of a file, or None where there is none."""
        path = self.path(name)
        return path.read_text(encoding="utf-8") if path.is_file() else None

    def rust(self, *folders):
        """The Rust files under these folders."""
        roots = [self.path(folder) for folder in folders]
        return [
            Source(self.root, file)
            for file in sorted(self.files)
            if file.suffix == ".rs" and any(folder in file.parents for folder in roots)
        ]

    @cached_property
    def src(self):
        return self.rust("src")

    @cached_property
    def tests(self):
        """Every test function as `file::name` and, for one in a module or folder, `file::module::name`."""
        names = set()
        for source in self.rust("src", "tests", "loom-tests/tests"):
            parts = source.path.with_suffix("").parts
            stems = [part for part in parts[-2:] if part not in ("src", "tests", "mod", "main")]
            for match in re.finditer(r"#\[test\][^{};]*?\bfn\s+(\w+)", source.code):
                modules = [kind[4:] for kind in source.enclosing(match.start()) if kind.startswith("mod ")]
                inner = [match[1]] if modules in ([], ["tests"]) else [*modules, match[1]]
                for start in range(len(stems)):
                    names.add("::".join(stems[start:] + inner))
                    names.add("::".join(stems[start:] + inner[-1:]))
        return names
