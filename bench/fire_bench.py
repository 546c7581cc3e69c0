"""How late timers fire, at 100 and 1 000 fires a second, beside a bare timerfd loop.

    fire_bench.py --binary build/release/bin/escapement [--json FILE]

Each round puts durable timers in batches, one each 1 / rate, all pointing at a receiver on this
machine, and waits until all have arrived. Lateness as the receiver sees it is arrival - due: with
the HTTP request, and with the receiver, a Python program. The server's own is that of its attempts.
The bare loop runs beside each round, at the same rate and time, and so sees the same machine.
Figures are medians over the rounds; counts stand beside the times, so that a round which did less
work cannot look fast.
"""

import json
import os
import pathlib
import random
import subprocess
import tempfile

from figures import arguments, bytes_written, cpu_seconds, finish, medians, percentiles

from harness import instant
from harness.ledger import Ledger
from harness.receiver import Receiver
from harness.server import Server, wait_until

RATES = [100, 1000]
SECONDS = 4  # of fires, in each round
LEAD_US = 1_500_000  # between the first put and the first due: by then all are acknowledged
BATCH = 1000
SAMPLE = 400  # runs whose attempts are read
APP = "bench"


def start_bare_loop(binary, rate):
    loop = pathlib.Path(binary).with_name("timerfd_baseline")
    return subprocess.Popen([str(loop), str(rate), str(rate * SECONDS)], stdout=subprocess.PIPE)


def result_of(loop):
    out, _ = loop.communicate(timeout=60)
    assert loop.returncode == 0, loop.returncode
    return json.loads(out)


def put_timers(client, receiver, rate, name):
    """One timer every 1 / rate; answers (how many, first due), all acknowledged before that."""
    start = instant.now_us() + LEAD_US
    target = receiver.target("/ok")
    timers = [{"key": f"{name}-{i}", "at": instant.show(start + i * 1_000_000 // rate),
               "target": target} for i in range(rate * SECONDS)]
    for first in range(0, len(timers), BATCH):
        answer = client.post(f"/api/v1/apps/{APP}/timers", {"timers": timers[first:first + BATCH]})
        assert answer.ok, answer
    assert instant.now_us() < start, "the timers were not acknowledged in time"
    return len(timers), start


def own_lateness(client, runs):
    """Of the first attempts, as the server recorded it."""
    chosen = random.Random(1).sample(runs, min(SAMPLE, len(runs)))
    details = [client.get(f"/api/v1/runs/{run}").json for run in chosen]
    return percentiles([round(run["attempts"][0]["lateness_ms"] * 1000) for run in details])


def usage(server, client):
    """What the server has used so far."""
    pid = server.process.pid
    return {"attempts": int(client.metrics()["attempts_dispatched_total"]),
            "server_cpu_ms": round(cpu_seconds(pid) * 1000),
            "bytes_written": bytes_written(pid)}


def one_round(binary, server, receiver, rate, name):
    """{"timerfd_loop", "arrival", "server", "work"}: the figures of one round."""
    ledger = Ledger(receiver.path)
    before = len(ledger.read())
    with server.client() as client:
        used = usage(server, client)
        count, start = put_timers(client, receiver, rate, name)
        wait_until(lambda: instant.now_us() >= start, 10, "the first is due")
        loop = start_bare_loop(binary, rate)
        wait_until(lambda: len(ledger.read()) - before >= count, 60, "all timers have arrived")
        wait_until(lambda: client.metrics()["runs_live"] == 0, 60, "all are recorded")
        bare = result_of(loop)
        work = {key: value - used[key] for key, value in usage(server, client).items()}
        seen = ledger.read()[before:]
        assert min(d.at_us - d.due_us for d in seen) >= 0, "a timer fired early"
        runs = sorted({d.run for d in seen})
        work.update(deliveries=len(seen), runs=len(runs))
        return {"timerfd_loop": bare, "arrival": percentiles([d.at_us - d.due_us for d in seen]),
                "server": own_lateness(client, runs), "work": work}


def at_rate(options, server, receiver, rate):
    rounds = [one_round(options.binary, server, receiver, rate, f"r{rate}-{number}")
              for number in range(options.rounds)]
    figures = {part: medians([one[part] for one in rounds]) for part in rounds[0]}
    for name in ["p50_us", "p99_us", "max_us"]:
        least = max(figures["timerfd_loop"][name], 1)
        for part in ["arrival", "server"]:
            figures[f"{part}_over_loop_{name}"] = round(figures[part][name] / least, 2)
    return figures


def main():
    options = arguments(__doc__.splitlines()[0]).parse_args()
    os.environ["ESCAPEMENT_BINARY"] = options.binary
    with tempfile.TemporaryDirectory() as folder:
        receiver = Receiver(f"{folder}/ledger.jsonl")
        server = Server(f"{folder}/data")
        try:
            server.start().wait_ready()
            figures = {f"{rate}_per_second": at_rate(options, server, receiver, rate)
                       for rate in RATES}
        finally:
            server.stop()
            receiver.stop()
    finish(dict(rounds=options.rounds, seconds=SECONDS, **figures), options.json)


if __name__ == "__main__":
    main()
