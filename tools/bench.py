#!/usr/bin/env python3
"""Finds the benchmarks of the tree, runs them, and merges their figures in one file.

    tools/bench.py names [WHAT]
    tools/bench.py run [WHAT] --bin FOLDER [--json FILE]

A benchmark is a program `<room>/src/NAME_bench.cc` or a script `bench/NAME_bench.py`, called with
--binary and --json. A program that includes benchmark/benchmark.h runs five times and gives its
figures as JSON; any other runs once, without arguments, and gives the lines that it prints. WHAT is
the beginning of a name; without it all run. FILE gets {"host": {...}, "benchmarks": {NAME: figures}}.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REPETITIONS = 5
SUFFIX = "_bench"


def known_benchmarks(root):
    """{name: source}, for every benchmark of the tree."""
    sources = sorted(root.glob("*/src/**/*_bench.cc")) + sorted(root.glob("bench/*_bench.py"))
    return {source.stem.removesuffix(SUFFIX): source for source in sources}


def chosen(known, what):
    return {name: source for name, source in known.items() if name.startswith(what)}


def is_plain_program(source):
    return source.suffix == ".cc" and "<benchmark/benchmark.h>" not in source.read_text()


def command_for(name, source, bin_folder, out):
    if source.suffix == ".py":
        binary = bin_folder / "escapement"
        return [sys.executable, str(source), "--binary", str(binary), "--json", str(out)]
    if is_plain_program(source):
        return [str(bin_folder / (name + SUFFIX))]
    return [
        str(bin_folder / (name + SUFFIX)),
        f"--benchmark_repetitions={REPETITIONS}",
        "--benchmark_report_aggregates_only=true",
        f"--benchmark_out={out}",
        "--benchmark_out_format=json",
    ]


def cpu_model():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def host():
    return {
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": platform.release(),
    }


def run_plain(command):
    """Runs the program, showing each line as it comes; answers the lines."""
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line.rstrip("\n"))
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return {"lines": lines}


def run_one(name, source, bin_folder, out):
    command = command_for(name, source, bin_folder, out)
    if is_plain_program(source):
        return run_plain(command)
    subprocess.run(command, check=True)
    return json.loads(out.read_text())


def run_all(benchmarks, bin_folder):
    """Runs one after the other; ends at the first that fails."""
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, source in benchmarks.items():
            out = Path(folder) / f"{name}.json"
            print(f"== {name}", flush=True)
            figures[name] = run_one(name, source, bin_folder, out)
    return figures


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verb", choices=["names", "run"])
    parser.add_argument("what", nargs="?", default="")
    parser.add_argument("--bin", type=Path, default=ROOT / "build/release/bin")
    parser.add_argument("--json", type=Path)
    return parser.parse_args(arguments)


def main(arguments, root=ROOT):
    options = parse(arguments)
    known = known_benchmarks(root)
    benchmarks = chosen(known, options.what)
    if not benchmarks:
        print(f'no benchmark begins with "{options.what}"; known: {", ".join(known)}', file=sys.stderr)
        return 2
    if options.verb == "names":
        print("\n".join(benchmarks))
        return 0
    try:
        figures = run_all(benchmarks, options.bin)
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    if options.json:
        merged = {"host": host(), "benchmarks": figures}
        options.json.write_text(json.dumps(merged, indent=2) + "\n")
        print(f"wrote {options.json}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
