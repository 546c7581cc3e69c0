"""The promises as functions of what was seen: each answers a list of violations, empty when kept.

`ledger` is the receiver's, `runs` the server's own list at the end, `book` the client's memory.
"""

import collections

from harness import instant
from harness.job_load import FIXED_DELAY_US, gaps

TERMINAL = {"succeeded", "failed", "cancelled", "skipped"}


def never_early(deliveries):
    return [f"run {d.run} of {d.name}, attempt {d.attempt}: arrived {d.due_us - d.at_us} us early"
            for d in deliveries if d.at_us < d.due_us]


def one_delivery_per_attempt(deliveries):
    counts = collections.Counter((d.run, d.attempt) for d in deliveries)
    return [f"run {run}, attempt {attempt}: delivered {count} times"
            for (run, attempt), count in counts.items() if count > 1]


def idempotency_keys(deliveries):
    return [f"run {d.run}: Idempotency-Key {d.idempotency_key!r}"
            for d in deliveries if d.idempotency_key != d.run or not d.run]


def one_run_per_occurrence(deliveries, runs):
    """Over both ledgers; `runs` tell which of them are occurrences."""
    seen = collections.defaultdict(set)
    occurrences = {r["id"] for r in runs if r["origin"] == "occurrence"}
    for run in runs:
        if run["origin"] == "occurrence":
            seen[(run["job"], instant.parse(run["due"]))].add(run["id"])
    for delivery in deliveries:
        if delivery.run in occurrences:
            seen[(delivery.name, delivery.due_us)].add(delivery.run)
    return [f"job {job}, due {instant.show(due)}: runs {sorted(ids)}"
            for (job, due), ids in seen.items() if len(ids) > 1]


def terms_grow(deliveries, lives):
    """`lives`: (term, started_us) of every start that got ready, in order."""
    bad = [f"the start at {instant.show(at)} has term {term}, the one before had {before}"
           for (before, _), (term, at) in zip(lives, lives[1:]) if term <= before]
    started = dict(lives)
    for d in deliveries:
        if d.term in started and d.at_us < started[d.term]:
            bad.append(f"run {d.run}: term {d.term} arrived before its server started")
    by_run = collections.defaultdict(list)
    for d in deliveries:
        by_run[d.run].append((d.attempt, d.term))
    for run, attempts in by_run.items():
        attempts.sort()
        if any(b[1] < a[1] for a, b in zip(attempts, attempts[1:])):
            bad.append(f"run {run}: a later attempt has a lower term: {attempts}")
    return bad


def deliveries_are_known(deliveries, runs):
    known = {r["id"] for r in runs}
    return [f"run {d.run} of {d.name} was delivered, and the server does not know it"
            for d in deliveries if d.run not in known]


def all_terminal(runs):
    return [f"run {r['id']} of {r.get('job') or r.get('key')} is {r['state']} at the end"
            for r in runs if r["state"] not in TERMINAL]


def http_runs_were_delivered(runs, by_run, exec_job):
    """At least once: what the server says it ended by firing was seen, and nothing failed."""
    bad = []
    for run in runs:
        if run.get("job") == exec_job or run["state"] == "cancelled":
            continue
        name = run.get("job") or run.get("key")
        if run["state"] != "succeeded":
            bad.append(f"run {run['id']} of {name} is {run['state']}: {run['reason']}")
        if run["id"] not in by_run:
            bad.append(f"run {run['id']} of {name}, due {run['due']}: never delivered")
    return bad


# ---- timers -----------------------------------------------------------------------------------


def _check_entry(entry, rows, deliveries):
    yield from entry.complaints
    if len(rows) > 1:
        yield f"{len(rows)} runs hold the key"
    if entry.acknowledged and not rows:
        yield "was acknowledged and does not exist"
    if deliveries and entry.cancelled == "acknowledged":
        yield f"the cancel was acknowledged, yet it was delivered {len(deliveries)} times"
    if not deliveries and entry.acknowledged and not entry.cancelled:
        yield "was acknowledged and never delivered"
    if not deliveries and entry.fired:
        yield "was said to have fired and never delivered"
    for delivery in deliveries:
        if not entry.allows(delivery.due_us):
            allowed = [instant.show(due) for due in sorted(entry.dues)]
            yield f"delivered with due {instant.show(delivery.due_us)}, allowed are {allowed}"
    for row in rows:
        if (row["state"] == "cancelled") == bool(deliveries):
            yield f"is {row['state']} and was delivered {len(deliveries)} times"


def timers_keep_their_word(book, runs, by_name):
    rows = collections.defaultdict(list)
    for run in runs:
        if run["origin"] == "timer":
            rows[run["key"]].append(run)
    bad = [f"timer {key}: nobody asked for it" for key in rows if key not in book.entries]
    for key, entry in book.entries.items():
        found = _check_entry(entry, rows[key], by_name.get(key, []))
        bad += [f"timer {key}: {text}" for text in found]
    return bad


# ---- jobs -------------------------------------------------------------------------------------


def _dues_of(runs, job):
    found = (instant.parse(r["due"]) for r in runs
             if r.get("job") == job and r["origin"] == "occurrence")
    return sorted(found)


def no_gaps(runs, job, step_us):
    dues = _dues_of(runs, job)
    return [f"job {job}: {gap}" for gap in gaps(dues, step_us)] or (
        [] if dues else [f"job {job} never ran"])


def fixed_delay_waits(runs, job):
    """The next run is due a delay after the end of the one before, never sooner."""
    rows = [r for r in runs if r.get("job") == job and r["state"] != "cancelled"]
    rows.sort(key=lambda r: instant.parse(r["due"]))
    bad = [] if len(rows) > 1 else [f"job {job} ran {len(rows)} times"]
    for before, after in zip(rows, rows[1:]):
        ended, due = instant.parse(before["finished_at"]), instant.parse(after["due"])
        if due < ended + FIXED_DELAY_US:
            bad.append(f"job {job}: {after['id']} due {due - ended} us after the end before it")
    return bad


def triggers_are_runs(triggers, runs):
    by_payload = collections.defaultdict(list)
    for run in runs:
        if run["origin"] == "trigger":
            by_payload[run.get("payload")].append(run["id"])
    bad = list(triggers.complaints)
    bad += [f"{key}: runs {ids}" for key, ids in by_payload.items() if len(ids) > 1]
    bad += [f"{key}: acknowledged as {run}, in the list {by_payload.get(key)}"
            for key, run in triggers.acknowledged.items() if by_payload.get(key) != [run]]
    bad += [f"{key}: nobody asked for it" for key in by_payload
            if key not in triggers.acknowledged and key not in triggers.unknown]
    return bad


# ---- counters ---------------------------------------------------------------------------------


def conservation(metrics, runs):
    """The counters add up, and equal the rows when nothing lives any more."""
    counts = collections.Counter(r["state"] for r in runs)
    bad = []
    ended = sum(metrics[f"runs_{state}_total"] for state in sorted(TERMINAL))
    if metrics["runs_produced"] != metrics["runs_live"] + ended:
        bad.append(f"produced {metrics['runs_produced']:.0f} is not live "
                   f"{metrics['runs_live']:.0f} + ended {ended:.0f}")
    for state in sorted(TERMINAL):
        counted = metrics[f"runs_{state}_total"]
        if counted != counts[state]:
            bad.append(f"{state}: counted {counted:.0f}, rows {counts[state]}")
    if metrics["runs_live"] != len([r for r in runs if r["state"] not in TERMINAL]):
        bad.append(f"live: counted {metrics['runs_live']:.0f}")
    return bad


def attempts_record_deliveries(by_run, details):
    """Every delivery of the runs in `details` is an attempt with the same number and term."""
    bad = []
    for run in details:
        recorded = {(a["number"], a["term"]) for a in run["attempts"]}
        bad += [f"run {run['id']}: attempt {d.attempt} of term {d.term} is not recorded"
                for d in by_run.get(run["id"], []) if (d.attempt, d.term) not in recorded]
    return bad
