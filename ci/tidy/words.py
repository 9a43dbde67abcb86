"""What no file of the repository may contain."""

import re

# Spelt so that this file does not contain it.
_UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b")
_FOREIGN = re.compile(
    r"(?<![\w.~$/-])/(?:wo" r"rk|ro" r"ot|ho" r"me|Us" r"ers)/|\.\./sha" r"red/|\b(?:work" r"place|sub-?" r"agent)s?\b",
    re.IGNORECASE,
)


def words(tree):
    """Nothing unfinished, nothing about the machine it was written on."""
    for path in tree.files:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.split("\n"), 1):
            for pattern, what in ((_UNFINISHED, "unfinished"), (_FOREIGN, "not of this project")):
                if match := pattern.search(line):
                    yield f"{path.relative_to(tree.root)}:{number}: {what}: {match[0]}"


CHECKS = [words]
