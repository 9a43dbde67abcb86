"""The state x operation tables: every cell names the test or model that walks it."""

import re

_DOCS = ("docs/proofs/parker.md", "docs/proofs/basket.md")
_HEADING = re.compile(r"^#+ .*\bstate\w*\s*[×x]\s*operation", re.IGNORECASE)
_NAME = re.compile(r"\b[a-z_]\w*(?:::[a-z_]\w*)+\b")
_IMPOSSIBLE = re.compile(r"^(?:impossible|cannot happen): \S")


def tables(tree):
    """No empty cell, no test that does not exist."""
    for doc in _DOCS:
        text = tree.read(doc)
        if text is None:
            yield f"{doc} is missing"
            continue
        inside, rows = False, 0
        for number, line in enumerate(text.split("\n"), 1):
            if line.startswith("#"):
                inside = bool(_HEADING.match(line))
            if not inside or not line.lstrip().startswith("|"):
                row = -2  # the heading and the rule below it
                continue
            row += 1
            if row <= 0:
                continue
            rows += 1
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            for column, cell in enumerate(cells[1:], 2):
                where = f"{doc}:{number}, column {column}"
                names = _NAME.findall(cell)
                if not names and not _IMPOSSIBLE.match(cell):
                    yield f"{where}: names no test as `file::name`, nor `impossible: why`"
                for name in names:
                    if name not in tree.tests:
                        yield f"{where}: {name} does not exist"
        if not rows:
            yield f"{doc}: no table under a heading with 'state x operation'"


CHECKS = [tables]
