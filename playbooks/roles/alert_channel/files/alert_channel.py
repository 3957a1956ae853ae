"""Receive webhooks, and keep each as a line of a file, which can be read by GET. Used where there is no pager.

Arguments: port on this host alone, then file. A notification is written to the disk before its sender gets an answer.
"""

import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock

LARGEST = 1 << 20
PORT, FILE = int(sys.argv[1]), Path(sys.argv[2])
writing = Lock()


class Channel(BaseHTTPRequestHandler):
    """POST keeps a notification, GET returns all of them."""

    def do_POST(self) -> None:
        """Keep a notification with the time at which it came."""
        length = int(self.headers.get("Content-Length", "0"))
        if length > LARGEST:
            return self.answer(413, b"too large\n")
        try:
            notification = json.loads(self.rfile.read(length))
        except ValueError:
            return self.answer(400, b"not JSON\n")
        line = json.dumps({"received": time.time(), "notification": notification})
        with writing, FILE.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())
        return self.answer(200, b"kept\n")

    def do_GET(self) -> None:
        """Answer with every notification that was received, one a line."""
        self.answer(200, FILE.read_bytes() if FILE.exists() else b"")

    def answer(self, status: int, body: bytes) -> None:
        """Send a short answer."""
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class calls it so
        """Say nothing: what was received is in the file."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", PORT), Channel).serve_forever()
