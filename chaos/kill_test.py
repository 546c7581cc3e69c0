"""kill -9 of a server under load, again and again; then every promise is checked.

    kill_test.py                    30 kills, or ESCAPEMENT_KILLS
    ESCAPEMENT_LONG=1 kill_test.py  200 kills
    ESCAPEMENT_SEED=N kill_test.py  the same instants and the same load again

The load: timers created, moved, cancelled close to due and in batches; fixed rates, cron, fixed
delay; triggers; programs; targets that fail first or answer slowly. The client remembers what was
acknowledged and what has an unknown outcome; the receiver keeps a ledger of its own.
"""

import os
import pathlib
import random
import sys
import tempfile
import threading
import time
import unittest

from harness import checks
from harness.job_load import EVERY_JOBS, EVERY_US, EXEC_JOB, SECOND_US, TriggerLoad, job_url, specs
from harness.ledger import Ledger
from harness.receiver import Receiver
from harness.server import Server, processes_with, wait_until
from harness.timer_load import TimerLoad

LONG = os.environ.get("ESCAPEMENT_LONG") == "1"
KILLS = int(os.environ.get("ESCAPEMENT_KILLS", 200 if LONG else 30))
SEED = int(os.environ.get("ESCAPEMENT_SEED", random.SystemRandom().randrange(1 << 32)))
TIMER_LOADS = 2
SHARE_KILLED_AT_START = 0.2
SECONDS_AT_START = 0.3  # a kill at the start comes within
SECONDS_OF_LIFE = 4.0
SECONDS_OF_CHILDREN = 5  # by then no program of a killed server is left
SECONDS_TO_QUIESCE = 90
DETAILS = 300  # runs whose attempts are read at the end
SHOWN = 10  # violations of one promise


class Chaos:
    """The world of one test: a server, its receiver and its load, over many lives."""

    def __init__(self, folder):
        self.random = random.Random(SEED)
        self.mark = f"chaos-{os.getpid()}-{SEED}"
        self.server = Server(folder / "data", options=["--allow-exec"])
        self.receiver = Receiver(folder / "ledger.jsonl")
        self.ledger = Ledger(self.receiver.path)
        self.timers = [TimerLoad(f"load{i}", random.Random(f"{SEED}-{i}"), self.server,
                                 self.receiver) for i in range(TIMER_LOADS)]
        self.triggers = TriggerLoad(self.server)
        self.lives = []  # (term, started_us)
        self.ready_seconds = []
        self.children_killed = 0

    def begin(self):
        self.start()
        self.put_jobs()
        for load in [*self.timers, self.triggers]:
            load.start()

    def put_jobs(self):
        with self.server.client() as client:
            for name, spec in specs(self.receiver, self.mark).items():
                answer = client.put(job_url(name), spec)
                assert answer.status == 201, f"job {name}: {answer}"

    def start(self):
        begun = time.monotonic()
        self.server.start().wait_ready()
        self.ready_seconds.append(time.monotonic() - begun)
        with self.server.client() as client:
            term = int(client.metrics()["term"])
        self.lives.append((term, self.server.started_ns // 1000))

    def live_and_die(self):
        """One kill: at any instant of a life, or while the server is still starting."""
        pause = threading.Event().wait  # a random instant, not an event, is the point here
        pause(self.random.uniform(0, SECONDS_OF_LIFE))
        self.kill()
        if self.random.random() < SHARE_KILLED_AT_START:
            self.server.start()
            pause(self.random.uniform(0, SECONDS_AT_START))
            self.kill()
        self.start()

    def kill(self):
        children = set(processes_with(self.mark))
        self.server.kill()
        self.children_killed += len(children)
        wait_until(lambda: not children & set(processes_with(self.mark)), SECONDS_OF_CHILDREN,
                   "programs of a killed server are still there")

    def end(self):
        """No new work; then waits until nothing is live."""
        for load in [*self.timers, self.triggers]:
            load.halt()
        for load in [*self.timers, self.triggers]:
            load.join(60)
        with self.server.client() as client:
            for name in specs(self.receiver, self.mark):
                verb = client.delete if name == EXEC_JOB else client.post
                answer = verb(job_url(name, "" if name == EXEC_JOB else "/pause"))
                assert answer.ok, f"pause {name}: {answer}"
            wait_until(lambda: client.metrics()["runs_live"] == 0, SECONDS_TO_QUIESCE,
                       "nothing is live any more")
            wait_until(lambda: not self.live_runs(client), 5, "the list shows no live run")

    def live_runs(self, client):
        states = ["planned", "armed", "dispatched", "running"]
        pages = [client.get(f"/api/v1/runs?state={state}").json["runs"] for state in states]
        return sum(pages, [])

    def close(self):
        for load in [*self.timers, self.triggers]:
            load.halt()
        self.server.stop()
        self.receiver.stop()


class KillTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print(f"seed {SEED}, {KILLS} kills", flush=True)
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        begun = time.monotonic()
        cls.chaos = Chaos(pathlib.Path(cls.folder.name))
        cls.addClassCleanup(cls.chaos.close)
        cls.chaos.begin()
        for _ in range(KILLS):
            cls.chaos.live_and_die()
        cls.chaos.end()
        cls.seconds = time.monotonic() - begun
        cls.read_both_ledgers()
        cls.tell()

    @classmethod
    def read_both_ledgers(cls):
        chaos = cls.chaos
        with chaos.server.client() as client:
            cls.runs = client.all_runs()
            cls.metrics = client.metrics()
            chosen = chaos.random.sample(cls.runs, min(DETAILS, len(cls.runs)))
            cls.details = [client.get(f"/api/v1/runs/{run['id']}").json for run in chosen]
        cls.deliveries = chaos.ledger.read()
        cls.by_run = chaos.ledger.by_run()
        cls.by_name = chaos.ledger.by_name()

    @classmethod
    def tell(cls):
        ready = sorted(cls.chaos.ready_seconds)
        print(f"{KILLS} kills and {len(cls.chaos.lives)} starts in {cls.seconds:.0f} s, ready "
              f"after {ready[len(ready) // 2]:.2f} s (median), {ready[-1]:.2f} s (max)")
        print(f"{len(cls.runs)} runs, {len(cls.deliveries)} deliveries, "
              f"{sum(d.attempt > 1 for d in cls.deliveries)} of later attempts; "
              f"{len(cls.chaos.triggers.acknowledged)} triggers; "
              f"{cls.chaos.children_killed} programs died with their server")
        for load in cls.chaos.timers:
            print(f"  {load.name}: {dict(sorted(load.book.counts.items()))}", flush=True)

    def assert_kept(self, violations):
        shown = "\n  ".join(violations[:SHOWN])
        self.assertFalse(violations, f"{len(violations)} violations, seed {SEED}:\n  {shown}")

    def test_the_load_itself_ran_to_its_end(self):
        for load in [*self.chaos.timers, self.chaos.triggers]:
            self.assertIsNone(load.error, load.name)
            self.assertFalse(load.is_alive(), load.name)
        self.assertGreater(len(self.chaos.triggers.acknowledged), KILLS)
        self.assertGreater(self.chaos.children_killed, 0)
        for load in self.chaos.timers:
            self.assertGreater(load.book.counts.get("puts acknowledged", 0), 10 * KILLS)

    def test_no_run_starts_before_its_due(self):
        self.assert_kept(checks.never_early(self.deliveries))

    def test_no_attempt_is_delivered_twice(self):
        self.assert_kept(checks.one_delivery_per_attempt(self.deliveries))

    def test_the_idempotency_key_is_the_run(self):
        self.assert_kept(checks.idempotency_keys(self.deliveries))

    def test_an_occurrence_has_one_run(self):
        self.assert_kept(checks.one_run_per_occurrence(self.deliveries, self.runs))

    def test_terms_only_grow(self):
        self.assert_kept(checks.terms_grow(self.deliveries, self.chaos.lives))

    def test_every_delivery_is_recorded(self):
        self.assert_kept(checks.deliveries_are_known(self.deliveries, self.runs))
        self.assert_kept(checks.attempts_record_deliveries(self.by_run, self.details))

    def test_every_run_ends_and_was_delivered(self):
        self.assert_kept(checks.all_terminal(self.runs))
        self.assert_kept(checks.http_runs_were_delivered(self.runs, self.by_run, EXEC_JOB))

    def test_acknowledged_timers_fire_and_cancelled_ones_do_not(self):
        for load in self.chaos.timers:
            mine = [r for r in self.runs if r.get("key", "").startswith(load.name + "-")]
            self.assert_kept(checks.timers_keep_their_word(load.book, mine, self.by_name))

    def test_fixed_rates_have_no_gap(self):
        for job in EVERY_JOBS:
            self.assert_kept(checks.no_gaps(self.runs, job, EVERY_US))

    def test_cron_has_no_gap(self):
        self.assert_kept(checks.no_gaps(self.runs, "cron-second", SECOND_US))

    def test_fixed_delay_counts_from_the_end(self):
        self.assert_kept(checks.fixed_delay_waits(self.runs, "fixed-delay"))

    def test_a_trigger_is_one_run(self):
        self.assert_kept(checks.triggers_are_runs(self.chaos.triggers, self.runs))

    def test_the_counters_add_up(self):
        self.assert_kept(checks.conservation(self.metrics, self.runs))


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    unittest.main(verbosity=2)
