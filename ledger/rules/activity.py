"""An activity: its states, what may be decided in each of them, and its one row.

`Activity` is the one row type of the ledger. Projections change it, decisions ask it, questions answer with it. Its state is
stored as `open` until work begins. Seen at an instant, an open activity is ready or blocked. One table says which action is
open in which state, and to which states it may lead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from functools import cache, lru_cache
from json import loads
from typing import Any, NamedTuple

from steps.catalog.terms import Effect, Kind
from steps.errors import NotSatisfiedError
from steps.schedule.activity import PlanActivity, activity_of
from steps.stamps import instant


class Look(NamedTuple):
    """How a state is shown: never by colour alone."""

    glyph: str
    colour: str
    words: str
    sentence: str


class State(StrEnum):
    """Every state of an activity."""

    OPEN = "open"
    BLOCKED = "blocked"
    READY = "ready"
    RUNNING = "running"
    IN_PROGRESS = "in_progress"
    AWAITING_SIGN_OFF = "awaiting_sign_off"
    DONE = "done"
    FAILED = "failed"
    CHECKED_NOT_MET = "checked_not_met"
    ON_HOLD = "on_hold"
    NOT_APPLICABLE = "not_applicable"

    @property
    def glyph(self) -> str:
        """One character that means the state."""
        return LOOKS[self].glyph

    @property
    def colour(self) -> str:
        """The colour role, which a theme turns into a colour."""
        return LOOKS[self].colour

    @property
    def words(self) -> str:
        """The state as people say it."""
        return LOOKS[self].words

    @property
    def sentence(self) -> str:
        """What the state means, in one sentence."""
        return LOOKS[self].sentence


LOOKS = {
    State.OPEN: Look("·", "muted", "open", "It has not begun."),
    State.BLOCKED: Look("◌", "muted", "blocked", "It waits for what comes before it."),
    State.READY: Look("○", "ready", "ready", "It may start now."),
    State.RUNNING: Look("▶", "active", "running", "Software is at work on it."),
    State.IN_PROGRESS: Look("◐", "active", "in progress", "People are at work on it."),
    State.AWAITING_SIGN_OFF: Look(
        "✎", "attention", "awaiting sign-off", "The work is finished and waits for approval."
    ),
    State.DONE: Look("✔", "good", "done", "It is done."),
    State.FAILED: Look("✘", "bad", "failed", "It failed and waits for a decision."),
    State.CHECKED_NOT_MET: Look("≠", "bad", "checked, not met", "It was checked, and not every criterion is met."),
    State.ON_HOLD: Look("⏸", "attention", "on hold", "A person stopped it."),
    State.NOT_APPLICABLE: Look("–", "muted", "not applicable", "There is nothing to do."),
}

NOT_BEGUN = frozenset({State.OPEN, State.READY, State.BLOCKED})
OVER = frozenset({State.DONE, State.NOT_APPLICABLE})
ENDED = frozenset({State.DONE, State.AWAITING_SIGN_OFF, State.FAILED, State.CHECKED_NOT_MET})
"""States in which there is a result."""

NOT_MET = frozenset({State.FAILED, State.CHECKED_NOT_MET})
PEOPLES_WORK = frozenset({Kind.PROCURE, Kind.FIELD, Kind.GATE})
"""Kinds of step that people do."""

SOFTWARES_WORK = frozenset({Kind.AUTOMATE, Kind.VERIFY})
CHANGING = frozenset({Effect.CHANGE, Effect.DESTRUCTIVE})
"""Effects that wait for a release."""


class Action(StrEnum):
    """Everything that can be decided about an activity."""

    ASSIGN = "assign"
    COMMENT = "comment"
    ATTACH = "attach"
    START = "start"
    PROGRESS = "progress"
    MEASURE = "measure"
    CHECK = "check"
    FINISH = "finish"
    SIGN = "sign"
    OVERRIDE = "break glass"
    REJECT = "reject"
    WAIVE = "waive"
    ATTEST = "attest"
    INVITE = "invite witnesses"
    WITNESS = "witness"
    NOT_APPLICABLE = "na"
    HOLD = "hold"
    RESUME = "resume"
    RELEASE = "release"
    CLAIM = "claim"
    SETTLE = "settle"
    SETTLE_DUPLICATE = "settle duplicate"
    RETRY = "retry"
    REOPEN = "reopen"
    ADOPT = "adopt progress"
    FACT = "fact"


_S, _A = State, Action
_CLOSED = frozenset({_S.AWAITING_SIGN_OFF, _S.DONE})

_BEFORE = {
    _A.ATTACH: frozenset({_S.OPEN}),
    _A.INVITE: frozenset({_S.OPEN}),
    _A.WITNESS: frozenset({_S.OPEN}),
    _A.HOLD: frozenset({_S.ON_HOLD}),
    _A.NOT_APPLICABLE: frozenset({_S.NOT_APPLICABLE}),
    _A.ADOPT: frozenset({_S.DONE, _S.IN_PROGRESS}),
    _A.FACT: frozenset({_S.OPEN}),
}
_NOT_MET = {
    _A.MEASURE: frozenset({_S.AWAITING_SIGN_OFF, _S.FAILED, _S.CHECKED_NOT_MET}),
    _A.WAIVE: _CLOSED | {_S.FAILED, _S.CHECKED_NOT_MET},
    _A.ATTEST: _CLOSED,
    _A.CLAIM: frozenset({_S.RUNNING}),
    _A.RETRY: frozenset({_S.OPEN}),
    _A.FACT: frozenset({_S.OPEN}),
    _A.HOLD: frozenset({_S.ON_HOLD}),
    _A.NOT_APPLICABLE: frozenset({_S.NOT_APPLICABLE}),
}

TABLE: dict[State, dict[Action, frozenset[State]]] = {
    _S.BLOCKED: dict(_BEFORE),
    _S.READY: {
        **_BEFORE,
        _A.START: frozenset({_S.IN_PROGRESS}),
        _A.MEASURE: frozenset({_S.OPEN}),
        _A.WAIVE: frozenset({_S.OPEN}),
        _A.RELEASE: frozenset({_S.OPEN}),
        _A.CLAIM: frozenset({_S.RUNNING}),
        _A.ATTEST: _CLOSED,
        _A.SIGN: _CLOSED,
        _A.SETTLE_DUPLICATE: frozenset({_S.DONE}),
    },
    _S.RUNNING: {
        _A.ATTACH: frozenset({_S.RUNNING}),
        _A.SETTLE: _CLOSED | {_S.FAILED, _S.CHECKED_NOT_MET, _S.OPEN, _S.ON_HOLD},
    },
    _S.IN_PROGRESS: {
        _A.PROGRESS: frozenset({_S.IN_PROGRESS}),
        _A.INVITE: frozenset({_S.IN_PROGRESS}),
        _A.WITNESS: frozenset({_S.IN_PROGRESS}),
        _A.MEASURE: frozenset({_S.IN_PROGRESS}),
        _A.CHECK: frozenset({_S.IN_PROGRESS}),
        _A.ATTACH: frozenset({_S.IN_PROGRESS}),
        _A.FACT: frozenset({_S.IN_PROGRESS}),
        _A.WAIVE: frozenset({_S.IN_PROGRESS}),
        _A.FINISH: _CLOSED,
        _A.HOLD: frozenset({_S.ON_HOLD}),
        _A.NOT_APPLICABLE: frozenset({_S.NOT_APPLICABLE}),
        _A.ADOPT: frozenset({_S.DONE}),
    },
    _S.AWAITING_SIGN_OFF: {
        _A.WITNESS: frozenset({_S.AWAITING_SIGN_OFF}),
        _A.ATTACH: frozenset({_S.AWAITING_SIGN_OFF}),
        _A.FACT: frozenset({_S.AWAITING_SIGN_OFF, _S.OPEN}),
        _A.MEASURE: frozenset({_S.AWAITING_SIGN_OFF}),
        _A.WAIVE: frozenset({_S.AWAITING_SIGN_OFF}),
        _A.SIGN: _CLOSED,
        _A.OVERRIDE: frozenset({_S.DONE}),
        _A.REJECT: frozenset({_S.IN_PROGRESS, _S.OPEN}),
        _A.HOLD: frozenset({_S.ON_HOLD}),
        _A.NOT_APPLICABLE: frozenset({_S.NOT_APPLICABLE}),
    },
    _S.DONE: {
        _A.ATTACH: frozenset({_S.DONE}),
        _A.FACT: frozenset({_S.DONE, _S.OPEN}),
        _A.SIGN: frozenset({_S.DONE}),
        _A.REOPEN: frozenset({_S.OPEN}),
    },
    _S.FAILED: {**_NOT_MET, _A.ATTACH: frozenset({_S.FAILED})},
    _S.CHECKED_NOT_MET: {**_NOT_MET, _A.ATTACH: frozenset({_S.CHECKED_NOT_MET})},
    _S.ON_HOLD: {
        _A.INVITE: frozenset({_S.ON_HOLD}),
        _A.WITNESS: frozenset({_S.ON_HOLD}),
        _A.ATTACH: frozenset({_S.ON_HOLD}),
        _A.FACT: frozenset({_S.ON_HOLD}),
        _A.RESUME: frozenset({_S.OPEN, _S.IN_PROGRESS, _S.AWAITING_SIGN_OFF, _S.FAILED, _S.CHECKED_NOT_MET}),
        _A.NOT_APPLICABLE: frozenset({_S.NOT_APPLICABLE}),
    },
    _S.NOT_APPLICABLE: {_A.REOPEN: frozenset({_S.OPEN})},
}
"""By state as seen at an instant, then by action: the stored states to which it may lead."""

ALWAYS = frozenset({Action.ASSIGN, Action.COMMENT})
"""Actions that are open in every state, since they change no state."""


def is_open_to(state: State, action: Action) -> bool:
    """Return whether the action may be taken in the state."""
    return action in ALWAYS or action in TABLE[state]


def refusal(activity: str, state: State, action: Action, result: State | None = None) -> NotSatisfiedError | None:
    """Return why the state does not allow an action, or why the action cannot have this result. None where it may."""
    if action in ALWAYS:
        return None
    results = TABLE[state].get(action)
    if results is None:
        may = ", ".join(a.value for a in TABLE[state]) or "nothing"
        return NotSatisfiedError(
            f"{activity} is {state.words}; it cannot take {action.value!r} now",
            hint=f"open to it: {may}; see `clusterwright why {activity}`",
        )
    if result is not None and result not in results:
        return NotSatisfiedError(f"{activity}: {action.value!r} cannot lead to {result.words}")
    return None


FLAGS = ("stale", "waived", "attested", "simulated", "before", "overridden", "expired")


@dataclass(slots=True)
class Activity:
    """A step at a unit: `plan` is what the adopted plan says, the rest is how it stands. Only projections change it.

    `stale_since` and `valid_since` are numbers of events: approvals count from the later one on. `kept` are the hosts that
    a retry does not touch again. The last four fields depend on when it is asked: `signed` counts the approvals that count,
    `whose` is the organisation whose work it is, given to it or to one of its people.
    """

    plan: PlanActivity
    ordinal: int
    in_plan: bool
    state: State
    held_from: str | None
    attempt: int
    assignee: str | None
    organisation: str
    na_reason: str | None
    na_at: datetime | None
    na_decided: bool
    ready_from: datetime | None
    finish_from: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    done_at: datetime | None
    performers: tuple[str, ...]
    kept: tuple[str, ...]
    items_done: int | None
    percent: float | None
    last_note: str
    stale_since: int | None
    valid_since: int | None
    valid_until: datetime | None
    waived: bool
    attested: bool
    simulated: bool
    before: bool
    overridden: bool
    signed: int = 0
    whose: str = ""
    late: bool = False
    expired: bool = False

    @property
    def id(self) -> str:
        """The activity's id, as 034@pod-001."""
        return self.plan.id

    @property
    def stale(self) -> bool:
        """True where what it rested on was opened again since."""
        return self.stale_since is not None

    @property
    def flags(self) -> frozenset[str]:
        """The flags that are set, as `FLAGS` names them."""
        return frozenset(flag for flag in FLAGS if getattr(self, flag))

    @property
    def ended_at(self) -> datetime | None:
        """When it was done, or else when its work was finished."""
        return self.done_at or self.finished_at

    @property
    def is_critical(self) -> bool:
        """True where the plan has no float for it."""
        dates = self.plan.dates
        return dates is not None and dates.total_float_h < 1e-6

    @property
    def separates_duties(self) -> bool:
        """True where the person who did the work may not approve it. What was attested is always separated."""
        return self.plan.policy.separation == "performer-may-not-approve" or self.attested

    @property
    def counts_from(self) -> int:
        """The event after which approvals count."""
        return max(self.stale_since or 0, self.valid_since or 0)


class Standing(NamedTuple):
    """How an activity that has begun is, in a word: what a plan revision asks."""

    state: State
    attempt: int
    stale: bool


COLUMNS = tuple(field.name for field in fields(Activity))[:-4]
"""The columns of the table `activity` that make an `Activity`, in order."""

_TEXTS = {f.name for f in fields(Activity) if "tuple" in str(f.type)}
_TIMES = {f.name for f in fields(Activity) if "datetime" in str(f.type)}
_TRUTHS = {f.name for f in fields(Activity) if f.type == "bool"}


def is_late(state: State, late_start: datetime | None, late_finish: datetime | None, now: datetime) -> bool:
    """Return whether an activity is past its latest finish, or has not begun at its latest start."""
    if state in OVER:
        return False
    overdue = late_finish is not None and late_finish < now
    return overdue or (state in NOT_BEGUN and late_start is not None and late_start < now)


def is_expired(valid_until: datetime | None, now: datetime) -> bool:
    """Return whether an approval held for a time that is over."""
    return valid_until is not None and valid_until <= now


def seen(stored: State | str, ready_from: datetime | None, now: datetime, *, lapsed: bool = False) -> State:
    """Return the state at `now`: a stored `open` is ready or blocked.

    `lapsed` says that a hold point just before it has an approval that is over. That blocks what has not begun.
    """
    state = State(stored)
    if state is not State.OPEN:
        return state
    is_ready = ready_from is not None and ready_from <= now and not lapsed
    return State.READY if is_ready else State.BLOCKED


def stored_activity(values: Sequence[Any]) -> Activity:
    """Return the activity of a row of the table, its state as stored. `values` are in the order of `COLUMNS`."""
    return Activity(*_decoded(values))


def seen_activity(values: Sequence[Any], now: datetime, *, lapsed: bool) -> Activity:
    """Return the activity of a row as it is seen at `now`; `signed` and `whose` are still to be filled."""
    decoded = _decoded(values)
    plan, state, ready_from, valid_until = (decoded[at] for at in _SEEN)
    decoded[_SEEN[1]] = state = seen(state, ready_from, now, lapsed=lapsed)
    dates = plan.dates
    late = dates is not None and is_late(state, dates.late_start, dates.late_finish, now)
    decoded += [0, "", late, is_expired(valid_until, now)]
    return Activity(*decoded)


_SEEN = tuple(COLUMNS.index(name) for name in ("plan", "state", "ready_from", "valid_until"))


def _decoded(values: Sequence[Any]) -> list[Any]:
    return [decode(value) if decode else value for decode, value in zip(_decoders(), values, strict=True)]


@cache
def _decoders() -> tuple[Any, ...]:
    return tuple(_decoder(name) for name in COLUMNS)


def _decoder(name: str) -> Any:
    if name == "plan":
        return activity_of
    if name == "state":
        return State
    if name in _TEXTS:
        return words
    if name in _TIMES:
        return instant
    return bool if name in _TRUTHS else None


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[str, ...]:
    """Return a stored list of words. Thousands of rows share few different lists."""
    return tuple(loads(text))
