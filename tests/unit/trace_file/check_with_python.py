"""Writes traces with the program given as argument and checks them as a viewer would: the JSON is valid, complete
events of a track nest, and flows join events that exist."""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile


def check_nesting(events):
    tracks = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            begin = round(event["ts"] * 1000)
            tracks[event["pid"], event["tid"]].append((begin, begin + round(event["dur"] * 1000)))
    for track, slices in tracks.items():
        open_ends = []
        for begin, end in sorted(slices, key=lambda one: (one[0], -one[1])):
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1], f"slices of track {track} overlap at {begin} ns"
            open_ends.append(end)


def check_names(events):
    named = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
    used = {(e["pid"], e["tid"]) for e in events if e["ph"] == "X"}
    assert used <= named, f"tracks without a name: {used - named}"


def check_flows(events):
    begun = {e["bind_id"] for e in events if e.get("flow_out") and not e.get("flow_in")}
    ended = {e["bind_id"] for e in events if e.get("flow_in") and not e.get("flow_out")}
    assert begun == ended, f"flows without begin or end: {begun ^ ended}"


def main():
    writer = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        file = str(pathlib.Path(folder) / "trace.json")
        for arguments in (["write", "5000", file, "1", "1"], ["write", "5000", file, "7", "2"], ["awkward", file]):
            subprocess.run([writer, *arguments], check=True, stdout=subprocess.DEVNULL)
            trace = json.loads(pathlib.Path(file).read_text(encoding="ascii"))
            assert list(trace) == ["otherData", "traceEvents", "displayTimeUnit"]
            assert trace["otherData"]["schema"] == "ompdm.trace/1"
            events = trace["traceEvents"]
            check_names(events)
            if arguments[0] == "write":
                check_nesting(events)
                check_flows(events)
            print(*arguments[:2], len(events), "events are well-formed")


main()
