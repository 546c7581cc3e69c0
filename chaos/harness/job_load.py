"""Jobs under way: fixed rates, cron, fixed delay, programs, and a thread that triggers."""

import threading

from harness import instant
from harness.client import Unknown, Unsent
from harness.timer_load import APP, PAUSE_SECONDS, RETRY, is_unknown

EVERY_US = 50_000
SECOND_US = 1_000_000
FIXED_DELAY_US = 100_000
ALL = {"policy": "all", "limit": 10_000}
EVERY_JOBS = {"every-ok": "/ok", "every-fail": "/fail/2", "every-slow": "/slow/120"}
EXEC_JOB = "exec-sleep"


def job_url(name, verb=""):
    return f"/api/v1/apps/{APP}/jobs/{name}{verb}"


def specs(receiver, mark):
    """{name: spec} of all jobs; `mark` is in the environment of the programs."""
    common = {"retry": RETRY, "timeout": "5s", "catch_up": ALL}
    jobs = {name: dict(common, schedule={"every": "50ms"}, target=receiver.target(path))
            for name, path in EVERY_JOBS.items()}
    cron = {"cron": "* * * * * ?", "dialect": "quartz"}
    jobs["cron-second"] = dict(common, schedule=cron, target=receiver.target("/ok"))
    jobs["fixed-delay"] = dict(
        common, schedule={"fixed_delay": "100ms"}, target=receiver.target("/slow/30"))
    jobs["trigger"] = dict(common, schedule={"manual": True}, target=receiver.target("/ok"))
    jobs[EXEC_JOB] = {
        "schedule": {"every": "1s"},
        "target": {"exec": {"argv": ["/bin/sh", "-c", "sleep 30"], "env": {"CHAOS_MARK": mark}}},
        "retry": {"max_attempts": 1}, "timeout": "10s", "on_unknown": "fail"}
    return jobs


class TriggerLoad(threading.Thread):
    """Triggers one job, each time with an idempotency key; asks again after an unknown outcome."""

    def __init__(self, server):
        super().__init__(name="triggers", daemon=True)
        self.acknowledged = {}  # idempotency key: run id
        self.unknown = set()
        self.complaints = []
        self.error = None
        self._client = server.client()
        self._halt = threading.Event()

    def run(self):
        number = 0
        try:
            while not self._halt.wait(5 * PAUSE_SECONDS):
                number += 1
                while not self._trigger(f"trigger-{number}") and not self._halt.wait(0.05):
                    pass
        except Exception as error:  # shown by the test: a thread cannot fail it
            self.error = error
        self._client.close()

    def halt(self):
        self._halt.set()

    def _trigger(self, key):
        """Whether the outcome is known."""
        try:
            answer = self._client.post(
                job_url("trigger", "/trigger"), {"payload": key}, headers={"Idempotency-Key": key})
        except Unsent:
            return False
        except Unknown:
            self.unknown.add(key)
            return False
        if not answer.ok:
            if is_unknown(answer):
                self.unknown.add(key)
            return False
        run = answer.json["id"]
        if self.acknowledged.setdefault(key, run) != run:
            self.complaints.append(f"{key}: first run {self.acknowledged[key]}, then {run}")
        self.unknown.discard(key)
        return True


def gaps(dues, step_us):
    """Where an ascending sequence does not step by `step_us`."""
    return [f"after {instant.show(a)} comes {instant.show(b)}"
            for a, b in zip(dues, dues[1:]) if b - a != step_us]
