"""Arrow and Parquet from strangers, decoded in a process of its own that has little memory and little time, and may fail alone."""

from __future__ import annotations

import contextlib
import io
import json
import os
import queue
import subprocess
import sys
import threading
from typing import IO, Any

from steelyard.serve.formats import ARROW, MOST_COLUMNS, MOST_DECODED, MOST_ROWS, Sent, Wanted, too_large
from steelyard.serve.problems import Problem

MEMORY = 640 << 20
"""Bytes that the process may take beside those of its programs."""
SECONDS = 15.0
AT_ONCE = 8_192
PROCESSES = 2


# In the service -------------------------------------------------------------------------------------------------------


class _Decoder:
    """One such process, made when it is first needed and again when it was lost."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None

    def _running(self) -> subprocess.Popen[bytes]:
        if self.process is None or self.process.poll() is not None:
            kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LANG", "TZ") if name in os.environ}
            quiet = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}
            self.process = subprocess.Popen(
                [sys.executable, "-m", "steelyard.serve.decoding"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=kept | quiet,
            )
        return self.process

    def decode(self, body: bytes, kind: str, names: tuple[str, ...]) -> tuple[dict[str, Any], bytes]:
        """What it says of a body, and the columns as an Arrow stream."""
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        watch = threading.Timer(SECONDS, process.kill)
        watch.start()
        try:
            _put(process.stdin, {"kind": kind, "names": list(names)}, body)
            return _get(process.stdout)
        except (OSError, ValueError, EOFError):
            self.end()
            detail = "The body could not be decoded within the memory and the time that one may take."
            raise Problem(413, "decoding", detail, "Send fewer rows at once.") from None
        finally:
            watch.cancel()

    def end(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                with contextlib.suppress(OSError):
                    if pipe is not None:
                        pipe.close()
            self.process = None


_decoders: queue.SimpleQueue[_Decoder] = queue.SimpleQueue()
for _ in range(PROCESSES):
    _decoders.put(_Decoder())


def end_decoders() -> None:
    """End the processes; the next body makes them anew."""
    for _ in range(PROCESSES):
        decoder = _decoders.get()
        decoder.end()
        _decoders.put(decoder)


def read_apart(body: bytes, kind: str, wanted: Wanted) -> Sent:
    """The wanted columns of an Arrow stream or a Parquet file."""
    import pyarrow as pa

    decoder = _decoders.get()
    try:
        told, found = decoder.decode(body, kind, wanted.names)
    finally:
        _decoders.put(decoder)
    if "too_large" in told:
        raise too_large(str(told["too_large"]), int(told["limit"]))
    if "broken" in told:
        raise Problem(400, "columns", f"The body cannot be read: {told['broken']}.", "Write it again.")
    table = pa.ipc.open_stream(pa.py_buffer(found)).read_all()
    table.validate(full=True)
    return Sent(table.num_rows, {name: table[name] for name in table.column_names})


def _put(pipe: IO[bytes], told: dict[str, Any], body: bytes) -> None:
    head = json.dumps({**told, "length": len(body)}).encode()
    pipe.write(b"%010d" % len(head) + head)
    pipe.write(body)
    pipe.flush()


def _get(pipe: IO[bytes]) -> tuple[dict[str, Any], bytes]:
    size = pipe.read(10)
    if len(size) < 10:
        raise EOFError
    told: dict[str, Any] = json.loads(pipe.read(int(size)))
    body = pipe.read(told["length"])
    if len(body) < told["length"]:
        raise EOFError
    return told, body


# In the process -------------------------------------------------------------------------------------------------------


def decode(body: bytes, kind: str, names: list[str]) -> tuple[dict[str, Any], bytes]:
    """Some columns as an Arrow stream; the bound is on what was decoded, not on what the file says of itself."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        if kind == ARROW:
            reader = pa.ipc.open_stream(pa.py_buffer(body))
            schema, batches = reader.schema, iter(reader)
        else:
            file = pq.ParquetFile(io.BytesIO(body), memory_map=False)
            schema = file.schema_arrow
            here = [name for name in names if name in schema.names]
            if file.metadata.num_rows > MOST_ROWS:
                return {"too_large": "rows", "limit": MOST_ROWS}, b""
            batches = file.iter_batches(AT_ONCE, columns=here, use_threads=False)
        if len(schema) > MOST_COLUMNS:
            return {"too_large": "columns", "limit": MOST_COLUMNS}, b""
        if len(set(schema.names)) < len(schema.names):
            return {"broken": "a column is there twice"}, b""
        here = [name for name in names if name in schema.names]
        kept, rows, size = [], 0, 0
        for batch in batches:
            picked = batch.select(here)
            picked.validate(full=True)
            rows, size = rows + picked.num_rows, size + picked.nbytes
            if rows > MOST_ROWS:
                return {"too_large": "rows", "limit": MOST_ROWS}, b""
            if size > MOST_DECODED:
                return {"too_large": "decoded bytes", "limit": MOST_DECODED}, b""
            kept.append(picked)
        table = pa.Table.from_batches(kept, pa.schema([schema.field(name) for name in here]))
        if any(isinstance(f.type, pa.BaseExtensionType) or pa.types.is_nested(f.type) for f in table.schema):
            return {"broken": "a column is no plain one"}, b""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        return {"rows": rows}, sink.getvalue().to_pybytes()
    except MemoryError:
        return {"too_large": "decoded bytes", "limit": MOST_DECODED}, b""
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, EOFError) as problem:
        if isinstance(problem, pa.ArrowMemoryError):
            return {"too_large": "decoded bytes", "limit": MOST_DECODED}, b""
        return {"broken": str(problem).split("\n")[0][:200]}, b""


def bound_memory() -> None:
    """Let this process take no more memory than it is given, where the system can be told so."""
    try:
        import resource
    except ImportError:
        return
    import pyarrow.parquet  # noqa: F401  what programs take is not counted

    with contextlib.suppress(OSError, ValueError):
        with open("/proc/self/statm", encoding="ascii") as file:
            now = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, now + MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Decode one body after the other, until nobody sends any more."""
    bound_memory()
    into, out = sys.stdin.buffer, sys.stdout.buffer
    while True:
        try:
            told, body = _get(into)
        except (EOFError, ValueError):
            return
        answer, found = decode(body, str(told["kind"]), list(told["names"]))
        _put(out, answer, found)


if __name__ == "__main__":
    main()
