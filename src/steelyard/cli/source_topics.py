"""The topics of `steelyard help` about what FILE can be: files, and tables wherever they live."""

from __future__ import annotations

SOURCE_TOPICS: dict[str, tuple[str, str]] = {
    "files": (
        "what can be read",
        """\
CSV (also .tsv, .txt), Parquet, JSON lines (.jsonl, .ndjson) and Arrow (.arrow,
.feather), of any size; CSV and JSON lines also as .gz and .zst. Files are
counted where they lie and never loaded whole. Many are read by a quoted glob,
or as a folder:

  $ steelyard evaluate "days/*.parquet" --target y --score p
  $ steelyard evaluate days --target y --score p

- reads CSV from standard input:

  $ cat preds.csv | steelyard evaluate - --target y --score p

Sheets of Excel and LibreOffice (.xlsx, .xls, .ods) are read too, with
pip install 'steelyard[excel]'; --sheet names one of several.

How a file writes numbers, days and letters is never guessed. Look at it, and
take the line that is suggested:

  $ steelyard look preds.csv

--decimal comma reads 0,0947 and 1.500,25 and 12,5 %, --decimal point 1,500.25;
--dates day-first reads 01.03.2025; --encoding latin-1 reads letters of older
programs.

Save an evaluation, and tell it again without the rows:

  $ steelyard evaluate preds.csv --target y --score p --save march.json
  $ steelyard evaluate march.json --threshold 0.3

Evaluations that were saved add up, and no row is read again:

  $ steelyard evaluate more.csv --target y --score p --save april.json
  $ steelyard add march.json april.json -o spring.json

Two models do not add: columns must have the same names (or say --renamed).

Pickles are not opened: loading one can run any code.
Tables in databases: steelyard help sources""",
    ),
    "sources": (
        "tables in databases, queries, labels elsewhere",
        """\
FILE may also be the address of a table. The rows are counted where they are,
and nothing is ever written there.

  $ steelyard evaluate 'shop.duckdb?table=preds' --target y --score p
  $ steelyard evaluate 'sqlite:shop.sqlite?table=preds' --target y --score p

PostgreSQL, and files that a Spark cluster reads:

  steelyard evaluate 'postgresql://user@host/shop?table=preds' \\
      --target y --score p
  steelyard evaluate s3a://bucket/preds --spark spark://host:7077 \\
      --target y --score p

A password is better kept in ~/.pgpass or PGPASSWORD than typed; one that is
typed is never printed or saved. Quote an address: it may hold signs that mean
something to the shell.

A query takes some rows, or makes columns. Over a database it names tables,
over files the table is called data:

  $ steelyard evaluate shop.duckdb --target y --score p \\
      --query 'select y, p from preds where w > 1'
  $ steelyard evaluate days --target y --score p \\
      --query "select * from data where region = 'north'"

Labels that lie in another table are joined by a key, there and not here. A
key that has another name there is written HERE=THERE, and of several columns
each gets its own --on. (steelyard check calls it --key.)

  $ steelyard evaluate scores.csv --labels labels.csv --on id \\
      --target y --score p
  $ steelyard threshold scores.csv --labels outcomes.csv --on id=customer \\
      --target left --score p --maximise f1

Every command that reads rows takes such a FILE. Most of them count; compare
and experiment need rows, and so do monitor and windows with --unit, --period or
predicted numbers: the columns that are named come to this machine, 50 million
rows at most; of many rows compare brings those that are alike once. With
--unit, compare counts on the server, and its intervals come from buckets of
units in place of a bootstrap.

  $ steelyard compare 'shop.duckdb?table=preds' --target y \\
      --score one=p --score two=w

Scans of more than two seconds show how far they are on a terminal, unless
--quiet or --no-progress is said. STEELYARD_MEMORY=4GB limits what counting
files may use; beyond it they are counted on disk. STEELYARD_THREADS=4 lets
so many threads count at once; otherwise there are as many as cores.""",
    ),
}
