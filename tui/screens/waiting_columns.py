"""How what waits for a person reads in a list, on the inbox and in the morning: verb with its glyph, subject, what it unblocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from ledger.questions.waiting import WaitingItem
from tui.acting.actions import ACTIONS, Action
from tui.lists.column import Column
from tui.looks import Role, day_text

VERBS: dict[str, tuple[str, str, Role, str]] = {
    "sign": ("✎", "sign", "attention", "sign"),
    "start": ("▶", "start", "ready", "start"),
    "finish": ("■", "finish", "active", "finish"),
    "release": ("»", "release", "attention", "release"),
    "attest": ("✍", "do, attest", "ready", "attest"),
    "fact": ("?", "record facts", "ready", "fact"),
    "decide": ("✘", "decide", "bad", "retry"),
    "resume": ("‖", "resume", "attention", "resume"),
    "ncr": ("✘", "decide NCR", "bad", "ncr disposition"),
    "close": ("✔", "close NCR", "active", "ncr close"),
    "change": ("±", "decide change", "attention", "change approve"),
    "act": ("●", "do as agreed", "ready", "action close"),
    "order": ("+", "place order", "ready", "order"),
}
"""By action of a row: its glyph, its words, its colour role, and the command that is the usual answer to it."""


def verb(row: WaitingItem) -> str:
    """Return what to do, as glyph and words."""
    glyph, words, *_ = VERBS[row.action]
    return f"{glyph} {words}"


def answer_of(row: WaitingItem) -> Action:
    """Return the action that is the usual answer to a row."""
    command = VERBS[row.action][3]
    return next(action for action in ACTIONS if (action.command, action.about) == (command, row.kind))


def waits_words(since: datetime | None, now: datetime | None) -> str:
    """Return how long something has waited, as `3 d` or `5 h`. Empty where that is not known."""
    if since is None or now is None or since > now:
        return ""
    hours = (now - since).total_seconds() / 3600
    return f"{hours / 24:.0f} d" if hours >= 48 else f"{hours:.0f} h"


def why_not(row: WaitingItem) -> str:
    """Return what is missing before it can be decided, or why it would be refused now."""
    if row.missing:
        return f"missing: {', '.join(row.missing)}"
    return f"✘ {row.blocked_by}" if row.blocked_by else ""


def waiting_columns(zone: Callable[[], str], now: Callable[[], datetime | None]) -> Sequence[Column[WaitingItem]]:
    """Return the columns. `zone` and `now` are those of the site at the last look."""
    return (
        Column("do", "do", 15, verb, lambda r: r.action, _role, groups=True),
        Column("id", "about", 17, lambda r: r.subject),
        Column("title", "what", 0, lambda r: r.title),
        Column("unblocks", "unblocks", 8, lambda r: str(r.unblocks or "-"), lambda r: r.unblocks, right=True),
        Column("evidence", "evidence", 8, evidence_words, _evidence, _evidence_role, right=True, rank=2),
        Column("waits", "waits", 6, lambda r: waits_words(r.since, now()), lambda r: r.since, right=True, rank=1),
        Column("missing", "missing, or why not", 28, why_not, role=lambda _: "bad", rank=3),
        Column("role", "as", 20, lambda r: r.role.replace("-", " "), rank=4, groups=True),
        Column("since", "since", 10, lambda r: day_text(r.since, zone()), lambda r: r.since, rank=5),
        Column("step", "step", 5, lambda r: r.step, rank=6, groups=True),
        Column("activity", "activity", 17, lambda r: r.activity, rank=7),
    )


def evidence_words(row: WaitingItem) -> str:
    """Return how many of the kinds of evidence that are asked for are there."""
    return f"{row.needed - len(row.missing)}/{row.needed}" if row.needed else ""


def _evidence(row: WaitingItem) -> float | None:
    return (row.needed - len(row.missing)) / row.needed if row.needed else None


def _evidence_role(row: WaitingItem) -> Role:
    return "bad" if row.missing else "good"


def _role(row: WaitingItem) -> Role:
    return VERBS[row.action][2]
