"""The harness by itself: a checker that cannot find a violation would prove nothing."""

import tempfile
import unittest
import urllib.request

from harness import checks, instant
from harness.book import Book
from harness.client import Answer
from harness.ledger import Delivery, Ledger
from harness.receiver import Receiver, answer_to
from harness.server import wait_until

DUE = instant.parse("2026-03-29T01:00:00.25Z")


def delivery(**changes):
    given = {"at_us": DUE + 1, "path": "/ok", "run": "s-1", "name": "t", "due_us": DUE,
             "attempt": 1, "term": 1, "idempotency_key": "s-1", "body": ""}
    return Delivery(**dict(given, **changes))


def timer(**changes):
    given = {"id": "s-1", "key": "t", "origin": "timer", "due": instant.show(DUE),
             "state": "succeeded", "reason": ""}
    return dict(given, **changes)


def occurrence(number, due_us, **changes):
    given = {"id": f"s-{number}", "job": "j", "origin": "occurrence", "due": instant.show(due_us),
             "state": "succeeded", "reason": "", "finished_at": instant.show(due_us + 10)}
    return dict(given, **changes)


class InstantTest(unittest.TestCase):
    def test_text_and_microseconds_are_inverse(self):
        for text in ["2026-03-29T01:00:00.000001Z", "1970-01-01T00:00:00.000000Z"]:
            self.assertEqual(instant.show(instant.parse(text)), text)
        self.assertEqual(instant.parse("1970-01-01T00:00:01Z"), 1_000_000)


class CheckTest(unittest.TestCase):
    def test_early_is_found(self):
        self.assertEqual(checks.never_early([delivery(), delivery(at_us=DUE)]), [])
        self.assertEqual(len(checks.never_early([delivery(at_us=DUE - 1)])), 1)

    def test_the_same_attempt_twice_is_found(self):
        self.assertEqual(checks.one_delivery_per_attempt([delivery(), delivery(attempt=2)]), [])
        self.assertEqual(len(checks.one_delivery_per_attempt([delivery(), delivery()])), 1)

    def test_two_runs_of_an_occurrence_are_found(self):
        runs = [occurrence(1, DUE), occurrence(2, DUE + 1)]
        self.assertEqual(checks.one_run_per_occurrence([], runs), [])
        self.assertEqual(len(checks.one_run_per_occurrence([], [*runs, occurrence(3, DUE)])), 1)

    def test_terms_that_do_not_grow_are_found(self):
        self.assertEqual(checks.terms_grow([delivery()], [(1, 0), (2, 5)]), [])
        self.assertEqual(len(checks.terms_grow([], [(2, 0), (2, 5)])), 1)
        falling = [delivery(term=2), delivery(attempt=2, term=1)]
        self.assertEqual(len(checks.terms_grow(falling, [(1, 0), (2, 5)])), 1)
        self.assertEqual(len(checks.terms_grow([delivery()], [(1, DUE + 2)])), 1)

    def test_a_gap_and_a_silent_job_are_found(self):
        runs = [occurrence(n, DUE + n * 50) for n in (1, 2, 4)]
        self.assertEqual(len(checks.no_gaps(runs, "j", 50)), 1)
        self.assertEqual(checks.no_gaps(runs[:2], "j", 50), [])
        self.assertEqual(len(checks.no_gaps([], "j", 50)), 1)

    def test_a_fixed_delay_that_does_not_wait_is_found(self):
        runs = [occurrence(1, DUE), occurrence(2, DUE + 100_010)]
        self.assertEqual(checks.fixed_delay_waits(runs, "j"), [])
        runs.append(occurrence(3, DUE + 200_000))
        self.assertEqual(len(checks.fixed_delay_waits(runs, "j")), 1)

    def test_counters_that_do_not_add_up_are_found(self):
        metrics = {"runs_produced": 2, "runs_live": 0, "runs_succeeded_total": 1,
                   "runs_failed_total": 0, "runs_cancelled_total": 1, "runs_skipped_total": 0}
        runs = [timer(), timer(state="cancelled")]
        self.assertEqual(checks.conservation(metrics, runs), [])
        self.assertEqual(len(checks.conservation(dict(metrics, runs_produced=3), runs)), 1)
        self.assertEqual(len(checks.conservation(metrics, runs[:1])), 1)

    def test_an_unrecorded_delivery_is_found(self):
        run = timer(attempts=[{"number": 1, "term": 1}])
        self.assertEqual(checks.attempts_record_deliveries({"s-1": [delivery()]}, [run]), [])
        later = {"s-1": [delivery(term=2)]}
        self.assertEqual(len(checks.attempts_record_deliveries(later, [run])), 1)
        self.assertEqual(len(checks.deliveries_are_known([delivery()], [])), 1)


class TimerCheckTest(unittest.TestCase):
    def setUp(self):
        self.book = Book()
        self.book.put_acknowledged("t", timer(state="planned"))

    def violations(self, rows, deliveries):
        return checks.timers_keep_their_word(self.book, rows, {"t": deliveries})

    def test_a_timer_that_fired_is_fine(self):
        self.assertEqual(self.violations([timer()], [delivery(), delivery(attempt=2)]), [])

    def test_a_lost_and_a_silent_timer_are_found(self):
        self.assertEqual(len(self.violations([], [])), 2)
        self.assertEqual(len(self.violations([timer()], [])), 2)

    def test_an_invented_timer_is_found(self):
        rows = [timer(), timer(key="other")]
        self.assertEqual(len(self.violations(rows, [delivery()])), 1)

    def test_the_old_due_of_a_moved_timer_is_found(self):
        self.book.put_acknowledged("t", timer(due=instant.show(DUE + 5)))
        self.assertEqual(len(self.violations([timer()], [delivery()])), 1)

    def test_an_unknown_move_allows_both_dues(self):
        self.book.put_unknown("t", {"at": instant.show(DUE + 5)}, DUE)
        self.assertEqual(self.violations([timer()], [delivery()]), [])
        self.assertEqual(self.violations([timer()], [delivery(due_us=DUE + 5)]), [])
        self.assertEqual(len(self.violations([timer()], [delivery(due_us=DUE + 6)])), 1)

    def test_an_acknowledged_cancel_that_fired_is_found(self):
        self.book.cancel_answered("t", Answer(200, b'{"id": "s-1"}', {}))
        self.assertEqual(self.violations([timer(state="cancelled")], []), [])
        self.assertEqual(len(self.violations([timer(state="cancelled")], [delivery()])), 2)

    def test_an_unknown_cancel_must_have_one_of_both_ends(self):
        self.book.cancel_unknown("t")
        self.assertEqual(self.violations([timer()], [delivery()]), [])
        self.assertEqual(self.violations([timer(state="cancelled")], []), [])
        self.assertEqual(len(self.violations([timer()], [])), 1)
        self.assertEqual(len(self.violations([timer(state="cancelled")], [delivery()])), 1)

    def test_a_cancel_of_an_acknowledged_timer_must_find_it(self):
        self.book.cancel_answered("t", Answer(404, b"{}", {}))
        self.assertEqual(len(self.violations([timer()], [delivery()])), 1)


class ReceiverTest(unittest.TestCase):
    def test_paths_say_how_to_answer(self):
        self.assertEqual(answer_to("/ok", 1), (204, 0))
        self.assertEqual(answer_to("/slow/250", 1), (204, 0.25))
        self.assertEqual(answer_to("/fail/2", 2), (500, 0))
        self.assertEqual(answer_to("/fail/2", 3), (204, 0))
        self.assertEqual(answer_to("/status/404", 1), (404, 0))
        self.assertEqual(answer_to("/hang", 1)[0], None)

    def test_a_delivery_is_in_the_ledger_before_its_answer(self):
        with tempfile.TemporaryDirectory() as folder:
            receiver = Receiver(f"{folder}/ledger")
            self.addCleanup(receiver.stop)
            headers = {"Escapement-Run": "s-1", "Escapement-Job": "t", "Escapement-Term": "3",
                       "Escapement-Due": instant.show(DUE), "Escapement-Attempt": "2",
                       "Idempotency-Key": "s-1"}
            request = urllib.request.Request(receiver.url("/ok"), b"hello", headers)
            urllib.request.urlopen(request).close()
            [seen] = Ledger(receiver.path).read()
            self.assertEqual((seen.run, seen.due_us, seen.attempt, seen.term, seen.body),
                             ("s-1", DUE, 2, 3, "hello"))
            self.assertLess(seen.at_us, instant.now_us())

    def test_half_a_line_waits_for_its_rest(self):
        with tempfile.NamedTemporaryFile() as file:
            ledger = Ledger(file.name)
            file.write(b'{"at_us": 1, "path": "/ok", "run": "", "name": "", "due": "", ')
            file.flush()
            self.assertEqual(ledger.read(), [])
            file.write(b'"attempt": 0, "term": 0, "idempotency_key": "", "body": ""}\n')
            file.flush()
            self.assertEqual(len(ledger.read()), 1)

    def test_waiting_in_vain_says_for_what(self):
        with self.assertRaisesRegex(AssertionError, "the moon"):
            wait_until(lambda: False, 0, "the moon")


if __name__ == "__main__":
    unittest.main()
