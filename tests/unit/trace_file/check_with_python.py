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


def check_shape(events):
    """What the Chrome Trace Event format asks of each phase."""
    for event in events:
        assert isinstance(event["name"], str) and isinstance(event["pid"], int), event
        match event["ph"]:
            case "X":
                assert isinstance(event["tid"], int) and event["ts"] >= 0 and event["dur"] >= 0, event
                assert isinstance(event["cat"], str) and isinstance(event.get("args", {}), dict), event
            case "C":
                assert event["ts"] >= 0 and event["args"], event
                assert all(isinstance(value, (int, float)) for value in event["args"].values()), event
            case "M":
                assert event["name"] in ("process_name", "thread_name", "process_sort_index", "thread_sort_index"), event
                assert len(event["args"]) == 1, event
            case phase:
                raise AssertionError(f"phase {phase} is none of ours")


def check_names(events):
    named = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
    used = {(e["pid"], e["tid"]) for e in events if e["ph"] == "X"}
    assert used <= named, f"tracks without a name: {used - named}"


def check_flows(events):
    begun = {e["bind_id"] for e in events if e.get("flow_out") and not e.get("flow_in")}
    ended = {e["bind_id"] for e in events if e.get("flow_in") and not e.get("flow_out")}
    assert begun == ended, f"flows without begin or end: {begun ^ ended}"
    # A flow is bound to slices in the order of time: none may lead back.
    last = {}
    for event in events:
        if flow := event.get("bind_id"):
            assert event["ts"] >= last.get(flow, 0), f"flow {flow} leads back at {event['ts']} us"
            last[flow] = event["ts"]


def check_counters(events):
    """A counter's samples are in the order of time."""
    last = {}
    for event in events:
        if event["ph"] != "C":
            continue
        counter = event["pid"], event["name"]
        assert event["ts"] >= last.get(counter, 0), f"samples of {counter} go back at {event['ts']} us"
        last[counter] = event["ts"]


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
                check_shape(events)
                check_nesting(events)
                check_flows(events)
                check_counters(events)
            print(*arguments[:2], len(events), "events are well-formed")


main()
