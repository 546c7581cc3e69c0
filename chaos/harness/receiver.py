"""The other side: an HTTP server that keeps a ledger of every delivery, as a process of its own.

Each delivery is one JSON line, written before the answer is sent, so nothing that the scheduler saw
answered can be missing. The path says how to answer:

  /ok               204 at once
  /slow/MS          204 after MS milliseconds
  /fail/N           500 to the attempts 1 to N, then 204
  /status/CODE      CODE
  /hang             never
"""

import asyncio
import json
import os
import pathlib
import subprocess
import sys
import time

REASONS = {204: "No Content", 500: "Internal Server Error"}
MAX_BODY_KEPT = 200


def answer_to(path, attempt):
    """(status or None for never, delay in seconds) for a path."""
    kind, _, value = path.lstrip("/").partition("/")
    if kind == "slow":
        return 204, int(value) / 1000
    if kind == "fail":
        return (500 if attempt <= int(value) else 204), 0
    if kind == "status":
        return int(value), 0
    return (None, 0) if kind == "hang" else (204, 0)


def response(status):
    line = f"HTTP/1.1 {status} {REASONS.get(status, 'Status')}\r\n"
    return (line + ("" if status == 204 else "Content-Length: 0\r\n") + "\r\n").encode()


class Connection(asyncio.Protocol):
    """HTTP/1.1 with keep-alive and pipelining, Content-Length bodies only."""

    def __init__(self, ledger):
        self._ledger = ledger
        self._data = b""
        self._transport = None

    def connection_made(self, transport):
        self._transport = transport

    def data_received(self, data):
        at_us = time.time_ns() // 1000
        self._data += data
        while self._take(at_us):
            pass

    def _take(self, at_us):
        head, end, rest = self._data.partition(b"\r\n\r\n")
        if not end:
            return False
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        length = int(headers.get("content-length", 0))
        if len(rest) < length:
            return False
        self._data = rest[length:]
        self._record(at_us, first.split(" ")[1], headers, rest[:length])
        return True

    def _record(self, at_us, path, headers, body):
        attempt = int(headers.get("escapement-attempt", 0))
        record = {
            "at_us": at_us,
            "path": path,
            "run": headers.get("escapement-run", ""),
            "name": headers.get("escapement-job", ""),
            "due": headers.get("escapement-due", ""),
            "attempt": attempt,
            "term": int(headers.get("escapement-term", 0)),
            "idempotency_key": headers.get("idempotency-key", ""),
            "body": body[:MAX_BODY_KEPT].decode(errors="replace"),
        }
        os.write(self._ledger, json.dumps(record).encode() + b"\n")
        status, delay = answer_to(path, attempt)
        if status is not None and delay:
            asyncio.get_running_loop().call_later(delay, self._send, status)
        elif status is not None:
            self._send(status)

    def _send(self, status):
        if not self._transport.is_closing():
            self._transport.write(response(status))


async def serve(ledger):
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(ledger), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    # The parent holds the other end of standard input: when it is gone, so is this process.
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await reader.read()


class Receiver:
    """Starts the process; `url(path)` is for targets, the ledger is in `path`."""

    def __init__(self, ledger_path):
        self.path = pathlib.Path(ledger_path)
        self.path.touch()
        command = [sys.executable, __file__, str(self.path)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self._process.stdout.readline())

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def target(self, path, body=None):
        http = {"method": "POST", "url": self.url(path)}
        return {"http": http if body is None else dict(http, body=body)}

    def stop(self):
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()


if __name__ == "__main__":
    asyncio.run(serve(os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)))
