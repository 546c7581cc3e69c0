"""kill -9 at each system call that writes, and failing syncs: strace injects both.

    strace_test.py                    a sample of the kill points
    ESCAPEMENT_LONG=1 strace_test.py  every kill point of every thread, until none is left

One small scenario is run under `strace --inject=CALL:signal=KILL:when=N`: N counts the calls of one
kind in each thread. Whatever the client saw acknowledged before the end must hold after a restart
without strace. A point beyond the last call lets the scenario finish; then the kind is done.
"""

import os
import pathlib
import subprocess
import tempfile
import unittest

from harness import checks, instant
from harness.book import Book
from harness.client import Unknown, Unsent
from harness.ledger import Ledger
from harness.receiver import Receiver
from harness.server import Server, wait_until

LONG = os.environ.get("ESCAPEMENT_LONG") == "1"
WRITES = ["fdatasync", "fsync", "ftruncate", "unlink", "rename", "write", "pwrite64"]
SAMPLE = {"pwrite64": [1, 7, 23, 60], "write": [3], "fdatasync": [1, 4, 9, 15], "fsync": [1],
          "ftruncate": [1], "unlink": [1]}
MOST_POINTS = 2_000  # of one kind: beyond this something repeats without end
EXIT_FAILED_SYNC = 70
SYNC_DELAY_US = 200_000
TIMERS = "/api/v1/apps/strace/timers"
JOB = "/api/v1/apps/strace/jobs/every"
EVERY_US = 100_000
RETRY = {"max_attempts": 5, "backoff": {"initial": "50ms", "max": "100ms"}}
KEYS = [f"t{i}" for i in range(6)]


def injection(call, what, when):
    """The command line before the server's own."""
    inject = f"inject={call}:{what}:when={when}"
    return ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject]


def percentile(values, percent):
    ordered = sorted(values)
    return ordered[(len(ordered) - 1) * percent // 100]


def has_strace():
    probe = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False)
    return probe.returncode == 0


class Scenario:
    """The same few commands each time; remembers what was answered."""

    def __init__(self, folder, name, wrapper):
        self.server = Server(folder / name, wrapper=wrapper)
        self.receiver = Receiver(folder / f"{name}.jsonl")
        self.book = Book()
        self.job_acknowledged = False
        self.terms = []

    def play(self):
        """Whether the server lived to the end of it."""
        self.server.start()
        try:
            wait_until(self.server.is_ready, 30, "/readyz")
            with self.server.client(10) as client:
                self.steps(client)
            self.await_fires()
            status, _ = self.server.terminate(20)
            return status == 0
        except (Unsent, Unknown):
            self.server.wait_end()
        except AssertionError:
            if self.server.process.poll() is None:
                raise
        return False

    def steps(self, client):
        self.terms.append(client.metrics()["term"])
        self.job_acknowledged |= client.put(JOB, self.job()).ok
        for i, key in enumerate(KEYS):
            self.put(client, key, instant.now_us() + 60_000 * (i + 1))
        self.put(client, KEYS[5], instant.now_us() + 250_000)
        self.cancel(client, KEYS[4])

    def job(self):
        return {"schedule": {"every": "100ms"}, "target": self.receiver.target("/ok"),
                "retry": RETRY, "timeout": "5s", "catch_up": {"policy": "all", "limit": 10_000}}

    def put(self, client, key, due_us):
        request = {"at": instant.show(due_us), "target": self.receiver.target("/fail/1"),
                   "retry": RETRY, "timeout": "5s"}
        sent_us = instant.now_us()
        try:
            answer = client.put(f"{TIMERS}/{key}", request)
        except Unknown:
            self.book.put_unknown(key, request, sent_us)
            raise
        if answer.ok:
            self.book.put_acknowledged(key, answer.json)
        else:
            self.book.put_refused(key, answer)

    def cancel(self, client, key):
        try:
            answer = client.delete(f"{TIMERS}/{key}")
        except Unknown:
            self.book.cancel_unknown(key)
            raise
        self.book.cancel_answered(key, answer)

    def await_fires(self):
        """All timers fired and the job a few times, or the server ended."""
        ledger = Ledger(self.receiver.path)
        wait_until(lambda: self.server.process.poll() is not None or self.has_fired(ledger), 20,
                   "the scenario's timers fire")

    def has_fired(self, ledger):
        names = ledger.by_name()
        return len(names.get("every", [])) >= 5 and len(names.get(KEYS[5], [])) >= 2

    # ---- afterwards ---------------------------------------------------------------------------

    def recover(self):
        """Restarts without strace, ends all work, and answers every violation."""
        self.server.wrapper = []
        self.server.start().wait_ready()
        with self.server.client() as client:
            self.terms.append(client.metrics()["term"])
            exists = client.get(JOB).status == 200
            if exists:
                wait_until(lambda: client.delete(JOB).ok, 5, "the job is deleted")
            wait_until(lambda: client.metrics()["runs_live"] == 0, 30, "nothing is live any more")
            runs, metrics = client.all_runs(), client.metrics()
        status, _ = self.server.terminate()
        bad = [] if status == 0 else [f"SIGTERM ended with {status}"]
        if self.job_acknowledged and not exists:
            bad.append("the job was acknowledged and does not exist")
        return bad + self.violations(runs, metrics)

    def violations(self, runs, metrics):
        ledger = Ledger(self.receiver.path)
        seen = ledger.read()
        bad = checks.never_early(seen) + checks.one_delivery_per_attempt(seen)
        bad += checks.idempotency_keys(seen) + checks.one_run_per_occurrence(seen, runs)
        bad += checks.deliveries_are_known(seen, runs) + checks.all_terminal(runs)
        bad += checks.http_runs_were_delivered(runs, ledger.by_run(), None)
        bad += checks.timers_keep_their_word(self.book, runs, ledger.by_name())
        bad += checks.conservation(metrics, runs)
        if any(r["origin"] == "occurrence" for r in runs):
            bad += checks.no_gaps(runs, "every", EVERY_US)
        if self.terms != sorted(set(self.terms)):
            bad.append(f"terms do not grow: {self.terms}")
        return bad

    def close(self):
        self.server.stop()
        self.receiver.stop()


@unittest.skipUnless(has_strace(), "strace may not trace here")
class StraceTest(unittest.TestCase):
    def run_point(self, call, what, when):
        """Plays, restarts and checks; answers (finished, exit status of the first life)."""
        with tempfile.TemporaryDirectory() as folder:
            scenario = Scenario(pathlib.Path(folder), "data", injection(call, what, when))
            try:
                finished = scenario.play()
                status = scenario.server.process.returncode
                with self.subTest(call=call, what=what, when=when):
                    self.assertEqual(scenario.recover(), [], scenario.server.log())
            finally:
                scenario.close()
        return finished, status

    def test_a_kill_at_a_call_that_writes_breaks_no_promise(self):
        kills = {}
        for call in WRITES:
            points = range(1, MOST_POINTS) if LONG else SAMPLE.get(call, [])
            kills[call] = self.kill_points(call, points)
            print(f"{call}: killed at {kills[call]} points", flush=True)
        self.assertGreater(sum(kills.values()), 6)

    def kill_points(self, call, points):
        """How many points there were before the scenario got through."""
        kills = 0
        for when in points:
            finished, _ = self.run_point(call, "signal=KILL", when)
            if finished:
                return kills
            kills += 1
        self.assertFalse(LONG, f"{call}: not done after {MOST_POINTS} points")
        return kills

    def test_a_failed_sync_ends_the_process_and_nothing_is_lost(self):
        for when in range(1, MOST_POINTS) if LONG else [3, 8]:
            finished, status = self.run_point("fdatasync", "error=EIO", when)
            if finished:
                break
            with self.subTest(when=when):
                self.assertEqual(status, EXIT_FAILED_SYNC)

    def test_slow_syncs_make_no_armed_fire_late(self):
        """Each sync takes 200 ms; what was armed before fires while they are under way."""
        with tempfile.TemporaryDirectory() as folder:
            delay = f"delay_exit={SYNC_DELAY_US}"
            slow = Scenario(pathlib.Path(folder), "slow", injection("fdatasync", delay, "1+"))
            self.addCleanup(slow.close)
            slow.server.start().wait_ready()
            due = instant.now_us() + 3_000_000
            target = slow.receiver.target("/ok")
            timers = [{"key": f"armed-{i}", "at": instant.show(due + 20_000 * i), "target": target}
                      for i in range(100)]
            ledger = Ledger(slow.receiver.path)
            with slow.server.client() as client:
                self.assertTrue(client.post(TIMERS, {"timers": timers}).ok)
            wait_until(lambda: len(ledger.read()) == len(timers), 30, "all have fired")
            p99 = percentile([d.at_us - d.due_us for d in ledger.read()], 99)
            print(f"p99 {p99} us with syncs of {SYNC_DELAY_US} us", flush=True)
            self.assertLess(p99, SYNC_DELAY_US)


if __name__ == "__main__":
    unittest.main(verbosity=2)
