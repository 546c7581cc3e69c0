#!/usr/bin/env python3
"""The structure check sees each fault in a small bad tree, and nothing in a good one."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import cpp_scan
import house_check

HEADER = "// What it is.\n#pragma once\n"


def function_of(lines, signature="int f(int x)"):
    """A function of exactly `lines` lines."""
    return signature + " {\n" + "  x += 1;\n" * (lines - 2) + "}\n"


class TreeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def put(self, path, text):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def faults(self, path, text):
        """The faults of a tree that holds just this file, as text. Takes the file away again."""
        self.put(path, text)
        found = [str(fault) for fault in house_check.check_tree(self.root)]
        (self.root / path).unlink()
        return found

    def assert_clean(self, path, text):
        self.assertEqual(self.faults(path, text), [])

    def assert_fault(self, path, text, start):
        faults = self.faults(path, text)
        self.assertEqual(len(faults), 1, faults)
        self.assertTrue(faults[0].startswith(start), faults[0])


class Rooms(TreeTest):
    def test_a_room_may_know_itself_and_those_above(self):
        text = '#include "escapement/engine/a.h"\n#include "escapement/timers/b.h"\n'
        self.assert_clean("engine/src/a.cc", text)

    def test_an_arrow_that_runs_the_wrong_way_is_a_fault(self):
        text = '#include <vector>\n\n#include "escapement/engine/a.h"\n'
        self.assert_fault(
            "domain/src/a.cc",
            text,
            'domain/src/a.cc:3: includes "escapement/engine/a.h", but domain may know only: base',
        )

    def test_the_timer_library_knows_not_even_base(self):
        text = '#include "escapement/base/check.h"\n'
        self.assert_fault("timers/src/a.cc", text, "timers/src/a.cc:1: includes")

    def test_every_room_of_the_table_is_checked(self):
        for room, known in house_check.ROOMS.items():
            for other in house_check.ROOMS.keys() - known - {room}:
                text = f'#include "escapement/{other}/a.h"\n'
                self.assert_fault(f"{room}/src/a.cc", text, f"{room}/src/a.cc:1: includes")

    def test_an_include_in_a_comment_or_text_is_none(self):
        comment = '// #include "escapement/engine/a.h"\n/*\n#include "escapement/apps/a.h"\n*/\n'
        self.assert_clean("base/src/a.cc", comment)

    def test_a_path_around_the_rooms_is_a_fault(self):
        self.assert_fault("base/src/a.cc", '#include "../../engine/a.h"\n', "base/src/a.cc:1:")
        self.assert_clean("base/src/deep/a.cc", '#include "../b.h"\n')

    def test_an_unknown_room_is_a_fault(self):
        self.assert_fault("attic/src/a.cc", "int x;\n", "attic/src/a.cc:1: C++ outside")

    def test_a_public_header_has_one_place(self):
        self.assert_clean("base/include/escapement/base/a.h", HEADER)
        self.put("base/include/escapement/engine/a.h", HEADER)
        self.assertEqual(len(house_check.check_tree(self.root)), 1)


class Libraries(TreeTest):
    def test_each_library_has_its_rooms(self):
        for header, room in [
            ("boost/beast/core.hpp", "api"),
            ("boost/asio.hpp", "targets"),
            ("sqlite3.h", "stores"),
            ("absl/time/time.h", "calendar"),
            ("nlohmann/json.hpp", "base"),
            ("CLI/CLI.hpp", "apps"),
            ("openssl/ssl.h", "targets"),
            ("fmt/core.h", "apps"),
        ]:
            self.assert_clean(f"{room}/src/good.cc", f"#include <{header}>\n")
            self.assert_fault("timers/src/a.cc", f"#include <{header}>\n", "timers/src/a.cc:1:")
            self.assert_fault("timers/src/a.cc", f'#include "{header}"\n', "timers/src/a.cc:1:")

    def test_the_standard_library_and_linux_are_free(self):
        text = "#include <vector>\n#include <sys/epoll.h>\n#include <linux/futex.h>\n"
        self.assert_clean("timers/src/a.cc", text + "#include <unistd.h>\n")

    def test_an_unlisted_library_is_a_fault(self):
        self.assert_fault("apps/src/a.cc", "#include <curl/curl.h>\n", "apps/src/a.cc:1:")

    def test_test_libraries_stay_in_tests(self):
        self.assert_clean("base/src/a_test.cc", "#include <gtest/gtest.h>\n")
        self.assert_clean("base/src/test_sink.h", HEADER + "#include <gtest/gtest.h>\n")
        self.assert_clean("base/src/a_test_util.h", HEADER + "#include <gtest/gtest.h>\n")
        self.assert_clean("base/src/a_bench.cc", "#include <benchmark/benchmark.h>\n")
        self.assert_fault("base/src/a.cc", "#include <gtest/gtest.h>\n", "base/src/a.cc:1:")


class Sizes(TreeTest):
    def test_functions_stop_at_60_lines(self):
        self.assert_clean("base/src/a.cc", function_of(60))
        self.assert_fault(
            "base/src/a.cc",
            "int y;\n\n" + function_of(61),
            "base/src/a.cc:3: function f has 61 lines, allowed are 60",
        )

    def test_long_functions_are_seen_in_every_shape(self):
        shapes = [
            "template <typename T, int N>\nauto Box<T>::get(T (*make)(int)) const -> Map<T, int>",
            "Box::Box(int a)\n    : a_{a}, map_{{1, 2}}, b_(a)",
            "Box::Box() : Base(), a_{}",
            "bool operator<(const Box& a, const Box& b)",
            "void operator()(int x) const noexcept(true)",
            "static constexpr auto kCall = [](int x)",
            "TEST(Box, OpensOnce)",
            'extern "C" int f(const char* x = "{")',
            "[[nodiscard]] struct Box make(struct Box* x)",
            "enum Kind kind_of(char x = '{', long n = 1'000'000)",
            "int f(bool b = true ? 1 : 2) noexcept",
        ]
        for shape in shapes:
            for opening, closing in [("", ""), ("namespace a::b {\nclass X {\n public:\n", "};\n}")]:
                with self.subTest(shape=shape, opening=opening):
                    lines = 60 - shape.count("\n")
                    good = opening + function_of(lines, shape) + closing
                    bad = opening + function_of(lines + 1, shape) + closing
                    self.assert_clean("base/src/a.cc", good)
                    self.assertEqual(len(self.faults("base/src/a.cc", bad)), 1)

    def test_what_is_no_function_may_be_longer(self):
        rows = "  {1, {2}},\n" * 70
        for opening in [
            "namespace a {",
            "class A : public std::function<void(int)> {",
            "struct alignas(64) A final {",
            "constexpr std::array<std::pair<int, int>, 70> kRows{",
            "const Row kRows[] = {",
            "enum class Kind : int {",
        ]:
            with self.subTest(opening=opening):
                body = "int f();\n" * 70 if opening.startswith(("namespace", "class", "st")) else rows
                body = "  kA,\n" * 70 if opening.startswith("enum") else body
                self.assert_clean("base/src/a.cc", opening + "\n" + body + "};\n")

    def test_braces_in_texts_comments_and_other_branches_do_not_count(self):
        noise = (
            'const char* a = "}{{";\n// }}}\n/* {{ */\nchar c = \'}\';\n'
            'auto raw = R"x(}}" {)" )x";\n#if A\nif (a) {\n#else\nif (b) {\n#endif\n}\n'
            "#define OPEN {\\\n  {\n"
        )
        text = "int f() {\n" + noise + "}\nint g() {\n}\n"
        names = [(found.name, found.length) for found in cpp_scan.functions(text)]
        self.assertEqual(names, [("f", 2 + noise.count("\n")), ("g", 2)])

    def test_a_lambda_counts_in_its_function(self):
        text = "void f() {\n  run([] {\n    go();\n  });\n}\nint g() { return 1; }\n"
        names = [(found.name, found.length) for found in cpp_scan.functions(text)]
        self.assertEqual(names, [("f", 5), ("g", 1)])

    def test_files_stop_at_500_lines_and_tests_at_800(self):
        for path, limit in [
            ("base/src/a.cc", 500),
            ("tools/a.py", 500),
            ("dev", 500),
            ("base/src/a_test.cc", 800),
            ("tools/a_test.py", 800),
        ]:
            top = "#!/bin/bash\n" if path == "dev" else "\n"
            with self.subTest(path=path):
                self.assert_clean(path, top + "\n" * (limit - 1))
                self.assert_fault(path, top + "\n" * limit, f"{path}:{limit + 1}: {limit + 1} lines")

    def test_lines_stop_at_100_columns(self):
        self.assert_clean("base/src/a.cc", "// " + "x" * 97 + "\n")
        self.assert_fault("base/src/a.cc", "\n// " + "x" * 98 + "\n", "base/src/a.cc:2: 101 columns")

    def test_columns_are_characters_not_bytes(self):
        self.assert_clean("base/src/a.cc", "// " + "\u00e9" * 97 + "\n")


class Clocks(TreeTest):
    READS = [
        "auto t = std::chrono::steady_clock::now();",
        "auto t = system_clock :: now();",
        "auto t = Clock::now();",
        "clock_gettime(CLOCK_REALTIME, &t);",
        "gettimeofday(&t, nullptr);",
        "auto t = std::time(&x);",
        "auto t = time(nullptr);",
        "std::this_thread::sleep_for(x);",
        "std::this_thread::sleep_until(x);",
        "usleep(5);",
        "nanosleep(&a, &b);",
    ]

    def test_only_the_clock_reads_a_clock(self):
        for read in self.READS:
            with self.subTest(read=read):
                self.assert_fault("engine/src/a_test.cc", f"\n{read}\n", "engine/src/a_test.cc:2:")
                self.assert_clean("timers/src/wheel_bench.cc", f"{read}\n")

    def test_the_system_clock_may_read_but_not_sleep_elsewhere(self):
        self.assert_clean("base/src/system_clock.cc", "clock_gettime(CLOCK_REALTIME, &t);\n")
        self.put("engine/src/clock.cc", "clock_gettime(CLOCK_REALTIME, &t);\n")
        self.assertEqual(len(house_check.check_tree(self.root)), 1)

    def test_other_names_and_comments_are_no_reads(self):
        text = "// steady_clock::now()\nint x = clock.now().count() + next_time(0) + uptime(0);\n"
        self.assert_clean("engine/src/a.cc", text + 'auto s = "usleep";\n')


class Headers(TreeTest):
    PATH = "base/include/escapement/base/a.h"

    def test_a_header_needs_pragma_once(self):
        self.assert_clean(self.PATH, HEADER)
        self.assert_fault(self.PATH, "// #pragma once\nint x;\n", f"{self.PATH}:1: no #pragma once")

    def test_a_header_has_no_using_namespace(self):
        self.assert_fault(self.PATH, HEADER + "using namespace std;\n", f"{self.PATH}:3: using")
        self.assert_clean("base/src/a.cc", "using namespace std::chrono_literals;\n")


class Words(TreeTest):
    def test_unfinished_work_is_a_fault_in_any_text(self):
        for word in ["TO" + "DO", "FIX" + "ME"]:
            self.assert_fault("docs/a.md", f"one\n{word}: two\n", f"docs/a.md:2: says {word}")
        self.assert_clean("docs/a.md", "mas" + "TO" + "DON\n")

    def test_binary_files_are_left_alone(self):
        (self.root / "picture.png").write_bytes(b"\0" + b"TO" + b"DO")
        self.assertEqual(house_check.check_tree(self.root), [])


class Program(TreeTest):
    def run_check(self):
        command = [sys.executable, house_check.__file__, str(self.root)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_ends_with_1_and_the_fault_or_with_0(self):
        self.put("base/src/a.cc", "int x;\n")
        self.assertEqual(self.run_check().returncode, 0)
        self.put("base/src/b.cc", "#include <sqlite3.h>\n")
        done = self.run_check()
        self.assertEqual(done.returncode, 1)
        self.assertIn("base/src/b.cc:1: includes <sqlite3.h>, allowed only in", done.stdout)

    def test_what_git_ignores_is_not_checked(self):
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)
        self.put(".gitignore", "/scratch/\n")
        self.put("scratch/a.cc", "#include <sqlite3.h>\n")
        self.assertEqual(house_check.check_tree(self.root), [])
        self.put("fresh/a.cc", "int x;\n")
        self.assertEqual(len(house_check.check_tree(self.root)), 1)

    def test_build_folders_are_not_checked(self):
        self.put("build/dev/a.cc", "#include <sqlite3.h>\n")
        self.assertEqual(house_check.check_tree(self.root), [])


if __name__ == "__main__":
    unittest.main()
