"""Delivers a message through apprise. It is the one file that imports apprise.

What apprise logs may repeat an address. So it goes nowhere, and of a failure only the number of the answer is said.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

from apprise import Apprise, AppriseAsset, NotifyFormat

from schedule.errors import InputError, Place

_ANSWER = re.compile(r"error\s*=\s*(\d{3})\b")
_ASSET = AppriseAsset(app_id="Clusterwright", app_desc="Clusterwright", async_mode=False)
_LOGGERS = ("apprise", "urllib3")


class Service:
    """An address, ready to send to."""

    def __init__(self, name: str, url: str) -> None:
        """Take the name of an address and its URL. Raise InputError for one of no service that apprise knows."""
        with _kept_apart():
            made = Apprise.instantiate(url, asset=_ASSET)
        if made is None:
            raise InputError(
                f"the address of {name} is not one of a service that apprise knows",
                hint="write it such as mailtos://user:password@example.org?to=ann@example.org; docs/how-to/notifications.md has more",
                place=Place("notify.yaml", None, f"addresses.{name}"),
            )
        if made.notify_format is NotifyFormat.MARKDOWN:  # else the service would read our plain text as Markdown
            made.notify_format = NotifyFormat.TEXT
        self._apprise = Apprise(made, asset=_ASSET)

    def send(self, title: str, body: str) -> str:
        """Send a message. Return why it failed, or nothing if it was taken. It takes as long as the service does."""
        with _kept_apart() as logged:
            taken = self._apprise.notify(body=body, title=title, body_format=NotifyFormat.TEXT)
        if taken:
            return ""
        found = _ANSWER.search(logged.getvalue())
        return f"the service answered {found[1]}" if found else "the service was not reached, or refused it"


@contextmanager
def _kept_apart() -> Iterator[StringIO]:
    """Let what apprise logs go nowhere but into the text that is returned.

    It is done for each call: where logging is set up between two calls, every logger writes to the engine's log again.
    """
    text = StringIO()
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [(one, one.handlers, one.propagate) for one in loggers]
    for one in loggers:
        one.handlers, one.propagate = [logging.StreamHandler(text)], False
    try:
        yield text
    finally:
        for one, handlers, propagate in before:
            one.handlers, one.propagate = handlers, propagate
