"""Delivers a message through apprise. It is the one file that imports apprise.

Apprise's own log may repeat an address. So it goes nowhere, and of a failure only the number of the answer is said.
"""

from __future__ import annotations

import logging
import re

from apprise import Apprise, AppriseAsset, LogCapture, NotifyFormat

from schedule.errors import InputError, Place

_ANSWER = re.compile(r"error\s*=\s*(\d{3})\b")
_ASSET = AppriseAsset(app_id="Clusterwright", app_desc="Clusterwright", async_mode=False)

logging.getLogger("apprise").propagate = False


class Service:
    """An address, ready to send to."""

    def __init__(self, name: str, url: str) -> None:
        """Take the name of an address and its URL. Raise InputError for one of no service that apprise knows."""
        with LogCapture():  # type: ignore[no-untyped-call]
            made = Apprise.instantiate(url, asset=_ASSET)
        if made is None:
            raise InputError(
                f"the address of {name} is not one of a service that apprise knows",
                hint="such as mailtos://user:password@example.org?to=ann@example.org; apprise's documentation has a page a service",
                place=Place("notify.yaml", None, f"addresses.{name}"),
            )
        if made.notify_format is NotifyFormat.MARKDOWN:  # else the service would read our plain text as Markdown
            made.notify_format = NotifyFormat.TEXT
        self._apprise = Apprise(made, asset=_ASSET)

    def send(self, title: str, body: str) -> str:
        """Send a message. Return why it failed, or nothing if it was taken. It takes as long as the service does."""
        with LogCapture(level=logging.WARNING) as captured:  # type: ignore[no-untyped-call]
            taken = self._apprise.notify(body=body, title=title, body_format=NotifyFormat.TEXT)
            found = _ANSWER.search(captured.getvalue())
        if taken:
            return ""
        return f"the service answered {found[1]}" if found else "the service was not reached, or refused it"
