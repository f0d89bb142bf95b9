"""Of several replicas one leads: whoever holds a lock of the database, for as long as its connection lives."""

from __future__ import annotations

import contextlib

from steelyard.serve import statements as sql
from steelyard.serve.store import Session, Store


class Leader:
    """Whether this process is the one that counts, looks and tells."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.session: Session | None = None

    def leads(self) -> bool:
        """Whether it leads now; it tries to where nobody does."""
        if self.store.dialect != "postgresql":
            return True
        if self.session is not None:
            try:
                self.session.one(sql.ALIVE)
                return True
            except self.store.failures:
                self.end()
        session = self.store.connect(write=True)
        try:
            found = session.one(sql.LEADER)
        except BaseException:
            session.connection.close()
            raise
        if found is not None and found[0]:
            self.session = session
            return True
        session.connection.close()
        return False

    def end(self) -> None:
        """Let another lead."""
        if self.session is not None:
            with contextlib.suppress(Exception):
                self.session.connection.close()
        self.session = None
