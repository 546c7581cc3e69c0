"""A client that knows what it knows: an answer, nothing sent, or an unknown outcome.

One connection, kept alive; one thread at a time.
"""

import http.client
import json
import socket


class Unsent(Exception):
    """The server did not take the connection: the request had no effect."""


class Unknown(Exception):
    """Sent, and no answer came: it may have had its effect, or may still have it never."""


class Answer:
    def __init__(self, status, body, headers):
        self.status = status
        self.body = body
        self.headers = headers

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]

    @property
    def ok(self):
        return 200 <= self.status < 300

    def __repr__(self):
        return f"{self.status} {self.body[:500]!r}"


class Client:
    def __init__(self, host, port, token, seconds=30):
        self._address = (host, port, seconds)
        self._token = token
        self._connection = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self._connection:
            self._connection.close()
        self._connection = None

    def _connect(self):
        host, port, seconds = self._address
        connection = http.client.HTTPConnection(host, port, timeout=seconds)
        try:
            connection.connect()
        except OSError as error:
            raise Unsent(str(error)) from error
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def request(self, method, path, body=None, headers=None):
        """`body`: a value to send as JSON, or bytes as they are."""
        sent = {"Authorization": f"Bearer {self._token}"}
        if body is not None:
            sent["Content-Type"] = "application/json"
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        for name, value in (headers or {}).items():
            sent.pop(name, None)
            if value is not None:
                sent[name] = value
        if self._connection is None:
            self._connection = self._connect()
        try:
            self._connection.request(method, path, body, sent)
            response = self._connection.getresponse()
            return Answer(response.status, response.read(), dict(response.getheaders()))
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Unknown(f"{method} {path}: {error!r}") from error

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def put(self, path, body, **options):
        return self.request("PUT", path, body, **options)

    def post(self, path, body=None, **options):
        return self.request("POST", path, body, **options)

    def delete(self, path, **options):
        return self.request("DELETE", path, **options)

    def all_runs(self, query="limit=1000"):
        """Every run of the store, page after page, newest first."""
        runs, cursor = [], None
        while True:
            answer = self.get(f"/api/v1/runs?{query}" + (f"&cursor={cursor}" if cursor else ""))
            if not answer.ok:
                raise AssertionError(f"list of runs: {answer}")
            page = answer.json
            runs += page["runs"]
            cursor = page["next_cursor"]
            if cursor is None:
                return runs

    def metrics(self):
        """{name without "escapement_": value} of every metric without labels."""
        values = {}
        for line in self.get("/metrics").body.decode().splitlines():
            name, _, value = line.rpartition(" ")
            if not line.startswith("#") and "{" not in name:
                values[name.removeprefix("escapement_")] = float(value)
        return values
