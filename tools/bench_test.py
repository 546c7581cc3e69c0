#!/usr/bin/env python3
"""The benchmark runner, on a small tree with programs of its own."""

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path

import bench

PROGRAM = """#!/bin/sh
case "$*" in *--benchmark_repetitions=5*) ;; *) exit 3 ;; esac
for argument; do
  case $argument in --benchmark_out=*) echo '{"ns": 7}' > "${argument#--benchmark_out=}" ;; esac
done
"""
SCRIPT = """import json, sys
assert sys.argv[1] == "--binary" and sys.argv[2].endswith("/escapement")
open(sys.argv[4], "w").write(json.dumps({"lateness_us": 9}))
"""


class BenchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.put("timers/src/wheel_bench.cc", "#include <benchmark/benchmark.h>\n")
        self.put("bench/fire_bench.py", SCRIPT)
        self.put("bin/wheel_bench", PROGRAM).chmod(0o755)

    def put(self, path, text):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    def run_bench(self, *arguments):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            with contextlib.redirect_stderr(io.StringIO()) as err:
                code = bench.main([*arguments, "--bin", str(self.root / "bin")], self.root)
        return code, out.getvalue(), err.getvalue()

    def test_lists_programs_and_scripts(self):
        self.assertEqual(self.run_bench("names")[:2], (0, "wheel\nfire\n"))
        self.assertEqual(self.run_bench("names", "fi")[:2], (0, "fire\n"))

    def test_an_unknown_name_is_refused_with_the_known_ones(self):
        code, _, err = self.run_bench("run", "whale")
        self.assertEqual(code, 2)
        self.assertEqual(err, 'no benchmark begins with "whale"; known: wheel, fire\n')

    def test_merges_the_figures_of_all_with_the_host(self):
        file = self.root / "figures.json"
        self.assertEqual(self.run_bench("run", "--json", str(file))[0], 0)
        merged = json.loads(file.read_text())
        figures = {"wheel": {"ns": 7}, "fire": {"lateness_us": 9}}
        self.assertEqual(merged["benchmarks"], figures)
        self.assertGreater(merged["host"]["cores"], 0)

    def test_a_plain_program_gets_no_arguments_and_gives_its_lines(self):
        self.put("stores/src/store_bench.cc", "int main() {}\n")
        program = self.put("bin/store_bench", '#!/bin/sh\necho "$# arguments"\necho 99 us\n')
        program.chmod(0o755)
        file = self.root / "figures.json"
        self.assertEqual(self.run_bench("run", "store", "--json", str(file))[0], 0)
        lines = json.loads(file.read_text())["benchmarks"]["store"]["lines"]
        self.assertEqual(lines, ["0 arguments", "99 us"])
        program.write_text("#!/bin/sh\nexit 1\n")
        self.assertEqual(self.run_bench("run", "store")[0], 1)

    def test_a_failing_benchmark_fails_the_run_and_writes_nothing(self):
        self.put("bin/wheel_bench", "#!/bin/sh\nexit 1\n").chmod(0o755)
        file = self.root / "figures.json"
        self.assertEqual(self.run_bench("run", "wheel", "--json", str(file))[0], 1)
        self.assertFalse(file.exists())


if __name__ == "__main__":
    unittest.main()
