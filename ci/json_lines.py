"""Checks a file of JSON objects, one a line, each with these keys: json_lines.py FILE KEY..."""

import json
import sys


def main(name, *keys):
    with open(name, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    for row in rows:
        missing = set(keys) - row.keys()
        assert not missing, f"{sorted(missing)} missing in {row}"
    assert rows, f"{name} is empty"
    print(f"{name}: {len(rows)} lines")


if __name__ == "__main__":
    main(*sys.argv[1:])
