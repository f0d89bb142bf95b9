"""Ask other programs and freeze what they say: python tests/agreement/freeze.py [--statsmodels PYTHON]

Writes answers/*.json. The tests read only those files, so they need none of the programs. statsmodels is asked through
the interpreter given; without one its earlier answers are kept, provided the data they were given has not changed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from ask_classes import labels, multiclass
from ask_numbers import continuous
from ask_scores import calibration, intervals, scores
from book import ANSWERS, Book

STATSMODELS = "statsmodels"


def _asked(python: str) -> list[dict[str, Any]]:
    script = Path(__file__).with_name("ask_statsmodels.py")
    said = json.loads(subprocess.run([python, str(script)], check=True, capture_output=True, text=True).stdout)
    return [case | {"version": said["version"]} for case in said["cases"]]


def _kept(books: dict[str, Book]) -> list[dict[str, Any]]:
    kept = []
    for theme, book in books.items():
        path = ANSWERS / f"{theme}.json"
        if not path.exists():
            continue
        before = json.loads(path.read_text(encoding="utf-8"))
        for case in before["cases"]:
            if case["program"] != STATSMODELS:
                continue
            name = case["data"]
            if name is not None and before["data"][name] != book.data[name]:
                sys.exit(f"The data {name} of {theme} changed: ask statsmodels again with --statsmodels PYTHON.")
            kept.append(case | {"theme": theme})
    return kept


def main() -> None:
    """Ask everything and write every file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--statsmodels", metavar="PYTHON", help="an interpreter that can import statsmodels")
    given = parser.parse_args().statsmodels
    books = {b.theme: b for b in (labels(), scores(), calibration(), multiclass(), continuous(), intervals())}
    for case in _asked(given) if given else _kept(books):
        books[case["theme"]].add(
            case["data"],
            case["call"],
            case["measure"],
            case["expected"],
            (STATSMODELS, case["version"]),
            part=case.get("part", "value"),
            tolerance=case.get("tolerance"),
            note=case.get("note"),
        )
    for book in books.values():
        path = book.write()
        print(f"{path.relative_to(ANSWERS.parent)}: {len(book.cases)} cases, {path.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
