#!/usr/bin/env python3
"""The structure check: the rules of STYLE.md that a machine can read, as a test.

    tools/house_check.py [FOLDER]

Prints one line for each fault, `path:line: what is wrong, what is allowed`, and ends with 1 when
there was any. Python's standard library only; the whole tree takes about a second.
"""

import posixpath
import re
import subprocess
import sys
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import cpp_scan

# Which rooms each room may include headers of. A room always knows itself.
EVERY_ROOM = frozenset(
    ["base", "timers", "calendar", "domain", "engine", "stores", "targets", "api", "simulation"]
)
BELOW_PORTS = frozenset(["base", "calendar", "domain", "engine"])
ROOMS = {
    "base": frozenset(),
    "timers": frozenset(),
    "calendar": frozenset(["base"]),
    "domain": frozenset(["base", "calendar"]),
    "engine": frozenset(["base", "calendar", "domain", "timers"]),
    "stores": BELOW_PORTS,
    "targets": BELOW_PORTS,
    "api": BELOW_PORTS,
    "simulation": BELOW_PORTS | {"timers", "stores"},
    "apps": EVERY_ROOM,
    "bench": EVERY_ROOM,
    "chaos": EVERY_ROOM,
}

# Where each third-party header may be included: by the first part of its path, or by its name.
LIBRARIES = {
    "boost": ["targets", "api", "apps"],
    "sqlite3.h": ["stores"],
    "libpq-fe.h": ["stores"],
    "absl": ["calendar"],
    "nlohmann": ["base"],
    "CLI": ["apps"],
    "toml++": ["apps"],
    "spdlog": ["apps"],
    "fmt": ["apps"],
    "openssl": ["api", "apps", "targets"],
}
# Test and benchmark libraries go with the kind of file, in any room.
FILE_KIND_LIBRARIES = {
    "gtest": "_test",
    "gmock": "_test",
    "rapidcheck": "_test",
    "rapidcheck.h": "_test",
    "benchmark": "_bench",
}
LINUX_FOLDERS = frozenset(
    ["sys", "linux", "netinet", "net", "arpa", "asm", "sanitizer", "experimental"]
)

MAX_FUNCTION_LINES = 60
MAX_FILE_LINES = 500
MAX_TEST_FILE_LINES = 800
MAX_COLUMNS = 100

# Built from parts, so that this file passes its own check.
UNFINISHED = re.compile(r"\b(" + "TO" + "DO|FIX" + r"ME)\b")
CLOCK_READS = re.compile(
    r"\b\w*[cC]lock\s*::\s*now\b|\bclock_gettime\b|\bgettimeofday\b|\bstd\s*::\s*time\s*\("
    r"|\btime\s*\(\s*(?:nullptr|NULL|0)\s*\)|\babsl\s*::\s*Now\b"
)
SLEEPS = re.compile(r"\bsleep_(?:for|until)\b|\busleep\b|\b(?:clock_)?nanosleep\b|\bsleep\s*\(")
USING_NAMESPACE = re.compile(r"\busing\s+namespace\b(?!\s+std::chrono_literals)")
SKIPPED_FOLDERS = frozenset([".git", "build", "escapement-data", "node_modules", "__pycache__"])


class Fault(NamedTuple):
    path: str
    line: int
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text}"


def listed(names):
    return ", ".join(sorted(names)) or "none"


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def project_files(root):
    """Paths of the project's files: what git tracks or would track, else everything but builds."""
    if (root / ".git").exists():
        command = ["git", "-C", str(root), "ls-files", "-z", "-co", "--exclude-standard"]
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode == 0:
            names = sorted(set(done.stdout.decode().split("\0")) - {""})
            return [name for name in names if (root / name).is_file()]
    files = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return sorted(path.as_posix() for path in files if not SKIPPED_FOLDERS & set(path.parts))


def check_house_include(path, room, target):
    parts = target.split("/")
    known = ROOMS[room] | {room}
    if len(parts) > 2 and parts[1] in known:
        return None
    return f"includes \"{target}\", but {room} may know only: {listed(known)}"


def check_library_include(path, room, target):
    first = target.split("/")[0]
    if first in FILE_KIND_LIBRARIES:
        kind = FILE_KIND_LIBRARIES[first]
        if kind in "_" + PurePosixPath(path).stem:
            return None
        name = kind.removeprefix("_")
        return f"includes <{target}>, allowed only in files named {name}_* or *_{name}*"
    if first in LIBRARIES:
        if room in LIBRARIES[first]:
            return None
        return f"includes <{target}>, allowed only in the rooms: {listed(LIBRARIES[first])}"
    if "/" in target and first not in LINUX_FOLDERS:
        return f"includes <{target}>, which no room owns; LIBRARIES in tools/house_check.py says who"
    return None


def leaves_room(path, room, target):
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return not place.startswith(room + "/")


def check_include(path, room, target):
    name = target[1:-1]
    if name.startswith("escapement/"):
        return check_house_include(path, room, name)
    if ".." in name.split("/") and leaves_room(path, room, name):
        return f"includes {target}, which leaves the room; allowed is \"escapement/<room>/...\""
    first = name.split("/")[0]
    if target.startswith("<") or first in LIBRARIES or first in FILE_KIND_LIBRARIES:
        return check_library_include(path, room, name)
    return None


def check_rooms(path, text):
    """Includes point only to rooms further up, and public headers have their one place."""
    room = PurePosixPath(path).parts[0]
    if room not in ROOMS:
        yield Fault(path, 1, f"C++ outside of a known room, allowed: {listed(ROOMS)}")
        return
    if path.startswith(f"{room}/include/") and not path.startswith(
        f"{room}/include/escapement/{room}/"
    ):
        yield Fault(path, 1, f"public header, allowed in {room}/include/escapement/{room}/")
    for line, target in cpp_scan.includes(text):
        problem = check_include(path, room, target)
        if problem:
            yield Fault(path, line, problem)


def check_functions(path, text):
    for function in cpp_scan.functions(text):
        if function.length > MAX_FUNCTION_LINES:
            yield Fault(
                path,
                function.line,
                f"function {function.name} has {function.length} lines, "
                f"allowed are {MAX_FUNCTION_LINES}",
            )


def check_columns(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > MAX_COLUMNS:
            yield Fault(path, number, f"{len(line)} columns, allowed are {MAX_COLUMNS}")


def reads_clocks(path):
    place = PurePosixPath(path)
    if place.name.endswith("_bench.cc"):
        return True
    return path.startswith("base/src/") and "clock" in place.stem and place.suffix == ".cc"


def check_clock(path, text):
    if reads_clocks(path):
        return
    code = cpp_scan.strip_literals(text)
    for match in CLOCK_READS.finditer(code):
        yield Fault(
            path,
            line_of(code, match.start()),
            f"reads a clock ({match.group(0)}), allowed only in base/src/*clock*.cc; "
            "take the time as an argument or through Clock&",
        )
    for match in SLEEPS.finditer(code):
        yield Fault(
            path,
            line_of(code, match.start()),
            f"sleeps ({match.group(0)}), allowed nowhere; wait through Clock& or for an event",
        )


def check_header(path, text):
    code = cpp_scan.strip_literals(text)
    if not re.search(r"^#pragma once$", code, re.MULTILINE):
        yield Fault(path, 1, "no #pragma once, every header needs it")
    if Path(path).name.startswith("test_"):
        return
    for match in USING_NAMESPACE.finditer(code):
        yield Fault(path, line_of(code, match.start()), "using namespace, allowed only in .cc files")


def is_test(path):
    name = PurePosixPath(path).name
    return name.endswith(("_test.cc", "_test.py")) or re.fullmatch(r"test_.*\.py", name)


def is_script(path, text):
    return PurePosixPath(path).suffix in (".py", ".sh") or text.startswith("#!")


def check_length(path, text):
    lines = len(text.splitlines())
    allowed = MAX_TEST_FILE_LINES if is_test(path) else MAX_FILE_LINES
    if lines > allowed:
        yield Fault(path, lines, f"{lines} lines, allowed are {allowed}")


def check_unfinished(path, text):
    for match in UNFINISHED.finditer(text):
        yield Fault(
            path,
            line_of(text, match.start()),
            f"says {match.group(0)}, allowed is finished work; open an issue instead",
        )


def check_file(path, text):
    rules = [check_unfinished]
    suffix = PurePosixPath(path).suffix
    if suffix in (".h", ".cc"):
        rules += [check_rooms, check_functions, check_columns, check_clock]
    if suffix == ".h":
        rules.append(check_header)
    if suffix in (".h", ".cc") or is_script(path, text):
        rules.append(check_length)
    for rule in rules:
        yield from rule(path, text)


def read_text(path):
    """The file's text; None for binary files."""
    data = path.read_bytes()
    return None if b"\0" in data else data.decode(errors="replace")


def check_tree(root):
    faults = []
    for path in project_files(root):
        text = read_text(root / path)
        if text is not None:
            faults += check_file(path, text)
    return sorted(faults)


def main(arguments):
    if len(arguments) > 1 or arguments[:1] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0 if len(arguments) == 1 else 2
    root = Path(arguments[0] if arguments else Path(__file__).resolve().parent.parent)
    faults = check_tree(root)
    for fault in faults:
        print(fault)
    print(f"house check: {len(faults)} faults in {len(project_files(root))} files")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
