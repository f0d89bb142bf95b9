"""Tables from strangers, looked at and reported on in a process of its own that has little memory and time, and keeps nothing."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from steelyard.serve.problems import Problem

SECONDS, MEMORY = 120, 4 << 30
ENDINGS = {".csv": "csv", ".tsv": "tsv", ".txt": "csv", ".parquet": "parquet", ".pq": "parquet"}


def asked_apart(name: str, body: bytes, asked: Mapping[str, Any]) -> bytes:
    """What a process of its own answers about a table: its columns as JSON, or its report as a page."""
    ending = ENDINGS.get(Path(name).suffix.lower())
    if ending is None:
        raise Problem(415, "kind", "Tables come as .csv, .tsv or .parquet.", "Save it as one of these.")
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / f"table.{ending}"
        table.write_bytes(body)
        # Where the user's own settings or modules lie is nobody's business there.
        command = [sys.executable, "-P", "-m", "steelyard.board.apart", str(table), json.dumps(dict(asked))]
        env = {k: v for k, v in os.environ.items() if k in {"PATH", "LANG", "HOME"}}
        env |= {"PYTHONPATH": str(Path(__file__).parents[2]), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        try:
            done = subprocess.run(command, capture_output=True, timeout=SECONDS, cwd=folder, env=env, check=False)
        except subprocess.TimeoutExpired:
            said = f"This took longer than {SECONDS} seconds."
            raise Problem(413, "slow", said, "Send a part of the rows.") from None
        if done.returncode:
            raise _told(done.stderr.decode("utf-8", "replace").replace(str(table), name))
        out = Path(folder) / "out"
        return out.read_bytes()


def _told(said: str) -> Problem:
    last = said.strip().splitlines()[-1:] or [""]
    with contextlib.suppress(ValueError, KeyError, TypeError):
        found = json.loads(last[0])
        return Problem(422, "input", found["message"], found["hint"])
    hint = "It may be damaged, or need more memory than there is."
    return Problem(413, "large", "This table cannot be read here.", hint)


def main(table: str, asked: Mapping[str, Any]) -> None:
    """Look at a table, or write its report; a failure is one line of JSON."""
    import resource

    from steelyard.errors import SteelyardError

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    out = Path(table).parent / "out"
    try:
        if asked["what"] == "look":
            from steelyard.sources.looking import look, suggested
            from steelyard.sources.written import Written

            seen = look(table, Written())
            columns = [asdict(c) for c in seen.columns]
            found = {"rows": seen.rows, "more": seen.more, "columns": columns, "roles": suggested(seen.columns)}
            written = {name: getattr(seen.written, name) for name in seen.written.said}
            out.write_text(json.dumps(found | {"written": written, "remarks": seen.remarks}, default=str))
            return
        from steelyard.evaluate import evaluate
        from steelyard.reports.page import report_html

        e = evaluate(table, **asked["roles"], missing="drop")
        out.write_text(report_html({asked["title"]: e}, title=asked["title"]), encoding="utf-8")
    except SteelyardError as problem:
        sys.stderr.write(json.dumps({"message": str(problem.message), "hint": str(problem.hint)}) + "\n")
        raise SystemExit(3) from None


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
