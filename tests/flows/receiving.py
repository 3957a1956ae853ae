"""A service that takes messages over HTTP, as apprise's `json://` sends them, and keeps those that it took."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Receiver:
    """The service. Each path is an address of its own. `answer` is the number of its answers, and `held` are paths that wait."""

    def __init__(self) -> None:
        self.answer = 200
        self.held: set[str] = set()
        self.go_on = threading.Event()
        self.got: list[tuple[str, dict[str, Any]]] = []
        self.port = 0

    def url(self, path: str = "") -> str:
        """Return the apprise URL of a path. Its answers are waited for longer than they are ever held."""
        return f"json://127.0.0.1:{self.port}/{path}?cto=120&rto=120"

    def messages(self, path: str = "") -> list[dict[str, Any]]:
        """Return what came to a path, taken or not."""
        return [message for to, message in self.got if to == f"/{path}"]


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Let a receiver listen on a free port while the block lasts."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.got.append((self.path, json.loads(body)))
            if self.path.strip("/") in receiver.held:
                receiver.go_on.wait(60)
            self.send_response(receiver.answer)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.go_on.set()
        server.shutdown()
        server.server_close()
        thread.join()
