"""What the API refuses, and how it says so; and that one bad client does not hurt the others."""

import socket
import tempfile
import time
import unittest

from harness.server import TOKEN, Server

TIMER = "/api/v1/apps/gate/timers/t"
TIMERS = "/api/v1/apps/gate/timers"
JOB = "/api/v1/apps/gate/jobs/j"
TARGET = {"http": {"url": "http://127.0.0.1:9/"}}
GOOD = {"in": "1h", "target": TARGET}
SLOW_CLIENTS = 100
NAME_LIMIT = 200
BODY_LIMIT = 1024 * 1024
PAYLOAD_LIMIT = 256 * 1024
BATCH_LIMIT = 10_000
PAGE_LIMIT = 1000


class GateTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.server = Server(f"{folder}/data").start().wait_ready()
        cls.addClassCleanup(cls.server.stop)

    def setUp(self):
        self.client = self.enterContext(self.server.client())

    def assert_refused(self, answer, status, field=None, *words):
        self.assertEqual(answer.status, status, answer)
        error = answer.error
        self.assertTrue(error["message"])
        if field is not None:
            self.assertEqual(error.get("field", ""), field, error)
        for word in words:
            self.assertIn(word, error["message"])

    def raw(self, data, seconds=10):
        with socket.create_connection(("127.0.0.1", self.server.port), seconds) as connection:
            connection.sendall(data)
            return connection.recv(65536)

    # ---- who may come in ----------------------------------------------------------------------

    def test_no_wrong_or_odd_token_is_401(self):
        for value in [None, "Bearer wrong", "Bearer", f"Basic {TOKEN}", f"Bearer {TOKEN}x"]:
            for method, path in [("GET", "/metrics"), ("GET", "/api/v1/runs"), ("PUT", TIMER)]:
                with self.subTest(value=value, path=path):
                    body = GOOD if method == "PUT" else None
                    headers = {"Authorization": value}
                    answer = self.client.request(method, path, body, headers)
                    self.assert_refused(answer, 401)

    def test_health_needs_no_token(self):
        for path in ["/healthz", "/readyz"]:
            self.assertEqual(self.client.get(path, headers={"Authorization": None}).status, 200)

    def test_a_foreign_host_is_403(self):
        self.assert_refused(self.client.get("/api/v1/runs", headers={"Host": "evil.test"}), 403)
        self.assert_refused(self.client.get("/healthz", headers={"Host": "evil.test"}), 403)

    def test_a_foreign_origin_is_403(self):
        for origin in ["http://evil.test", "null", f"http://127.0.0.1:{self.server.port + 1}"]:
            answer = self.client.put(TIMER, GOOD, headers={"Origin": origin})
            self.assert_refused(answer, 403)

    def test_another_content_type_is_415(self):
        for kind in ["text/plain", "application/x-www-form-urlencoded", None]:
            answer = self.client.put(TIMER, GOOD, headers={"Content-Type": kind})
            self.assert_refused(answer, 415)

    def test_exec_without_allow_exec_is_403(self):
        answer = self.client.put(TIMER, {"in": "1h", "target": {"exec": {"argv": ["/bin/true"]}}})
        self.assert_refused(answer, 403, "target.exec", "--allow-exec")

    # ---- bad input ----------------------------------------------------------------------------

    def test_malformed_json_is_400(self):
        for body in [b"{", b"", b"[1]", b'{"in":"1h",}', b"\xff\xfe", b'{"in":"1h","in":"2h"}']:
            with self.subTest(body=body):
                self.assert_refused(self.client.put(TIMER, body), 400)

    def test_a_bad_value_names_its_field(self):
        cases = [(dict(GOOD, **{"in": "soon"}), "in"), (dict(GOOD, at="now"), "at"),
                 ({"target": TARGET}, "in"), ({"in": "1h"}, "target"),
                 (dict(GOOD, tarket=1), "tarket"), (dict(GOOD, timeout="0.5 days"), "timeout"),
                 (dict(GOOD, retry={"max_attempts": 0}), "retry.max_attempts"),
                 (dict(GOOD, retry={"backoff": {"factor": "2"}}), "retry.backoff.factor"),
                 ({"in": "1h", "target": {"http": {"url": "ftp://x/"}}}, "target.http.url")]
        for body, field in cases:
            with self.subTest(body=body):
                self.assert_refused(self.client.put(TIMER, body), 400, field)

    def test_a_bad_schedule_names_its_field(self):
        for schedule, field in [({"cron": "61 * * * *"}, "schedule.cron"),
                                ({"every": "0s"}, "schedule.every"),
                                ({"cron": "* * * * *", "tz": "Mars/Base"}, "schedule.tz")]:
            with self.subTest(schedule=schedule):
                answer = self.client.put(JOB, {"schedule": schedule, "target": TARGET})
                self.assert_refused(answer, 400, field)

    def test_a_bad_item_of_a_batch_is_named_and_nothing_is_done(self):
        timers = [dict(GOOD, key="a"), {"in": "1h", "key": "b"}]
        answer = self.client.post(TIMERS, {"timers": timers})
        self.assert_refused(answer, 400, "timers[1].target")
        self.assertEqual(self.client.get(f"{TIMERS}/a").status, 404)

    def test_paths_and_methods_that_do_not_exist(self):
        self.assert_refused(self.client.get("/api/v2/runs"), 404)
        self.assert_refused(self.client.get("/api/v1/runs/none-1"), 404)
        self.assert_refused(self.client.delete(f"{TIMERS}/nobody"), 404)
        answer = self.client.request("PATCH", TIMER, GOOD)
        self.assert_refused(answer, 405)
        self.assertIn("PUT", answer.headers["Allow"])

    # ---- limits -------------------------------------------------------------------------------

    def test_the_name_limit_is_exact(self):
        put = lambda size: self.client.put(f"{TIMERS}/{'k' * size}", GOOD)
        self.assertEqual(put(NAME_LIMIT).status, 201)
        self.assert_refused(put(NAME_LIMIT + 1), 400, "key", str(NAME_LIMIT))

    def test_the_payload_limit_is_exact(self):
        def put(size):
            http = {"url": "http://127.0.0.1:9/", "body": "x" * size}
            return self.client.put(f"{TIMERS}/payload", {"in": "1h", "target": {"http": http}})
        self.assertTrue(put(PAYLOAD_LIMIT).ok)
        self.assert_refused(put(PAYLOAD_LIMIT + 1), 400, "target.http.body")

    def test_the_batch_limit_is_exact(self):
        def post(size):
            timers = [dict(GOOD, key=f"batch-{i}") for i in range(size)]
            return self.client.post(TIMERS, {"timers": timers})
        self.assertEqual(post(BATCH_LIMIT).status, 200)
        self.assert_refused(post(BATCH_LIMIT + 1), 400, "timers", str(BATCH_LIMIT))
        self.assert_refused(post(0), 400, "timers")

    def test_the_page_limit_is_exact(self):
        page = lambda limit: self.client.get(f"/api/v1/runs?limit={limit}")
        self.assertEqual(page(PAGE_LIMIT).status, 200)
        for limit in [0, PAGE_LIMIT + 1, "x"]:
            self.assert_refused(page(limit), 400, "limit")
        self.assert_refused(self.client.get("/api/v1/runs?limits=1"), 400, "limits")

    def test_a_large_body_is_413_before_it_is_sent(self):
        head = (f"PUT {TIMER} HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n"
                f"Authorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {BODY_LIMIT + 1}\r\n\r\n")
        self.assertTrue(self.raw(head.encode()).startswith(b"HTTP/1.1 413 "))

    def test_large_headers_are_431_and_long_paths_414(self):
        large = self.client.get("/api/v1/runs", headers={"X-Filler": "x" * 20_000})
        self.assertEqual(large.status, 431, large)
        with self.server.client() as client:
            self.assertEqual(client.get("/api/v1/runs?app=" + "x" * 9_000).status, 414)

    def test_what_is_no_http_is_refused(self):
        self.assertIn(b" 400 ", self.raw(b"\x16\x03\x01\x02\x00 hello\r\n\r\n").split(b"\r\n")[0])

    # ---- other clients ------------------------------------------------------------------------

    def test_slow_clients_do_not_block_others(self):
        head = f"PUT {TIMER} HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n".encode()
        slow = []
        for _ in range(SLOW_CLIENTS):
            connection = socket.create_connection(("127.0.0.1", self.server.port))
            self.addCleanup(connection.close)
            connection.sendall(head)
            slow.append(connection)
        begun = time.monotonic()
        for i in range(20):
            self.assertTrue(self.client.put(f"{TIMERS}/beside-{i}", GOOD).ok)
        self.assertLess(time.monotonic() - begun, 5)

    def test_a_client_that_never_reads_does_not_block_others(self):
        self.client.post(TIMERS, {"timers": [dict(GOOD, key=f"n-{i}") for i in range(1000)]})
        request = (f"GET /api/v1/runs?limit=1000 HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}"
                   f"\r\nAuthorization: Bearer {TOKEN}\r\n\r\n").encode()
        deaf = socket.create_connection(("127.0.0.1", self.server.port), 1)
        self.addCleanup(deaf.close)
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.sendall(request * 20)
        begun = time.monotonic()
        self.assertEqual(self.client.get("/api/v1/runs").status, 200)
        self.assertLess(time.monotonic() - begun, 5)

    def test_pages_by_state_lose_no_run(self):
        """Also where the newest runs of a page are armed and thus not `planned` any more."""
        soon = [dict(GOOD, key=f"soon-{i}", **{"in": "1500ms"}) for i in range(30)]
        self.client.post(TIMERS, {"timers": [dict(GOOD, key=f"later-{i}") for i in range(30)]})
        self.client.post(TIMERS, {"timers": soon})
        with self.server.client() as client:
            found = {run["key"] for run in client.all_runs("state=planned&limit=10")}
        self.assertLessEqual({f"later-{i}" for i in range(30)}, found)


if __name__ == "__main__":
    unittest.main(verbosity=2)
