"""A small HTTP proxy for apt that keeps packages: the second host, and the second lab, do not fetch them again.

Usage: packages_cache.py ADDRESS PORT FOLDER. Only `.deb` files are kept: their names hold their versions. All else passes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PASSED_ON = ("If-Modified-Since", "Range", "If-Range", "User-Agent")
HANDED_BACK = ("Content-Type", "Content-Length", "Content-Range", "Last-Modified")


class Proxy(BaseHTTPRequestHandler):
    """Answers one apt."""

    protocol_version = "HTTP/1.1"
    folder: Path

    def do_GET(self) -> None:  # the server calls it so
        """Serve a package from the folder, or fetch what is asked for."""
        if not self.path.startswith("http://"):
            self.send_error(400, "this is a proxy for http:// addresses")
            return
        kept = self.folder / f"{hashlib.sha256(self.path.encode()).hexdigest()}.deb"
        if self.path.endswith(".deb") and kept.exists():
            self._serve(kept)
            return
        self._fetch(kept if self.path.endswith(".deb") else None)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base's name
        """Say nothing: apt reports what fails."""

    def _serve(self, kept: Path) -> None:
        with kept.open("rb") as file:
            self.send_response(200)
            self.send_header("Content-Length", str(os.fstat(file.fileno()).st_size))
            self.end_headers()
            shutil.copyfileobj(file, self.wfile)

    def _fetch(self, kept: Path | None) -> None:
        headers = {name: self.headers[name] for name in PASSED_ON if name in self.headers and not kept}
        try:
            with urllib.request.urlopen(urllib.request.Request(self.path, headers=headers), timeout=60) as answer:
                if kept:
                    partial = kept.with_suffix(f".{self.connection.fileno()}.{os.getpid()}")
                    with partial.open("wb") as file:
                        shutil.copyfileobj(answer, file)
                    partial.rename(kept)
                    self._serve(kept)
                    return
                self.send_response(answer.status)
                for name in HANDED_BACK:
                    if name in answer.headers:
                        self.send_header(name, answer.headers[name])
                if "Content-Length" not in answer.headers:
                    self.close_connection = True
                self.end_headers()
                shutil.copyfileobj(answer, self.wfile)
        except urllib.error.HTTPError as error:
            self.send_response(error.code)
            self.send_header("Content-Length", "0")
            self.end_headers()
        except OSError as error:
            with contextlib.suppress(OSError):
                self.send_error(504, str(error))


def main() -> None:
    """Serve until ended."""
    address, port, folder = sys.argv[1:]
    Proxy.folder = Path(folder)
    Proxy.folder.mkdir(parents=True, exist_ok=True)
    ThreadingHTTPServer((address, int(port)), Proxy).serve_forever()


if __name__ == "__main__":
    main()
