"""Cancels that race with their fires: acknowledged XOR delivered, thousands of times.

    race_test.py                    3 000 timers
    ESCAPEMENT_LONG=1 race_test.py  100 000 timers

Timers are due one after another; threads cancel each within a millisecond of its due. A cancel that
was answered 200 must have no delivery, every other timer exactly one, and no timer neither.
"""

import os
import pathlib
import random
import tempfile
import threading
import unittest

from harness import checks, instant
from harness.ledger import Ledger
from harness.receiver import Receiver
from harness.server import Server, wait_until

LONG = os.environ.get("ESCAPEMENT_LONG") == "1"
TIMERS = 100_000 if LONG else 3_000
SEED = int(os.environ.get("ESCAPEMENT_SEED", random.SystemRandom().randrange(1 << 32)))
URL = "/api/v1/apps/race/timers"
WAVE = 2_000  # timers put together
STEP_US = 2_000  # between two dues
LEAD_US = 2_000_000  # between the put and the first due
WITHIN_US = 1_000  # of the due, the cancel is sent
THREADS = 3


class Canceller(threading.Thread):
    """Cancels its share of a wave, in the order of the dues; `outcomes` is {key: status}."""

    def __init__(self, server, share, rng):
        super().__init__(daemon=True)
        self._server = server
        self._share = share
        self._rng = rng
        self._pause = threading.Event()
        self.outcomes = {}

    def run(self):
        with self._server.client() as client:
            for key, due_us in self._share:
                at_us = due_us + self._rng.randint(-WITHIN_US, WITHIN_US // 4)
                left = at_us - instant.now_us()
                if left > 0:
                    self._pause.wait(left / 1e6)
                self.outcomes[key] = client.delete(f"{URL}/{key}").status


class RaceTest(unittest.TestCase):
    def setUp(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.server = Server(folder / "data").start().wait_ready()
        self.addCleanup(self.server.stop)
        self.receiver = Receiver(folder / "ledger.jsonl")
        self.addCleanup(self.receiver.stop)
        self.rng = random.Random(SEED)

    def wave(self, number, size):
        """Puts `size` timers, races, and answers {key: status of the cancel}."""
        start = instant.now_us() + LEAD_US
        timers = [(f"w{number}-{i}", start + i * STEP_US) for i in range(size)]
        target = self.receiver.target("/ok")
        with self.server.client() as client:
            answer = client.post(URL, {"timers": [
                {"key": key, "at": instant.show(due), "target": target} for key, due in timers]})
        self.assertTrue(answer.ok, answer)
        racers = [Canceller(self.server, timers[i::THREADS], random.Random(self.rng.random()))
                  for i in range(THREADS)]
        for racer in racers:
            racer.start()
        for racer in racers:
            racer.join()
        return {key: status for racer in racers for key, status in racer.outcomes.items()}

    def test_a_cancel_wins_or_the_fire_wins(self):
        outcomes = {}
        for number in range((TIMERS + WAVE - 1) // WAVE):
            outcomes.update(self.wave(number, min(WAVE, TIMERS - len(outcomes))))
        with self.server.client() as client:
            wait_until(lambda: client.metrics()["runs_live"] == 0, 60, "nothing is live any more")
            metrics, runs = client.metrics(), client.all_runs()
        ledger = Ledger(self.receiver.path)
        by_name = ledger.by_name()
        cancelled = {key for key, status in outcomes.items() if status == 200}
        late = {key for key, status in outcomes.items() if status == 409}
        print(f"seed {SEED}: {len(cancelled)} cancels won, {len(late)} fires won", flush=True)
        self.assertEqual(len(outcomes), TIMERS)
        self.assertEqual(cancelled | late, set(outcomes))
        self.assertEqual(cancelled & set(by_name), set(), "acknowledged, and delivered")
        self.assertEqual(late - set(by_name), set(), "neither cancelled nor delivered")
        self.assertEqual(checks.never_early(ledger.read()), [])
        self.assertEqual(checks.one_delivery_per_attempt(ledger.read()), [])
        self.assertEqual(checks.conservation(metrics, runs), [])
        for won in (cancelled, late):
            self.assertGreater(len(won), TIMERS // 50, "the race was none")


if __name__ == "__main__":
    unittest.main(verbosity=2)
