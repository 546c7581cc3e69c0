"""What a client knows about its timers: the acknowledged, and what each unknown outcome allows.

A key is only ever used by one thread, so its operations have an order. `dues` are the instants at
which the timer may fire: that of the last acknowledged put, and of every put since whose outcome is
unknown.
"""

import dataclasses

from harness import instant


@dataclasses.dataclass
class Entry:
    key: str
    dues: set = dataclasses.field(default_factory=set)
    ranges: list = dataclasses.field(default_factory=list)  # of unknown puts with "in"
    acknowledged: bool = False  # a put was answered 2xx: it must exist
    fired: bool = False  # an answer said that it is too late: it must have been delivered
    cancelled: str = ""  # "", "acknowledged" or "unknown"
    run: str = ""
    complaints: list = dataclasses.field(default_factory=list)

    def allows(self, due_us):
        return due_us in self.dues or any(low <= due_us <= high for low, high in self.ranges)


class Book:
    def __init__(self):
        self.entries = {}
        self.counts = {}

    def entry(self, key):
        return self.entries.setdefault(key, Entry(key))

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    # ---- puts ---------------------------------------------------------------------------------

    def put_acknowledged(self, key, run):
        """`run`: the answer, which tells the due that counts even when the timer has ended."""
        entry = self.entry(key)
        entry.dues, entry.ranges = {instant.parse(run["due"])}, []
        if entry.acknowledged and entry.run != run["id"]:
            entry.complaints.append(f"put answered run {run['id']}, before it was {entry.run}")
        entry.acknowledged, entry.run = True, run["id"]
        if run["state"] == "cancelled":
            entry.cancelled = "acknowledged"
        self.count("puts acknowledged")

    def put_unknown(self, key, request, sent_us):
        """`request`: with "at" or "in_us"; the receipt lies between sending and now."""
        entry = self.entry(key)
        if "at" in request:
            entry.dues.add(instant.parse(request["at"]))
        else:
            delay = int(request["in"].removesuffix("us"))
            entry.ranges.append((sent_us + delay, instant.now_us() + delay))
        self.count("puts unknown")

    def put_refused(self, key, answer):
        """409: it has fired. Anything else had no effect."""
        entry = self.entry(key)
        if answer.status == 409:
            self._too_late(entry, answer)
        self.count(f"puts refused {answer.status}")

    # ---- cancels ------------------------------------------------------------------------------

    def cancel_answered(self, key, answer):
        entry = self.entry(key)
        self.count(f"cancels {answer.status}")
        if answer.ok:
            entry.cancelled, entry.run = "acknowledged", answer.json["id"]
        elif answer.status == 409:
            self._too_late(entry, answer)
        elif answer.status == 404 and entry.acknowledged:
            entry.complaints.append("cancel answered 404 though the put was acknowledged")

    def cancel_unknown(self, key):
        entry = self.entry(key)
        if entry.cancelled != "acknowledged":
            entry.cancelled = "unknown"
        self.count("cancels unknown")

    def _too_late(self, entry, answer):
        if answer.error.get("state") == "cancelled":
            if not entry.cancelled:
                entry.complaints.append("cancelled though nobody asked")
            entry.cancelled = "acknowledged"
        else:
            entry.fired = True
