"""The receiver's ledger as a list of deliveries, in the order of their arrival."""

import dataclasses
import json

from harness import instant


@dataclasses.dataclass(frozen=True, slots=True)
class Delivery:
    at_us: int  # wall clock of the arrival
    path: str
    run: str
    name: str  # of the job, or the timer's key
    due_us: int
    attempt: int
    term: int
    idempotency_key: str
    body: str


def parse_line(line):
    record = json.loads(line)
    due = record.pop("due")
    return Delivery(due_us=instant.parse(due) if due else 0, **record)


class Ledger:
    """Reads on where it stopped, so that polling a long ledger stays cheap."""

    def __init__(self, path):
        self._path = path
        self._offset = 0
        self._rest = b""
        self.deliveries = []

    def read(self):
        with open(self._path, "rb") as file:
            file.seek(self._offset)
            data = file.read()
        self._offset += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        self.deliveries += [parse_line(line) for line in lines]
        return self.deliveries

    def by_run(self):
        grouped = {}
        for delivery in self.read():
            grouped.setdefault(delivery.run, []).append(delivery)
        return grouped

    def by_name(self):
        grouped = {}
        for delivery in self.read():
            grouped.setdefault(delivery.name, []).append(delivery)
        return grouped
