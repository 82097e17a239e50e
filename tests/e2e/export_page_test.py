#!/usr/bin/env python3
"""Runs the blocks of SQLITE.md that are of one kind, `sql`, `pandas`, `duckdb` or `spark`, as they stand there, on the
database of a job of two ranks; those of a package that Python cannot import are skipped. Arguments: the kind, ompdm, heat,
the page, and a folder of packages."""
import ast
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import warnings

SKIPPED = 77
HTOD_BY_RANK = "SELECT rank, sum(bytes) FROM ops WHERE kind = 'HtoD' GROUP BY rank"


def blocks(page):
    """The page's blocks, by what runs them."""
    questions, _, elsewhere = page.read_text().partition("## pandas")
    found = {"sql": [text for _, text in re.findall(r"```(sql)\n(.*?)```", questions, re.DOTALL)]}
    for kind, mark in (("pandas", "import sqlite3, pandas"), ("duckdb", "LOAD sqlite"), ("spark", "SparkSession")):
        found[kind] = [text for text in re.findall(r"```\w+\n(.*?)```", elsewhere, re.DOTALL) if mark in text]
        assert len(found[kind]) == 1, (kind, found[kind])
    assert len(found["sql"]) >= 3, found["sql"]
    return found


def make_database(ompdm, heat):
    """job.sqlite, here, of two ranks of which one does more."""
    for rank, steps in ((0, 15), (1, 18)):
        subprocess.run([ompdm, "record", heat, "--variant", "naive", "100", str(steps)], check=True, capture_output=True,
                       env={**os.environ, "OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": "2"})
    subprocess.run([ompdm, "export", "trace.rank0.json", "trace.rank1.json", "--format", "sqlite", "-o", "job.sqlite"],
                   check=True, capture_output=True)


def value_of(block):
    """What the last line of a block of Python is worth, after the lines before it."""
    *lines, last = ast.parse(block).body
    names = {}
    exec(compile(ast.Module(lines, []), "SQLITE.md", "exec"), names)
    return eval(compile(ast.Expression(last.value), "SQLITE.md", "eval"), names)


def run_sql(queries):
    connection = sqlite3.connect("job.sqlite")
    for query in queries:
        assert connection.execute(query).fetchall(), f"no row: {query}"


def run_pandas(block):
    import pandas
    return f"pandas {pandas.__version__}", value_of(block).to_dict()


def run_duckdb(block, packages):
    import duckdb
    extension = next(packages.glob("duckdb_extension_sqlite_scanner/extensions/*/sqlite_scanner.duckdb_extension"))
    # As the page's own comment has it where nothing can be installed.
    block = block.replace("INSTALL sqlite; LOAD sqlite;", f"LOAD '{extension}';")
    return f"DuckDB {duckdb.__version__}", dict(duckdb.connect().execute(block).fetchall())


def run_spark(block):
    import pyarrow
    import pyspark
    import pandas
    ops = pandas.read_sql("SELECT * FROM ops", sqlite3.connect("job.sqlite"), dtype_backend="numpy_nullable")
    ops.to_parquet("ops", partition_cols=["rank"])
    rows = value_of(block)
    return f"PySpark {pyspark.__version__}", {row["rank"]: row["sum(bytes)"] for row in rows if row["kind"] == "HtoD"}


def main():
    kind, ompdm, heat, page, packages = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
    found = blocks(page)[kind]
    sys.path.append(str(packages))
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        make_database(ompdm, heat)
        if kind == "sql":
            run_sql(found)
            return 0
        runs = {"pandas": run_pandas, "spark": run_spark, "duckdb": lambda block: run_duckdb(block, packages)}
        try:
            told, rows = runs[kind](found[0])
        except ModuleNotFoundError as missing:
            print(f"SKIPPED: {missing}: SQLITE.md's block for {kind} was not run")
            return SKIPPED
        print(told)
        assert rows == dict(sqlite3.connect("job.sqlite").execute(HTOD_BY_RANK).fetchall()), rows
        os.chdir("/")
    return 0


warnings.simplefilter("ignore")
sys.exit(main())
