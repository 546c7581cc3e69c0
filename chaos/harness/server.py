"""A server under test: the real binary, on one data folder and one port, over many lives.

Nothing sleeps: every wait polls a named event (a file, an answer of /readyz, the end of a process)
with a deadline, and fails with the server's own last words.
"""

import os
import pathlib
import signal
import socket
import subprocess
import time

from harness.client import Client, Unsent

TOKEN = "chaos-token"
TOP = pathlib.Path(__file__).resolve().parents[2]
POLL_SECONDS = 0.01


def find_binary():
    """The program under test; says how to build it when it is not there."""
    path = pathlib.Path(os.environ.get("ESCAPEMENT_BINARY", TOP / "build/release/bin/escapement"))
    if not path.is_file():
        raise AssertionError(f"no program at {path}: run ./dev build, or set ESCAPEMENT_BINARY")
    return str(path)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(ready, seconds, what):
    """Polls `ready` until it answers something true, and answers that."""
    deadline = time.monotonic() + seconds
    while True:
        answer = ready()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds} s in vain: {what}")
        time.sleep(POLL_SECONDS)


class Server:
    """`start` and `kill` may be called again and again; the folder and the port stay."""

    def __init__(self, data, *, options=(), wrapper=(), environment=(), log=None):
        self.data = pathlib.Path(data)
        self.port = free_port()
        self.options = list(options)
        self.wrapper = list(wrapper)
        self.environment = dict(environment, ESCAPEMENT_TOKEN=TOKEN)
        self.binary = find_binary()
        self.log_path = pathlib.Path(log or f"{data}.log")
        self.process = None
        self.started_ns = 0

    def command(self):
        listen = f"127.0.0.1:{self.port}"
        serve = [self.binary, "serve", "--data", str(self.data), "--listen", listen]
        return [*self.wrapper, *serve, *self.options]

    def start(self):
        environment = dict(os.environ, **self.environment)
        with open(self.log_path, "ab") as log:
            self.started_ns = time.time_ns()
            self.process = subprocess.Popen(
                self.command(), env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self

    def client(self, seconds=30):
        return Client("127.0.0.1", self.port, TOKEN, seconds)

    def is_ready(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the server ended with {self.process.returncode}: {self.log()}")
        try:
            with self.client(5) as client:
                return client.get("/readyz").status == 200
        except (Unsent, OSError):
            return False

    def wait_ready(self, seconds=60):
        wait_until(self.is_ready, seconds, f"/readyz; the log ends with {self.log()}")
        return self

    def signal(self, number):
        """To the server itself: a wrapper such as strace has it as its first child."""
        pid = self.process.pid
        if self.wrapper:
            pid = first_child(pid) or pid
        if self.process.poll() is None:
            os.kill(pid, number)

    def kill(self):
        """SIGKILL, and waits for the end."""
        self.signal(signal.SIGKILL)
        self.process.wait(30)

    def terminate(self, seconds=12):
        """SIGTERM; answers (exit status, seconds it took)."""
        begun = time.monotonic()
        self.signal(signal.SIGTERM)
        status = self.process.wait(seconds)
        return status, time.monotonic() - begun

    def wait_end(self, seconds=30):
        return self.process.wait(seconds)

    def stop(self):
        """Whatever happened: no process stays behind."""
        if self.process and self.process.poll() is None:
            self.kill()

    def log(self, limit=1500):
        return self.log_path.read_text(errors="replace")[-limit:]


def first_child(pid):
    try:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return None  # it ended meanwhile
    return int(children.split()[0]) if children else None


def processes_with(mark):
    """Processes whose environment holds `mark`, children of killed ones included."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue  # it ended meanwhile
    return found
