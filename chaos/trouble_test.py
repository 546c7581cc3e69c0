"""Trouble of the everyday kind: what a server does when its surroundings are wrong.

Folders, ports, files and disks that do not fit, a stop with work in flight, a process that was
suspended, a crontab that must go on firing. Exit codes are those of `escapement help`.
"""

import contextlib
import os
import pathlib
import signal
import socket
import sqlite3
import subprocess
import tempfile
import unittest

from harness import checks, instant
from harness.ledger import Ledger
from harness.receiver import Receiver
from harness.server import TOKEN, Server, find_binary, processes_with, wait_until

TIMERS = "/api/v1/apps/trouble/timers"
EXIT_USAGE = 2
EXIT_DATA_FOLDER = 73
EXIT_PORT_IN_USE = 75
STOP_SECONDS = 10
SMALL_DISK = "3m"
LARGE_DISK = "64m"
MINUTE = 60


def mount(*arguments):
    return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode == 0


def can_mount():
    with tempfile.TemporaryDirectory() as folder:
        if not mount("-t", "tmpfs", "-o", "size=1m", "none", folder):
            return False
        subprocess.run(["umount", folder], check=True)
        return True


class TroubleTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def server(self, name="data", **options):
        server = Server(self.folder / name, log=self.folder / "log", **options)
        self.addCleanup(server.stop)
        return server

    def receiver(self):
        receiver = Receiver(self.folder / "ledger.jsonl")
        self.addCleanup(receiver.stop)
        return receiver

    def assert_refuses(self, server, status, *words):
        """It ends with `status` and one line that holds all `words`."""
        server.start()
        self.assertEqual(server.wait_end(), status, server.log())
        for word in words:
            self.assertIn(word, server.log())

    @contextlib.contextmanager
    def tmpfs(self, path, options):
        path.mkdir()
        self.assertTrue(mount("-t", "tmpfs", "-o", options, "none", str(path)))
        try:
            yield path
        finally:
            subprocess.run(["umount", "-l", str(path)], check=True)


class StartTest(TroubleTest):
    def test_a_folder_below_a_file_is_refused(self):
        (self.folder / "file").write_text("")
        self.assert_refuses(self.server("file/data"), EXIT_DATA_FOLDER, "file/data")

    def test_a_folder_whose_parent_is_missing_is_refused(self):
        self.assert_refuses(self.server("no/data"), EXIT_DATA_FOLDER, "no/data")

    def test_a_file_in_place_of_the_folder_is_refused(self):
        (self.folder / "data").write_text("")
        self.assert_refuses(self.server(), EXIT_DATA_FOLDER, str(self.folder / "data"))

    @unittest.skipUnless(can_mount(), "mounting is not allowed here")
    def test_a_read_only_folder_is_refused(self):
        with self.tmpfs(self.folder / "data", "ro,size=1m"):
            self.assert_refuses(self.server(), EXIT_DATA_FOLDER, str(self.folder / "data"))

    def test_a_port_in_use_is_refused(self):
        server = self.server()
        with socket.socket() as holder:
            holder.bind(("127.0.0.1", server.port))
            holder.listen()
            self.assert_refuses(server, EXIT_PORT_IN_USE, str(server.port))

    def test_beyond_loopback_needs_insecure(self):
        server = self.server(options=["--listen", "0.0.0.0:0"])
        server.command = lambda: [server.binary, "serve", "--data", str(server.data),
                                  *server.options]
        self.assert_refuses(server, EXIT_USAGE, "--insecure")
        self.assertFalse(server.data.exists())

    def test_an_unknown_option_is_refused_by_name(self):
        self.assert_refuses(self.server(options=["--datta", "x"]), EXIT_USAGE, "--datta")

    def test_a_second_server_on_the_folder_is_refused_and_harms_nothing(self):
        first = self.server().start().wait_ready()
        second = self.server()
        self.assert_refuses(second, EXIT_DATA_FOLDER, "in use", str(first.process.pid))
        self.assertTrue(first.is_ready())

    def test_a_damaged_database_is_refused_and_left_alone(self):
        server = self.server()
        server.data.mkdir()
        database = server.data / "escapement.db"
        database.write_bytes(b"this is no database, and never was one. " * 1000)
        before = database.read_bytes()
        self.assert_refuses(server, EXIT_DATA_FOLDER, "escapement.db", "damaged")
        self.assertEqual(database.read_bytes(), before)

    def test_a_newer_schema_is_refused_and_left_alone(self):
        server = self.server().start().wait_ready()
        self.assertEqual(server.terminate()[0], 0)
        database = server.data / "escapement.db"
        connection = sqlite3.connect(database)
        connection.execute("PRAGMA user_version = 9999")
        connection.close()
        before = database.read_bytes()
        self.assert_refuses(server, EXIT_DATA_FOLDER, "9999", "newer")
        self.assertEqual(database.read_bytes(), before)


class StopTest(TroubleTest):
    def test_sigterm_with_runs_in_flight_ends_with_0_in_time(self):
        receiver = self.receiver()
        server = self.server().start().wait_ready()
        ledger = Ledger(receiver.path)
        with server.client() as client:
            for key, path in {"slow": "/slow/1500", "hang": "/hang"}.items():
                put = client.put(f"{TIMERS}/{key}", {"in": "0s", "target": receiver.target(path),
                                                     "retry": {"max_attempts": 5}})
                self.assertEqual(put.status, 201, put)
        wait_until(lambda: len(ledger.read()) == 2, 10, "both are in flight")
        status, seconds = server.terminate()
        self.assertEqual(status, 0, server.log())
        self.assertLess(seconds, STOP_SECONDS)
        self.assertFalse((server.data / "address").exists())
        server.start().wait_ready()
        with server.client() as client:
            self.assertEqual(client.get(f"{TIMERS}/slow").json["state"], "succeeded")
        wait_until(lambda: len(ledger.by_name()["hang"]) == 2, 20, "the hanging run is tried again")
        self.assertEqual(len(ledger.by_name()["slow"]), 1)
        self.assertEqual(checks.one_delivery_per_attempt(ledger.read()), [])

    def test_sigterm_ends_programs_too(self):
        server = self.server(options=["--allow-exec"]).start().wait_ready()
        mark = f"trouble-{os.getpid()}"
        target = {"exec": {"argv": ["/bin/sh", "-c", "trap '' TERM; sleep 60 & wait; sleep 60"],
                           "env": {"MARK": mark}}}
        with server.client() as client:
            self.assertEqual(client.put(f"{TIMERS}/p", {"in": "0s", "target": target}).status, 201)
        wait_until(lambda: processes_with(mark), 10, "the program runs")
        status, seconds = server.terminate()
        self.assertEqual(status, 0, server.log())
        self.assertLess(seconds, STOP_SECONDS)
        wait_until(lambda: not processes_with(mark), 5, "the program is gone")

    def test_a_suspended_server_fires_late_and_once(self):
        receiver = self.receiver()
        server = self.server().start().wait_ready()
        ledger = Ledger(receiver.path)
        dues = [instant.now_us() + 200_000 + 10_000 * i for i in range(50)]
        with server.client() as client:
            timers = [{"key": f"t{i}", "at": instant.show(due), "target": receiver.target("/ok")}
                      for i, due in enumerate(dues)]
            self.assertTrue(client.post(TIMERS, {"timers": timers}).ok)
        wait_until(ledger.read, 10, "the first has fired")
        server.signal(signal.SIGSTOP)
        wait_until(lambda: instant.now_us() > dues[-1], 10, "all are due")
        server.signal(signal.SIGCONT)
        wait_until(lambda: len(ledger.read()) >= len(dues), 10, "all have fired")
        self.assertEqual(sorted(d.due_us for d in ledger.read()), dues)
        self.assertEqual(checks.never_early(ledger.read()), [])


@unittest.skipUnless(can_mount(), "mounting is not allowed here")
class FullDiskTest(TroubleTest):
    def test_a_full_disk_refuses_writes_and_loses_nothing(self):
        with self.tmpfs(self.folder / "disk", f"size={SMALL_DISK}"):
            server = self.server("disk/data").start().wait_ready()
            kept, refused = self.fill(server)
            self.assertIn(refused.status, (503, 507), refused)
            self.assertIn("Retry-After", refused.headers)
            self.assertIsNone(server.process.poll(), server.log())
            self.assert_holds(server, kept)
            self.assertTrue(mount("-o", f"remount,size={LARGE_DISK}", str(self.folder / "disk")))
            wait_until(lambda: self.put(server, "after").ok, 20, "it writes again")
            wait_until(server.is_ready, 20, "it is ready again")
            self.assert_holds(server, [*kept, "after"])
            server.kill()
            server.start().wait_ready()
            self.assert_holds(server, [*kept, "after"])
            self.assertEqual(server.terminate()[0], 0)

    def test_a_start_on_a_full_disk_recovers_with_space(self):
        with self.tmpfs(self.folder / "disk", f"size={SMALL_DISK}") as disk:
            server = self.server("disk/data").start().wait_ready()
            kept, _ = self.fill(server)
            server.kill()
            self.fill_up(disk)
            server.start()
            wait_until(lambda: server.process.poll() is not None or server.is_ready(), 20,
                       "it serves, or ends")
            if server.process.poll() is None:
                server.kill()
            else:
                self.assertEqual(server.process.returncode, EXIT_DATA_FOLDER, server.log())
            (disk / "ballast").unlink()
            self.assertTrue(mount("-o", f"remount,size={LARGE_DISK}", str(disk)))
            server.start().wait_ready()
            self.assert_holds(server, kept)

    def put(self, server, key):
        target = {"http": {"url": "http://127.0.0.1:9/", "body": "x" * 2000}}
        with server.client() as client:
            return client.put(f"{TIMERS}/{key}", {"in": "1h", "target": target})

    def fill(self, server):
        """Puts timers until one is refused; answers the acknowledged keys and the refusal."""
        kept = []
        while True:
            answer = self.put(server, f"t{len(kept)}")
            if not answer.ok:
                return kept, answer
            kept.append(f"t{len(kept)}")
            self.assertLess(len(kept), 10_000, "the disk does not get full")

    def fill_up(self, disk):
        with open(disk / "ballast", "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(b"x" * 4096)

    def assert_holds(self, server, keys):
        with server.client() as client:
            found = {run["key"] for run in client.all_runs() if run["state"] != "cancelled"}
        self.assertEqual(set(keys) - found, set())


class CrontabTest(TroubleTest):
    def test_an_imported_crontab_fires(self):
        out = self.folder / "out"
        crontab = self.folder / "mine"
        crontab.write_text(
            f"# mine\nGREETING=hello\n* * * * *  echo \"$GREETING 100\\%\" >> {out}\n"
            "0 4 1 1 *  /bin/false\n")
        server = self.server(options=["--allow-exec"], environment=self.just_before_a_minute())
        server.start().wait_ready()
        done = self.escapement(server, "job", "import", str(crontab), "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("saved 2 jobs", done.stdout)
        wait_until(lambda: out.exists() and out.read_text(), 30, "the first minute")
        self.assertEqual(out.read_text(), "hello 100%\n")
        listed = self.escapement(server, "run", "list", "--json")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertIn("occurrence", listed.stdout)

    def just_before_a_minute(self):
        """The server's clock shows two seconds before the next minute when it starts."""
        past = instant.now_us() // 1_000_000 % MINUTE
        return {"ESCAPEMENT_TEST_WALL_OFFSET": f"{(MINUTE - 2 - past) % MINUTE}s"}

    def escapement(self, server, *arguments):
        environment = dict(os.environ, ESCAPEMENT_TOKEN=TOKEN,
                           ESCAPEMENT_SERVER=f"http://127.0.0.1:{server.port}")
        return subprocess.run([find_binary(), *arguments], env=environment, text=True,
                              capture_output=True, check=False, timeout=30)


if __name__ == "__main__":
    unittest.main(verbosity=2)
