"""The browser that takes pictures of pages, and what it does while one page is left for the next."""

from __future__ import annotations

import json
from typing import cast

import pytest
from websockets.sync.connection import Connection

from docs.browser import Browser, NoAnswerError

Answer = dict[str, object]

LEFT: Answer = {"error": {"message": "Inspected target navigated or closed"}}
THERE: Answer = {"result": {"result": {"value": True}}}


class Page:
    """A page whose answers are known beforehand. Chromium leaves one page for the next within a few milliseconds."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)

    def send(self, text: str) -> None:
        self.asked = json.loads(text)["id"]

    def recv(self, timeout: float) -> str:
        return json.dumps({"id": self.asked} | self.answers.pop(0))


def test_a_page_that_is_just_left_is_asked_again() -> None:
    page = Page(LEFT, THERE)

    Browser(cast("Connection", page)).wait("document.title")

    assert not page.answers


def test_what_the_browser_refuses_is_said_in_its_words() -> None:
    with pytest.raises(NoAnswerError, match=r"Runtime\.evaluate: Inspected target navigated or closed"):
        Browser(cast("Connection", Page(LEFT))).ask("document.title")
