#!/usr/bin/python3
"""A trace opens as it is in the Perfetto UI, without a network.

usage: perfetto_test.py [--few] UI_FOLDER GOLDEN_FOLDER SYNTHETIC_TRACE OMPDM
           every kind of trace that is kept, a long one, and a timeline of several;
           with --few a packed trace, one of a killed process, and the timeline
       perfetto_test.py UI_FOLDER TRACE...
           these traces

The folder is the one that tests/page/fetch makes; the test is skipped without.
"""
import collections
import functools
import gzip
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest

sys.dont_write_bytecode = True
import browser  # noqa: E402  (ends the program where there is none)

# What the UI asks vizviewer for before it opens /localtrace by itself.
ANSWERS = {"/vizviewer_info": b"{}", "/file_info": b"{}"}
OPEN = "return Boolean(window.app && app.trace && app.trace.engine && !app.isLoadingTrace)"
QUERY = """
    const [sql, done] = arguments;
    app.trace.engine.query(sql).then((result) => {
      const rows = [];
      for (const row = result.iter({}); row.valid(); row.next()) {
        rows.push(result.columns().map((name) => String(row.get(name))));
      }
      done(rows);
    }).catch((error) => done(String(error)));"""
TIMELINE = b'{"otherData":{"schema":"ompdm.timeline/1"'
# What chrome://tracing shows, as the UI carries it with itself: processes in their order, with how many slices, and arrows.
CATAPULT = """
    const model = new tr.Model();
    new tr.importer.Import(model).importTraces([arguments[0]]);
    const processes = model.getAllProcesses().sort(tr.model.Process.compare).map((process) => [process.name,
      Object.values(process.threads).reduce((sum, thread) => sum + thread.sliceGroup.slices.length, 0)]);
    return [processes, model.flowEvents.length];"""
# What the UI says of a trace that it cannot read lies in a dialog over it.
SHOWN_ERRORS = "return [...document.querySelectorAll('.pf-modal-dialog')].map((each) => each.innerText)"


class Handler(http.server.SimpleHTTPRequestHandler):
    """The UI's files, and the server's trace."""

    def do_GET(self):
        path = self.path.split("?")[0]
        if path not in ANSWERS and path != "/localtrace":
            super().do_GET()
            return
        body = ANSWERS.get(path) or self.server.trace.read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def events(trace, kind):
    """How many whole events of a kind a trace has; of a killed process it may end anywhere."""
    packed = trace.read_bytes()
    text = (gzip.decompress(packed) if trace.suffix == ".gz" else packed).decode()
    return len(re.findall(r'^\{.*"ph":"%s".*\},?\]?$' % kind, text, re.M))


class PerfettoTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=UI))
        threading.Thread(target=cls.server.serve_forever).start()
        cls.addClassCleanup(cls.server.server_close)
        cls.addClassCleanup(cls.server.shutdown)

    def query(self, driver, sql):
        rows = driver.execute_async_script(QUERY, sql)
        self.assertIsInstance(rows, list, rows)
        return rows

    def check(self, trace):
        """Every event of the trace must be there, and nothing be dropped or complained of."""
        self.server.trace = trace
        slices = events(trace, "X")
        self.assertGreater(slices, 0)
        # A browser for each: the memory of the traces before stays with a tab.
        with browser.browser() as driver:
            driver.set_script_timeout(120)
            driver.get(f"http://127.0.0.1:{self.server.server_port}/")
            browser.wait(driver, OPEN, 180)
            complaints = self.query(driver, "select name, value from stats where value > 0 and severity != 'info'")
            self.assertEqual(complaints, [])
            self.assertEqual(self.query(driver, "select count(*) from slice"), [[str(slices)]])
            counters = int(self.query(driver, "select count(*) from counter")[0][0])
            self.assertGreaterEqual(counters, events(trace, "C"))
            self.assertEqual(driver.execute_script(SHOWN_ERRORS), [])
            if TIMELINE in trace.read_bytes()[:len(TIMELINE)]:
                self.check_processes(driver, json.loads(trace.read_text()))
                self.check_catapult(driver, trace.read_text())

    def check_processes(self, driver, file):
        """Each event must be drawn under the process that the file names, and each arrow end at the rank where it began."""
        names = {event["pid"]: event["args"]["name"] for event in file["traceEvents"] if event["name"] == "process_name"}
        drawn = collections.Counter(event["pid"] for event in file["traceEvents"] if event["ph"] == "X")
        rows = self.query(driver, """select process.name, count(*) from slice join thread_track on slice.track_id =
            thread_track.id join thread using (utid) join process using (upid) group by process.upid""")
        self.assertEqual(sorted(rows), sorted([names[pid], str(count)] for pid, count in drawn.items()))
        if any(process["rank"] < 0 for process in file["otherData"]["processes"]):
            return
        rows = self.query(driver, """select substr(p.name, 1, 6) = substr(q.name, 1, 6), count(*) from flow
            join slice a on a.id = slice_out join slice b on b.id = slice_in
            join thread_track x on x.id = a.track_id join thread_track y on y.id = b.track_id
            join thread t on t.utid = x.utid join thread u on u.utid = y.utid
            join process p on p.upid = t.upid join process q on q.upid = u.upid group by 1""")
        arrows = sum(event.get("flow_in", False) for event in file["traceEvents"])
        self.assertEqual(rows, [["1", str(arrows)]])

    def check_catapult(self, driver, text):
        """chrome://tracing must show all processes in the order of the file."""
        driver.get(next(UI.resolve().glob("v*/assets/catapult_trace_viewer.html")).as_uri())
        processes, arrows = driver.execute_script(CATAPULT, text)
        file = json.loads(text)["traceEvents"]
        names = [(event["pid"], event["args"]["name"]) for event in file if event["name"] == "process_name"]
        drawn = collections.Counter(event["pid"] for event in file if event["ph"] == "X")
        self.assertEqual(processes, [[name, drawn[pid]] for pid, name in names])
        self.assertEqual(arrows, sum(event.get("flow_in", False) for event in file))

    def test_traces(self):
        for trace in TRACES:
            with self.subTest(trace=str(trace)):
                self.check(trace)


def several(folder, synthetic, ompdm):
    """A timeline of ranks that had one pid, on three hosts."""
    ranks = []
    for rank in range(3):
        trace = folder / f"rank{rank}.json"
        subprocess.run([synthetic, "write", "1200", trace, "2"], check=True)
        text = trace.read_text().replace('"rank":-1,"rank_count":0', f'"rank":{rank},"rank_count":3')
        trace.write_text(text.replace('"host":"node17"', f'"host":"node{rank}"').replace(
            '"start_realtime_ns":"17600000001', f'"start_realtime_ns":"1760000000{rank + 1}'))
        ranks.append(trace)
    subprocess.run([ompdm, "export", *ranks, "--format", "json", "-o", folder / "several.json"], check=True)
    return folder / "several.json"


def kept(golden, folder, synthetic, ompdm):
    """Traces of every kind, one of them packed, one of 100,000 events, and a timeline."""
    traces = [each for each in sorted(golden.glob("*/trace*.json")) if events(each, "X") > 0]
    cut = golden / "killed" / "trace.json"
    traces.remove(cut)  # ends before its closing brace, which the UI wants
    closed = folder / "closed.json"
    closed.write_text(cut.read_text() + "}")
    packed = folder / "packed.json.gz"
    packed.write_bytes(gzip.compress((golden / "heat_naive" / "trace.json").read_bytes()))
    timeline = several(folder, synthetic, ompdm)
    if FEW:
        return [closed, packed, timeline]
    subprocess.run([synthetic, "write", "100000", folder / "long.json", "4"], check=True)
    return [*traces, closed, packed, folder / "long.json", timeline]


if __name__ == "__main__":
    FEW = sys.argv[1] == "--few"
    UI, *given = map(pathlib.Path, sys.argv[1 + FEW:])
    if not (UI / "index.html").exists():
        browser.skip(f"no Perfetto UI at {UI}")
    with tempfile.TemporaryDirectory() as scratch:
        TRACES = (kept(given[0], pathlib.Path(scratch), given[1].resolve(), given[2].resolve()) if given[0].is_dir()
                  else given)
        unittest.main(argv=sys.argv[:1], verbosity=2)
