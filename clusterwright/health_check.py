"""One thing that `doctor` looked at."""

from dataclasses import dataclass

OK, ADVICE, FAULT = "ok", "advice", "fault"


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: how it is, and what to do about it."""

    name: str
    state: str
    found: str
    remedy: str = ""
