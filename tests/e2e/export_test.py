#!/usr/bin/env python3
"""`ompdm export`: a job of two ranks as a database that Python and DuckDB open, which has the report's own totals; a part
of a run as a trace; and two processes on one clock."""
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

SKIPPED = 77


def run(command, folder, **environment):
    done = subprocess.run([str(word) for word in command], cwd=folder, text=True, capture_output=True,
                          env={**os.environ, **environment})
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def record(ompdm, heat, folder):
    """Two ranks, of which one does more."""
    for rank, steps in ((0, 5), (1, 8)):
        run([ompdm, "record", heat, "--variant", "naive", 100, steps], folder,
            OMPI_COMM_WORLD_RANK=str(rank), OMPI_COMM_WORLD_SIZE="2")
    traces = ["trace.rank0.json", "trace.rank1.json"]
    assert all((folder / trace).exists() for trace in traces), sorted(os.listdir(folder))
    return traces


def flows(report):
    return {(kind, figure): report["totals"][kind][figure]
            for kind in ("HtoD", "DtoH", "DtoD", "alloc", "delete") for figure in ("bytes", "count", "time_ns")}


SUMS = """SELECT kind, sum(bytes), count(*), sum(end_ns - begin_ns) FROM {}
          WHERE NOT internal GROUP BY kind"""


def flows_of(rows):
    found = {(kind, figure): 0 for kind in ("HtoD", "DtoH", "DtoD", "alloc", "delete")
             for figure in ("bytes", "count", "time_ns")}
    for kind, size, count, time in rows:
        found.update({(kind, "bytes"): size, (kind, "count"): count, (kind, "time_ns"): time})
    return found


def check_python(database, report):
    connection = sqlite3.connect(database)
    ask = lambda query: connection.execute(query).fetchall()
    assert ask("SELECT value FROM meta WHERE key = 'schema'") == [("ompdm.sqlite/1",)]
    assert ask("SELECT rank FROM traces ORDER BY rank") == [(0,), (1,)]
    assert flows_of(ask(SUMS.format("ops"))) == flows(report)
    # Operations of one rank beside the other's, by directive.
    joined = ask("""WITH moved AS (SELECT trace, file, line, sum(bytes) AS bytes FROM ops JOIN sites USING (trace)
                       WHERE ops.site = sites.id AND kind = 'HtoD' GROUP BY trace, file, line)
                    SELECT a.line, a.bytes, b.bytes FROM moved a JOIN moved b USING (file, line)
                    WHERE a.trace = 0 AND b.trace = 1""")
    assert len(joined) == 1, joined
    assert joined[0][1] * 8 == joined[0][2] * 5, joined
    # The report's own tables.
    by_rank = ask("""SELECT rank, sum(HtoD_bytes) FROM report_directives GROUP BY rank ORDER BY rank""")
    assert [moved for _, moved in by_rank] == [joined[0][1], joined[0][2]], by_rank
    assert sum(count for (count,) in ask("SELECT count FROM report_totals WHERE quantity = 'kernel'")) == \
        report["totals"]["kernel"]["count"]
    # References lead somewhere.
    for table, column, other in (("ops", "site", "sites"), ("ops", "region", "regions"), ("ops", "variable", "variables"),
                                 ("launches", "kernel", "kernels"), ("regions", "path", "call_paths")):
        lost = ask(f"""SELECT count(*) FROM {table} a LEFT JOIN {other} b ON a.trace = b.trace AND a.{column} = b.id
                       WHERE a.{column} IS NOT NULL AND b.id IS NULL""")
        assert lost == [(0,)], (table, column)
    connection.close()


def check_duckdb(database, report, folder, packages):
    sys.path.insert(0, str(packages))
    import duckdb
    extension = next(packages.glob("duckdb_extension_sqlite_scanner/extensions/*/sqlite_scanner.duckdb_extension"))
    connection = duckdb.connect()
    connection.execute(f"LOAD '{extension}'")
    connection.execute(f"ATTACH '{database}' AS job (TYPE sqlite)")
    connection.execute(f"COPY job.ops TO '{folder}/ops' (FORMAT parquet, PARTITION_BY rank)")
    assert sorted(part.name for part in (folder / "ops").iterdir()) == ["rank=0", "rank=1"]
    parquet = f"read_parquet('{folder}/ops/*/*.parquet', hive_partitioning = true)"
    assert flows_of(connection.execute(SUMS.format(parquet)).fetchall()) == flows(report)
    pairs = connection.execute(f"""SELECT count(*) FROM {parquet} a JOIN {parquet} b USING (id, kind)
                                   WHERE a.rank = 0 AND b.rank = 1 AND a.bytes = b.bytes""").fetchone()
    assert pairs[0] > 0


def check_window(ompdm, folder):
    trace = folder / "trace.rank1.json"
    whole = json.loads(run([ompdm, "report", trace, "--gpu-trace", "--format", "json"], folder))
    begins = sorted(row["start_ns"] for row in whole["operations"])
    first, last = begins[len(begins) // 3], begins[2 * len(begins) // 3]
    run([ompdm, "export", trace, "--format", "json", "--from", f"{first}ns", "--to", f"{last}ns"], folder)
    part = folder / "trace.rank1.window.json"
    json.loads(part.read_text())
    seen = json.loads(run([ompdm, "report", part, "--gpu-trace", "--format", "json"], folder))
    inside = [row for row in seen["operations"] if first <= row["start_ns"] <= last]
    assert len(inside) == sum(first <= begin <= last for begin in begins)
    assert len(seen["operations"]) < len(begins)
    report = json.loads(run([ompdm, "report", part, "--format", "json"], folder))
    assert report["traces"][0]["detail"] == "part", report["traces"]
    assert all(finding["confidence"] == "possible" for finding in report["findings"])


def regions(traces):
    """Begins of regions in microseconds, by the pid that is shown."""
    begins = {}
    for event in traces["traceEvents"]:
        if event.get("cat") == "region":
            begins.setdefault(event["pid"], []).append(event["ts"])
    return begins


def check_one_clock(ompdm, heat, folder):
    """Of two processes, one after the other, the distance is the real one."""
    asked = []
    for name in ("first.json", "second.json"):
        before = time.monotonic_ns()
        run([ompdm, "record", "-o", name, heat, "--variant", "naive", 100, 3], folder)
        asked.append((before, time.monotonic_ns()))
        time.sleep(0.2)
    done = subprocess.run([ompdm, "export", "second.json", "first.json", "--format", "json", "-o", "both.json"], cwd=folder,
                          text=True, capture_output=True)
    assert done.returncode == 0 and "times are of one clock\n" in done.stderr, done
    traces = [json.loads((folder / name).read_text()) for name in ("first.json", "second.json")]
    starts = [trace["otherData"]["process"]["start_monotonic_ns"] for trace in traces]
    for (before, after), start in zip(asked, starts):
        assert before < start < after, (before, start, after)
    both = json.loads((folder / "both.json").read_text())
    assert both["otherData"]["schema"] == "ompdm.timeline/1" and both["otherData"]["agreement"] == "one_clock"
    pids = {process["pid"]: process["shown_pid"] for process in both["otherData"]["processes"]}
    shown = regions(both)
    for trace, start in zip(traces, starts):
        (pid, own), = regions(trace).items()
        offset = (start - starts[0]) / 1000
        assert len(own) == len(shown[pids[pid]]) > 0
        for begin, begin_shown in zip(own, shown[pids[pid]]):
            assert abs(begin + offset - begin_shown) < 0.0015, (begin, offset, begin_shown)
    first, second = (shown[pids[trace["otherData"]["process"]["pid"]]] for trace in traces)
    assert max(first) < min(second)
    told = traces[0]["otherData"]["process"].get("realtime", "unknown")
    assert told in ("synchronized", "unsynchronized", "unknown"), told


def check_refusals(ompdm, folder):
    for words in (["trace.rank0.json", "trace.rank1.json", "--format", "json", "--rank", "2"],
                  ["trace.rank0.json", "--format", "sqlite", "--rank", "0"],
                  ["trace.rank0.json", "--format", "json", "--from", "soon"],
                  ["trace.rank0.json", "--format", "json", "--from", "5ms", "--to", "1ms"],
                  ["trace.rank0.json", "--format", "sqlite", "--from", "1ms"],
                  ["trace.rank0.json"]):
        done = subprocess.run([ompdm, "export", *words], cwd=folder, text=True, capture_output=True)
        assert done.returncode == 2, (words, done)
    (folder / "notes.txt").write_text("mine")
    for form in ("sqlite", "json"):
        done = subprocess.run([ompdm, "export", "trace.rank0.json", "--format", form, "-o", "notes.txt"], cwd=folder,
                              text=True, capture_output=True)
        assert done.returncode == 1 and "notes.txt: is something else" in done.stderr, done
    assert (folder / "notes.txt").read_text() == "mine"


def main():
    ompdm, heat, packages = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        traces = record(ompdm, heat, folder)
        report = json.loads(run([ompdm, "report", *traces, "--format", "json"], folder))
        check_window(ompdm, folder)
        check_one_clock(ompdm, heat, folder)
        check_refusals(ompdm, folder)
        for _ in range(2):  # what is there is replaced
            run([ompdm, "export", *traces, "--format", "sqlite", "-o", "job.sqlite"], folder)
            check_python(folder / "job.sqlite", report)
        (folder / "job").mkdir()
        for trace in traces:
            shutil.copy(folder / trace, folder / "job")
        run([ompdm, "export", "job", "--format", "sqlite"], folder)
        check_python(folder / "job.sqlite", report)
        if packages.is_dir():
            check_duckdb(folder / "job.sqlite", report, folder, packages)
            return 0
    print("DuckDB was not fetched (tests/export/fetch): the database was opened by Python alone")
    return SKIPPED


sys.exit(main())
