"""A function that keeps its last result, for arguments that are too large to be hashed: the records of a plan."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")


def keeps_last_result(function: Callable[[Given], Made]) -> Callable[[Given], Made]:
    """Return the function so that it works nothing out if it gets the same object again. The object must never change."""
    last: tuple[Given, Made] | None = None

    @wraps(function)
    def kept(given: Given) -> Made:
        nonlocal last
        if last is None or last[0] is not given:
            last = given, function(given)
        return last[1]

    return kept
