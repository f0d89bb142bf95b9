"""Files of amounts, whatever is in them, are read as they are written or refused in a sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from steelyard.errors import SteelyardError
from steelyard.payoffs.files import read

TOML = b"[profit]\ntp = 140\nfn = -140\nfp = -700\ntn = 0\n"
CSV = b"profit,a,b,c\na,1,2,3\nb,4,5,6\nc,7,8,9\n"
REST = b"\nfn = 0\nfp = 0\ntn = 0\n"
ODD = {
    "nested lists.toml": b"a = " + b"[" * 100_000,
    "nested tables.toml": b"[profit." + b"a." * 5_000 + b"a]\nx = 1\n",
    "a long number.toml": b"[profit]\ntp = " + b"9" * 5_000 + REST,
    "infinite.toml": b"[profit]\ntp = inf" + REST,
    "no number.toml": b"[profit]\ntp = nan" + REST,
    "a list.toml": b"[profit]\ntp = [1]" + REST,
    "a date.toml": b"[profit]\ntp = 2024-01-01" + REST,
    "a null.toml": b"\0",
    "large.toml": b"#" * 11_000_000,
    "no number.csv": b"p,a,b\na,1,nan\nb,2,3\n",
    "twice.csv": b"p,a,a\na,1,2\na,2,3\n",
    "a long name.csv": b"p," + b"a" * 300_000 + b",b\n",
    "an open mark.csv": b'"',
    "too large.csv": b"p,a,b\na,1e999,2\nb,3,4\n",
}


@pytest.mark.parametrize("name", ODD)
def test_what_is_no_matrix_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(ODD[name])
    with pytest.raises(SteelyardError):
        read(tmp_path / name)


@pytest.mark.parametrize(("name", "whole"), [("a.toml", TOML), ("a.csv", CSV)])
def test_a_changed_or_cut_file_ends_in_a_sentence_if_it_is_not_read(name: str, whole: bytes, tmp_path: Path) -> None:
    """An amount that somebody wrote cannot be told from another; all else can."""
    path = tmp_path / name
    rng = np.random.default_rng(1)
    for place in rng.integers(0, len(whole), 100).tolist():
        for text in (whole[:place], whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :]):
            path.write_bytes(text)
            try:
                str(read(path))
            except SteelyardError:
                continue
