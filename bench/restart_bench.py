"""How long a killed server with a million pending timers needs until it fires again.

    restart_bench.py --binary build/release/bin/escapement [--json FILE] [--timers N]

Puts the timers in batches of 10 000, due in half an hour and later, and before each restart a few
that become due while no server runs. kill -9, start, and measured from the start of the process:
the first 200 of /readyz, and the arrival of the first and the last overdue timer. Medians.
"""

import os
import tempfile
import time

from figures import arguments, bytes_written, finish, medians

from harness import instant
from harness.ledger import Ledger
from harness.receiver import Receiver
from harness.server import Server, wait_until

APP = "bench"
URL = f"/api/v1/apps/{APP}/timers"
BATCH = 10_000
OVERDUE = 100  # due while no server runs
OVERDUE_IN_US = 500_000
FAR_US = 30 * 60 * 1_000_000
SPREAD_US = 60 * 60 * 1_000_000


def put(client, timers):
    answer = client.post(URL, {"timers": timers})
    assert answer.ok, answer


def put_pending(client, receiver, count):
    """Answers seconds."""
    begun = time.monotonic()
    target = receiver.target("/ok")
    for first in range(0, count, BATCH):
        size = min(BATCH, count - first)
        start = instant.now_us() + FAR_US
        put(client, [{"key": f"far-{first + i}", "target": target,
                      "at": instant.show(start + (first + i) * SPREAD_US // count)}
                     for i in range(size)])
    return time.monotonic() - begun


def put_overdue(client, receiver, number):
    due = instant.now_us() + OVERDUE_IN_US
    target = receiver.target("/ok")
    put(client, [{"key": f"soon-{number}-{i}", "at": instant.show(due), "target": target}
                 for i in range(OVERDUE)])
    return due


def one_restart(server, receiver, number):
    ledger = Ledger(receiver.path)
    before = len(ledger.read())
    with server.client(60) as client:
        due = put_overdue(client, receiver, number)
    server.kill()
    wait_until(lambda: instant.now_us() > due, 10, "the overdue timers are due")
    server.start().wait_ready()
    ready_us = instant.now_us()
    wait_until(lambda: len(ledger.read()) - before >= OVERDUE, 60, "the overdue timers have fired")
    start_us = server.started_ns // 1000
    arrivals = [d.at_us - start_us for d in ledger.read()[before:]]
    with server.client(60) as client:
        live = client.metrics()["runs_live"]
    return {"ready_ms": (ready_us - start_us) / 1000, "first_fire_ms": min(arrivals) / 1000,
            "last_overdue_ms": max(arrivals) / 1000, "deliveries": len(arrivals),
            "pending": live}


def measure(options, folder):
    receiver = Receiver(f"{folder}/ledger.jsonl")
    server = Server(f"{folder}/data")
    try:
        server.start().wait_ready()
        with server.client(120) as client:
            seconds = put_pending(client, receiver, options.timers)
        written = bytes_written(server.process.pid)
        rounds = [one_restart(server, receiver, i) for i in range(options.rounds)]
    finally:
        server.stop()
        receiver.stop()
    assert all(one["pending"] >= options.timers for one in rounds), rounds
    return {"timers": options.timers, "put_seconds": round(seconds, 1),
            "put_per_second": round(options.timers / seconds),
            "bytes_written_per_put": round(written / options.timers),
            "restart": medians(rounds), "rounds": rounds}


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--timers", type=int, default=1_000_000)
    options = parser.parse_args()
    os.environ["ESCAPEMENT_BINARY"] = options.binary
    with tempfile.TemporaryDirectory() as folder:
        finish(measure(options, folder), options.json)


if __name__ == "__main__":
    main()
