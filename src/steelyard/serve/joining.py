"""Joining: the little parts in which single rows came become one, which takes less room and is counted sooner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from steelyard.serve import statements as sql
from steelyard.serve.parts import listed, new_part, order_of, unpacked, write_part
from steelyard.serve.received import ID
from steelyard.serve.store import Session
from steelyard.serve.writer import passed

LITTLE = 100
"""Rows up to which a part is little: what came alone, or with some others at the same moment."""
MANY, AT_ONCE = 200, 1_000
"""Little parts of a window that are put together, at least and at most: nobody waits for long, and each row moves once."""


@dataclass(frozen=True)
class Joined:
    """Little parts of a window as one."""

    model: str
    stream: int
    start: int
    digests: Mapping[int, str]
    """Of the parts that it is to take the place of."""
    table: pa.Table

    def write(self, session: Session) -> bool:
        """Put it in their place; false where one of them changed meanwhile."""
        session.one(sql.ALONE_WITH_MODEL, self.model)
        held: dict[int, str] = dict(session.all(sql.DIGESTS_OF_WINDOW, self.stream, self.start))
        if any(held.get(part) != digest for part, digest in self.digests.items()):
            return False
        ids, part = self.table[ID].to_pylist(), new_part()
        write_part(session, self.stream, self.start, part, self.table)
        moved = session.do(sql.MOVE_TO_PART, part, self.stream, listed(ids))
        session.do(sql.DROP_THESE, listed(map(str, self.digests)))
        assert moved == len(ids)
        passed("parts joined")
        return True


def joined_parts(session: Session, model: str, stream: int, start: int) -> Joined | None:
    """The little parts of a window as one; None where they are few."""
    found = session.all(sql.LITTLE_PARTS, stream, start, LITTLE, AT_ONCE)
    if len(found) < MANY:
        return None
    whole = pa.concat_tables([unpacked(body, digest, part) for part, digest, body in found], promote_options="default")
    table = whole.take(order_of(whole[ID].to_pylist()))
    return Joined(model, stream, start, {int(part): str(digest) for part, digest, _ in found}, table)
