"""What the benchmarks share: the harness of chaos/, percentiles, medians, and the way they end."""

import argparse
import json
import pathlib
import statistics
import sys

TOP = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP / "chaos"))


def percentiles(values):
    """p50, p99 and max; the value at a rank, nothing interpolated."""
    ordered = sorted(values)
    at = lambda percent: ordered[(len(ordered) - 1) * percent // 100]
    return {"count": len(ordered), "p50_us": at(50), "p99_us": at(99), "max_us": at(100)}


def medians(rounds):
    """The median of each figure over rounds that all have the same figures."""
    return {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--binary", required=True, help="the program escapement")
    parser.add_argument("--json", help="the file for the figures; else only standard output")
    parser.add_argument("--rounds", type=int, default=5)
    return parser


def finish(figures, path):
    text = json.dumps(figures, indent=2)
    print(text)
    if path:
        pathlib.Path(path).write_text(text + "\n")


def cpu_seconds(pid):
    """User and system time of a process so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def bytes_written(pid):
    """What a process handed to the kernel to write, sockets included."""
    for line in pathlib.Path(f"/proc/{pid}/io").read_text().splitlines():
        if line.startswith("wchar:"):
            return int(line.split()[1])
    raise AssertionError(f"no wchar in /proc/{pid}/io")
