"""The panels of the morning: what each is called, its columns, and what it says where there is nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui.screens.panel import Shape

Layout = tuple[str, Sequence[Shape], str]
"""The title of a panel, its columns, and what is said where it has no rows."""

LEFT: Mapping[str, Layout] = {
    "mine": (
        "MINE",
        (
            Shape("do", 15),
            Shape("about", 16),
            Shape("what", 0),
            Shape("unblocks", 8, right=True),
            Shape("evidence", 8, right=True, rank=2),
            Shape("waits", 6, right=True, rank=1),
            Shape("missing, or why not", 26, rank=3),
        ),
        "nothing waits for you",
    ),
    "moved": (
        "MOVED",
        (Shape("when", 11), Shape("about", 16, rank=1), Shape("what happened", 0), Shape("who", 16, rank=2)),
        "nothing since then",
    ),
    "phases": (
        "PHASES",
        (
            Shape("phase", 14),
            Shape("", 8, rank=3),
            Shape("done", 7, right=True),
            Shape("now", 3, right=True),
            Shape("sign", 4, right=True, rank=1),
            Shape("ready", 5, right=True, rank=2),
            Shape("fail", 4, right=True),
            Shape("late", 6, right=True),
            Shape("rest waits for", 0),
        ),
        "no plan is adopted yet",
    ),
}
RIGHT: Mapping[str, Layout] = {
    "late": (
        "LATE",
        (
            Shape("", 1),
            Shape("what", 22),
            Shape("late", 6, right=True),
            Shape("float", 5, right=True, rank=1),
            Shape("costs", 10, right=True),
            Shape("who", 14),
            Shape("title", 0, rank=3),
        ),
        "nothing is late",
    ),
    "chain": (
        "DRIVES GO-LIVE",
        (
            Shape("what", 16),
            Shape("state", 18),
            Shape("title", 0, rank=2),
            Shape("forecast", 10),
            Shape("later", 6, right=True),
            Shape("who", 18, rank=3),
        ),
        "no forecast is kept",
    ),
    "supplies": (
        "ORDERS AND DELIVERIES  three weeks",
        (
            Shape("", 10),
            Shape("day", 10),
            Shape("", 9, right=True),
            Shape("what", 0),
            Shape("quantity", 12, right=True, rank=2),
            Shape("state", 18, rank=1),
            Shape("title", 40, rank=3),
        ),
        "nothing to place and nothing to come",
    ),
    "runs": (
        "AUTOMATION",
        (Shape("", 8), Shape("what", 15), Shape("title", 0), Shape("hosts", 11, right=True), Shape("for", 11)),
        "nothing runs, nothing failed",
    ),
    "facts": ("DECISIONS, MONEY, CREWS", (Shape("about", 9), Shape("what", 0)), "no plan is adopted yet"),
}
"""By the id of a panel, from the top."""
