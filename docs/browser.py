"""A headless Chromium that logs in to a dashboard as a person does, and takes pictures of its pages."""

from __future__ import annotations

import base64
import itertools
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import connect
from websockets.sync.connection import Connection

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
SHARPNESS = 1.5
START_S = 20
LOOK_S = 0.2
PATIENCE_S = 60
SETTLE_S = 2.0
"""How long, in seconds, a page that has its texts has to draw them."""


class NoAnswerError(Exception):
    """What the browser refused to do: often because the page is just being exchanged for the next one."""


class Browser:
    """One page of a browser, driven through Chromium's own protocol."""

    def __init__(self, page: Connection) -> None:
        """Take the connection to the page."""
        self._page = page
        self._numbers = itertools.count(1)

    def do(self, method: str, **params: Any) -> dict[str, Any]:
        """Do one thing of the protocol, and return its result.

        Raise NoAnswerError with the browser's own words where it refuses.
        """
        number = next(self._numbers)
        self._page.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            answer = json.loads(self._page.recv(timeout=60))
            if answer.get("id") != number:
                continue
            if "error" in answer:
                raise NoAnswerError(f"{method}: {answer['error']['message']}")
            return dict(answer["result"])

    def ask(self, script: str) -> Any:
        """Return what a script in the page says."""
        return self.do("Runtime.evaluate", expression=script)["result"].get("value")

    def go(self, address: str, words: str = "") -> None:
        """Open a page, and wait until it shows some words."""
        self.do("Page.navigate", url=address)
        self.wait(f"document.body?.innerText.includes({json.dumps(words)})")
        time.sleep(SETTLE_S)

    def wait(self, script: str) -> None:
        """Wait until a script in the page says that something is so: a page that is just left says nothing."""
        began = time.monotonic()
        while not self._says(script):
            if time.monotonic() - began > PATIENCE_S:
                raise TimeoutError(f"the page does not come to {script} in {PATIENCE_S} s")
            time.sleep(LOOK_S)

    def _says(self, script: str) -> bool:
        """Return whether a script says so, where there is a page that it can ask."""
        try:
            return bool(self.ask(script))
        except NoAnswerError:
            return False

    def log_in(self, address: str, login: str) -> None:
        """Type the login into the page that a dashboard shows to whom it does not know."""
        self.go(address)
        self.wait("document.querySelector('input[type=password]') !== null")
        self.ask("document.querySelector('input[type=password]').focus()")
        self.do("Input.insertText", text=login)
        for kind in ("keyDown", "keyUp"):
            self.do("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
        self.wait("document.querySelector('input[type=password]') === null")
        time.sleep(SETTLE_S)

    def photograph(self, path: Path) -> None:
        """Write a picture of the page as PNG."""
        path.write_bytes(base64.b64decode(self.do("Page.captureScreenshot", format="png")["data"]))


@contextmanager
def browser(width: int, height: int) -> Iterator[Browser]:
    """Run a browser whose pages have a size in pixels, while the block lasts."""
    program = next(path for name in CHROMIUM if (path := shutil.which(name)))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [
                program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                f"--user-data-dir={profile}", "--remote-debugging-port=0", "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            with connect(_page(Path(profile)), max_size=None) as page:
                shown = Browser(page)
                size = {"width": width, "height": height, "deviceScaleFactor": SHARPNESS, "mobile": False}
                shown.do("Emulation.setDeviceMetricsOverride", **size)
                yield shown
        finally:
            process.terminate()
            process.wait()


def _page(profile: Path) -> str:
    """Return the address of the browser's first page, once it has one."""
    noted = profile / "DevToolsActivePort"
    began = time.monotonic()
    while time.monotonic() - began < START_S:
        time.sleep(LOOK_S)
        if noted.exists() and (port := noted.read_text(encoding="ascii").partition("\n")[0]):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=10) as answer:
                pages = [page for page in json.load(answer) if page["type"] == "page"]
            if pages:
                return str(pages[0]["webSocketDebuggerUrl"])
    raise TimeoutError(f"the browser has no page after {START_S} s")
