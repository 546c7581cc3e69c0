"""A start with a large backlog: everything fires once, and on-time work stays on time beside it.

    overdue_test.py                    20 000 overdue timers
    ESCAPEMENT_LONG=1 overdue_test.py  1 000 000
"""

import os
import pathlib
import tempfile
import unittest

from harness import checks, instant
from harness.ledger import Ledger
from harness.receiver import Receiver
from harness.server import Server, wait_until

LONG = os.environ.get("ESCAPEMENT_LONG") == "1"
OVERDUE = 1_000_000 if LONG else 20_000
DRAIN_SECONDS = 3_000 if LONG else 120
BATCH = 10_000
OVERDUE_AGE_US = 1_200_000  # what is later than a second has a lane of its own
ON_TIME = 200
ON_TIME_STEP_US = 10_000
ON_TIME_P99_US = 500_000  # a share of 80 % of the capacity, on a machine with other work to do
RSS_LIMIT_KB = 512 * 1024
URL = "/api/v1/apps/overdue/timers"


def peak_rss_kb(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    raise AssertionError("no VmHWM")


class OverdueTest(unittest.TestCase):
    def setUp(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.server = Server(folder / "data").start().wait_ready()
        self.addCleanup(self.server.stop)
        self.receiver = Receiver(folder / "ledger.jsonl")
        self.addCleanup(self.receiver.stop)
        self.ledger = Ledger(self.receiver.path)
        self.lanes = {"overdue": [], "on-time": []}
        self.sorted_until = 0

    def put(self, prefix, dues):
        target = self.receiver.target("/ok")
        timers = [{"key": f"{prefix}-{i}", "at": instant.show(due), "target": target}
                  for i, due in enumerate(dues)]
        with self.server.client(60) as client:
            for first in range(0, len(timers), BATCH):
                answer = client.post(URL, {"timers": timers[first:first + BATCH]})
                self.assertTrue(answer.ok, answer)

    def arrived(self, prefix):
        """The deliveries of one kind; reads on where the last call stopped."""
        deliveries = self.ledger.read()
        for delivery in deliveries[self.sorted_until:]:
            self.lanes[delivery.name.rpartition("-")[0]].append(delivery)
        self.sorted_until = len(deliveries)
        return self.lanes[prefix]

    def make_backlog(self):
        """OVERDUE timers that became due while no server ran."""
        lead_us = 2_000_000 + 60 * OVERDUE
        due = instant.now_us() + lead_us
        self.put("overdue", [due + i for i in range(OVERDUE)])
        self.server.kill()
        self.assertLess(instant.now_us(), due, "the puts took too long")
        last = due + OVERDUE + OVERDUE_AGE_US
        wait_until(lambda: instant.now_us() > last, lead_us / 1e6 + 10, "all are overdue")

    def test_a_backlog_drains_once_and_on_time_work_stays_on_time(self):
        self.make_backlog()
        self.server.start().wait_ready()
        start = instant.now_us() + 200_000
        self.put("on-time", [start + i * ON_TIME_STEP_US for i in range(ON_TIME)])
        wait_until(lambda: len(self.arrived("on-time")) >= ON_TIME, 60, "on-time work has fired")
        during = len(self.arrived("overdue"))
        wait_until(lambda: len(self.ledger.read()) >= OVERDUE + ON_TIME, DRAIN_SECONDS,
                   "the backlog has drained")
        self.tell(during)
        self.assertEqual(len({d.run for d in self.ledger.read()}), OVERDUE + ON_TIME)
        self.assertEqual(checks.one_delivery_per_attempt(self.ledger.read()), [])
        self.assertEqual(checks.never_early(self.ledger.read()), [])
        self.assertLess(self.on_time_p99(), ON_TIME_P99_US)
        self.assertLess(peak_rss_kb(self.server.process.pid), RSS_LIMIT_KB)
        with self.server.client() as client:
            wait_until(lambda: client.metrics()["runs_live"] == 0, 60, "all are recorded")

    def on_time_p99(self):
        late = sorted(d.at_us - d.due_us for d in self.arrived("on-time"))
        return late[len(late) * 99 // 100]

    def tell(self, during):
        overdue = self.arrived("overdue")
        seconds = (overdue[-1].at_us - overdue[0].at_us) / 1e6
        print(f"{OVERDUE} overdue in {seconds:.1f} s ({OVERDUE / seconds:.0f}/s), {during} of them "
              f"before the last on-time one; on-time p99 {self.on_time_p99() / 1000:.1f} ms; peak "
              f"{peak_rss_kb(self.server.process.pid) // 1024} MiB", flush=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
