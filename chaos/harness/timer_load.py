"""Timers under way: creates, moves, batches, and cancels close to due, until told to stop.

One thread per load; it goes on after every crash and keeps its own book.
"""

import heapq
import threading

from harness import instant
from harness.book import Book
from harness.client import Unknown, Unsent

APP = "chaos"
RETRY = {"max_attempts": 5,
         "backoff": {"initial": "100ms", "factor": 2, "max": "1s", "jitter": 0.2}}
PATHS = ["/ok"] * 8 + ["/fail/1", "/slow/200", "/slow/700"]
BATCH = 20
LONGEST_US = 3_000_000
PAUSE_SECONDS = 0.01  # between two operations


def is_unknown(answer):
    return answer.status == 503 and answer.error["code"] == "unknown_outcome"


class TimerLoad(threading.Thread):
    def __init__(self, name, random, server, receiver):
        super().__init__(name=name, daemon=True)
        self.book = Book()
        self.error = None
        self._random = random
        self._client = server.client()
        self._receiver = receiver
        self._halt = threading.Event()
        self._later = []  # heap of (when_us, number, operation, key)
        self._number = 0

    def run(self):
        try:
            while not self._halt.wait(PAUSE_SECONDS):
                self._step()
        except Exception as error:  # shown by the test: a thread cannot fail it
            self.error = error
        self._client.close()

    def halt(self):
        self._halt.set()

    # ---- operations ---------------------------------------------------------------------------

    def _step(self):
        if self._later and self._later[0][0] <= instant.now_us():
            _, _, operation, key = heapq.heappop(self._later)
            return operation(key)
        dice = self._random.random()
        if dice < 0.06:
            return self._put_batch()
        key = self._new_key()
        due = self._put(key)
        if dice < 0.30:
            self._plan(due + self._random.randint(-30_000, 5_000), self._cancel, key)
        elif dice < 0.50:
            self._plan(due - self._random.randint(-5_000, 800_000), self._put, key)
        return None

    def _plan(self, when_us, operation, key):
        self._number += 1
        heapq.heappush(self._later, (when_us, self._number, operation, key))

    def _new_key(self):
        self._number += 1
        return f"{self.name}-{self._number}"

    def _request(self):
        delay = self._random.randint(10_000, LONGEST_US)
        request = {"target": self._receiver.target(self._random.choice(PATHS)),
                   "retry": RETRY, "timeout": "5s"}
        due = instant.now_us() + delay
        if self._random.random() < 0.7:
            return dict(request, at=instant.show(due)), due
        return dict(request, **{"in": f"{delay}us"}), due

    def _put(self, key):
        request, due = self._request()
        sent_us = instant.now_us()
        try:
            answer = self._client.put(f"/api/v1/apps/{APP}/timers/{key}", request)
        except Unsent:
            self._wait_for_server()
        except Unknown:
            self.book.put_unknown(key, request, sent_us)
            self._ask_again(self._put, key)
        else:
            self._note_put(key, request, sent_us, answer)
        return due

    def _note_put(self, key, request, sent_us, answer):
        if answer.ok:
            self.book.put_acknowledged(key, answer.json)
        elif is_unknown(answer):
            self.book.put_unknown(key, request, sent_us)
        else:
            self.book.put_refused(key, answer)

    def _put_batch(self):
        timers = [dict(self._request()[0], key=self._new_key()) for _ in range(BATCH)]
        sent_us = instant.now_us()
        try:
            answer = self._client.post(f"/api/v1/apps/{APP}/timers", {"timers": timers})
        except Unsent:
            return self._wait_for_server()
        except Unknown:
            answer = None
        if answer is not None and answer.ok:
            for run in answer.json["timers"]:
                self.book.put_acknowledged(run["key"], run)
        elif answer is None or is_unknown(answer):
            for timer in timers:
                self.book.put_unknown(timer["key"], timer, sent_us)
        return None

    def _cancel(self, key):
        try:
            answer = self._client.delete(f"/api/v1/apps/{APP}/timers/{key}")
        except Unsent:
            self._wait_for_server()
            self._ask_again(self._cancel, key)
        except Unknown:
            self.book.cancel_unknown(key)
            self._ask_again(self._cancel, key)
        else:
            if is_unknown(answer):
                self.book.cancel_unknown(key)
            else:
                self.book.cancel_answered(key, answer)

    def _ask_again(self, operation, key):
        """Half of the unknown outcomes are asked for again, the others stay unknown."""
        if self._random.random() < 0.5:
            self._plan(instant.now_us(), operation, key)

    def _wait_for_server(self):
        self._halt.wait(0.05)
