"""The wall clock was set while no server ran: back repeats nothing, forward follows catch-up.

The server's clock is shifted for the test by ESCAPEMENT_TEST_WALL_OFFSET; the receiver's is not.
"""

import collections
import pathlib
import tempfile
import unittest

from harness import checks
from harness.ledger import Ledger
from harness.receiver import Receiver
from harness.server import Server, wait_until

JOBS = "/api/v1/apps/clock/jobs"
BACK_S = 3
FORWARD_S = 600
ALL_LIMIT = 20
EVERY_US = 100_000
# What was armed may have been handed over, so it fires under any policy: 5 s of one run a second.
ARMED_AHEAD = 6


class ClockTest(unittest.TestCase):
    def setUp(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.server = Server(folder / "data").start().wait_ready()
        self.addCleanup(self.server.stop)
        self.receiver = Receiver(folder / "ledger.jsonl")
        self.addCleanup(self.receiver.stop)
        self.ledger = Ledger(self.receiver.path)

    def put_job(self, name, schedule, catch_up):
        spec = {"schedule": schedule, "target": self.receiver.target("/ok"), "catch_up": catch_up}
        with self.server.client() as client:
            self.assertEqual(client.put(f"{JOBS}/{name}", spec).status, 201)

    def count(self, name):
        return len(self.ledger.by_name().get(name, []))

    def restart_shifted(self, seconds):
        self.server.kill()
        self.server.environment["ESCAPEMENT_TEST_WALL_OFFSET"] = f"{seconds}s"
        self.server.start().wait_ready()

    def end(self, *jobs):
        """Deletes the jobs; answers (runs, metrics) when nothing is live any more."""
        with self.server.client() as client:
            for job in jobs:
                self.assertTrue(client.delete(f"{JOBS}/{job}").ok)
            wait_until(lambda: client.metrics()["runs_live"] == 0, 20, "nothing is live any more")
            return client.all_runs(), client.metrics()

    def test_a_clock_set_back_repeats_nothing(self):
        catch_up = {"policy": "all", "limit": 1000}
        self.put_job("cron", {"cron": "* * * * * ?", "dialect": "quartz"}, catch_up)
        self.put_job("every", {"every": "100ms"}, catch_up)
        wait_until(lambda: self.count("cron") >= 2 and self.count("every") >= 10, 20, "both fire")
        seen = {name: self.count(name) for name in ("cron", "every")}
        self.restart_shifted(-BACK_S)
        for name, before in seen.items():
            wait_until(lambda name=name, least=before + 2: self.count(name) >= least, 30,
                       f"{name} goes on when its next due has come again")
        runs, metrics = self.end("cron", "every")
        deliveries = self.ledger.read()
        terms = sorted({d.term for d in deliveries})
        early = [d for d in deliveries
                 if d.at_us - (BACK_S * 1_000_000 if d.term == terms[-1] else 0) < d.due_us]
        self.assertEqual(early, [], "early by the server's own clock")
        self.assertEqual(checks.one_run_per_occurrence(deliveries, runs), [])
        self.assertEqual(checks.one_delivery_per_attempt(deliveries), [])
        self.assertEqual(checks.no_gaps(runs, "cron", 1_000_000), [])
        self.assertEqual(checks.no_gaps(runs, "every", EVERY_US), [])
        self.assertEqual(checks.conservation(metrics, runs), [])

    def test_a_clock_set_forward_follows_the_catch_up_policy(self):
        policies = {"skip": {"policy": "skip"}, "latest": {"policy": "latest"},
                    "all": {"policy": "all", "limit": ALL_LIMIT}}
        for name, policy in policies.items():
            self.put_job(name, {"cron": "* * * * * ?", "dialect": "quartz"}, policy)
        wait_until(lambda: min(map(self.count, policies)) >= 1, 20, "all fire")
        self.restart_shifted(FORWARD_S)
        started_us = self.server.started_ns // 1000 + FORWARD_S * 1_000_000
        wait_until(lambda: all(self.fired_after(name, started_us) for name in policies), 30,
                   "all are up to date")
        runs, metrics = self.end(*policies)
        missed = collections.Counter(d.name for d in self.ledger.read()
                                     if d.term > 1 and d.due_us <= started_us)
        self.assertLessEqual(missed["skip"], ARMED_AHEAD)
        self.assertLessEqual(missed["latest"], 1 + ARMED_AHEAD)
        self.assertGreaterEqual(missed["latest"], 1)
        self.assertGreaterEqual(missed["all"], ALL_LIMIT - 1)
        self.assertLessEqual(missed["all"], ALL_LIMIT + ARMED_AHEAD)
        skipped = metrics["runs_skipped_total"]
        self.assertGreater(skipped, 3 * FORWARD_S - 3 * ALL_LIMIT - 60)
        self.assertEqual(checks.one_run_per_occurrence(self.ledger.read(), runs), [])

    def fired_after(self, name, at_us):
        return any(d.due_us > at_us for d in self.ledger.by_name().get(name, []))


if __name__ == "__main__":
    unittest.main(verbosity=2)
