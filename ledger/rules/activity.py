"""An activity: its states, what may be decided in each of them, and its row.

`Activity` is the only row type for activities. Projections change it, rules read it, and questions return it. `TABLE` says
which actions are possible in each state, and to which states they may lead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from json import loads
from operator import attrgetter
from typing import Any, Self

from schedule.errors import NotSatisfiedError
from steps.planning.activity import PlanActivity, activity_of
from steps.stamps import instant


class State(StrEnum):
    """Every state of an activity, and how it is shown: never by its colour alone.

    `colour` is a role, which a theme turns into a colour. `sentence` says what the state means.
    """

    glyph: str
    colour: str
    words: str
    sentence: str

    def __new__(
        cls,
        value: str,
        glyph: str = "",
        colour: str = "",
        words: str = "",
        sentence: str = "",
    ) -> Self:
        """Take the value and how it is shown. Who looks a state up names its value only."""
        state = str.__new__(cls, value)
        state._value_ = value
        state.glyph, state.colour, state.words, state.sentence = glyph, colour, words, sentence
        return state

    OPEN = "open", "·", "muted", "open", "It has not begun."
    BLOCKED = "blocked", "◌", "muted", "blocked", "It waits for what comes before it."
    READY = "ready", "○", "ready", "ready", "It may start now."
    RUNNING = "running", "▶", "active", "running", "Software is at work on it."
    IN_PROGRESS = "in_progress", "◐", "active", "in progress", "People are at work on it."
    AWAITING_SIGN_OFF = (
        "awaiting_sign_off",
        "✎",
        "attention",
        "awaiting sign-off",
        "The work is finished and waits for approval.",
    )
    DONE = "done", "✔", "good", "done", "It is done."
    FAILED = "failed", "✘", "bad", "failed", "It failed and waits for a decision."
    CHECKED_NOT_MET = (
        "checked_not_met",
        "≠",
        "bad",
        "checked, not met",
        "It was checked, and not every criterion is met.",
    )
    ON_HOLD = "on_hold", "⏸", "attention", "on hold", "A person stopped it."
    NOT_APPLICABLE = "not_applicable", "–", "muted", "not applicable", "There is nothing to do."


NOT_BEGUN = frozenset({State.OPEN, State.READY, State.BLOCKED})
OVER = frozenset({State.DONE, State.NOT_APPLICABLE})
WORK_OVER = OVER | {State.AWAITING_SIGN_OFF}
ENDED = frozenset({State.DONE, State.AWAITING_SIGN_OFF, State.FAILED, State.CHECKED_NOT_MET})
NOT_MET = frozenset({State.FAILED, State.CHECKED_NOT_MET})


class Action(StrEnum):
    """Everything that can be decided about an activity."""

    ASSIGN = "assign"
    COMMENT = "comment"
    ATTACH = "attach"
    START = "start"
    RECORD_EARLY = "record out of sequence"
    PROGRESS = "progress"
    MEASURE = "measure"
    CHECK = "check"
    FINISH = "finish"
    CORRECT = "correct"
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
    PREVIEW = "preview"
    RELEASE = "release"
    CLAIM = "claim"
    SETTLE = "settle"
    SETTLE_DUPLICATE = "settle duplicate"
    RETRY = "retry"
    REOPEN = "reopen"
    IMPORT = "import progress"
    FACT = "fact"


_S, _A = State, Action
_Leads = dict[Action, frozenset[State]]


def _all(result: State, *actions: Action) -> _Leads:
    """Return actions that all lead to one state."""
    return dict.fromkeys(actions, frozenset({result}))


_CLOSED = frozenset({_S.AWAITING_SIGN_OFF, _S.DONE})
_WORKED = frozenset({_S.IN_PROGRESS, _S.AWAITING_SIGN_OFF})
_STOPPED = _all(_S.ON_HOLD, _A.HOLD) | _all(_S.NOT_APPLICABLE, _A.NOT_APPLICABLE)
_NOT_STARTED: _Leads = {
    **_all(_S.OPEN, _A.ATTACH, _A.INVITE, _A.WITNESS),
    **_STOPPED,
    _A.IMPORT: frozenset({_S.DONE, _S.IN_PROGRESS}),
    **_all(_S.OPEN, _A.FACT, _A.CORRECT),
}
_TO_DECIDE: _Leads = {
    _A.MEASURE: NOT_MET | {_S.AWAITING_SIGN_OFF},
    _A.WAIVE: NOT_MET | _CLOSED,
    _A.ATTEST: _CLOSED,
    **_all(_S.RUNNING, _A.CLAIM),
    **_all(_S.OPEN, _A.RETRY, _A.FACT),
    **_STOPPED,
}

TABLE: dict[State, _Leads] = {
    _S.BLOCKED: {**_NOT_STARTED, _A.RECORD_EARLY: _WORKED},
    _S.READY: {
        **_NOT_STARTED,
        **_all(_S.IN_PROGRESS, _A.START),
        **_all(_S.OPEN, _A.MEASURE, _A.WAIVE, _A.PREVIEW, _A.RELEASE),
        **_all(_S.RUNNING, _A.CLAIM),
        _A.ATTEST: _CLOSED,
        _A.SIGN: _CLOSED,
        **_all(_S.DONE, _A.SETTLE_DUPLICATE),
    },
    _S.RUNNING: {
        **_all(_S.RUNNING, _A.ATTACH),
        _A.SETTLE: NOT_MET | _CLOSED | {_S.OPEN, _S.ON_HOLD},
    },
    _S.IN_PROGRESS: {
        **_all(_S.IN_PROGRESS, _A.PROGRESS, _A.INVITE, _A.WITNESS, _A.MEASURE),
        **_all(_S.IN_PROGRESS, _A.CHECK, _A.ATTACH, _A.FACT, _A.WAIVE),
        _A.FINISH: _CLOSED,
        _A.CORRECT: frozenset({_S.IN_PROGRESS, _S.OPEN}),
        **_STOPPED,
        **_all(_S.DONE, _A.IMPORT),
    },
    _S.AWAITING_SIGN_OFF: {
        **_all(_S.AWAITING_SIGN_OFF, _A.WITNESS, _A.ATTACH),
        _A.FACT: frozenset({_S.AWAITING_SIGN_OFF, _S.OPEN}),
        **_all(_S.AWAITING_SIGN_OFF, _A.MEASURE, _A.WAIVE, _A.PREVIEW),
        _A.CORRECT: _WORKED | {_S.OPEN},
        _A.SIGN: _CLOSED,
        **_all(_S.DONE, _A.OVERRIDE),
        _A.REJECT: frozenset({_S.IN_PROGRESS, _S.OPEN}),
        **_STOPPED,
    },
    _S.DONE: {
        **_all(_S.DONE, _A.ATTACH, _A.PREVIEW, _A.MEASURE),
        _A.FACT: frozenset({_S.DONE, _S.OPEN}),
        **_all(_S.DONE, _A.SIGN),
        **_all(_S.OPEN, _A.REOPEN),
    },
    _S.FAILED: _TO_DECIDE | _all(_S.FAILED, _A.ATTACH, _A.CORRECT),
    _S.CHECKED_NOT_MET: _TO_DECIDE | _all(_S.CHECKED_NOT_MET, _A.ATTACH, _A.CORRECT),
    _S.ON_HOLD: {
        **_all(_S.ON_HOLD, _A.INVITE, _A.WITNESS),
        **_all(_S.ON_HOLD, _A.ATTACH, _A.FACT, _A.CORRECT),
        _A.RESUME: NOT_MET | _WORKED | {_S.OPEN},
        **_all(_S.NOT_APPLICABLE, _A.NOT_APPLICABLE),
    },
    _S.NOT_APPLICABLE: _all(_S.OPEN, _A.REOPEN),
}
"""By state as it is seen, then by action: the stored states to which the action may lead."""

ALWAYS = frozenset({Action.ASSIGN, Action.COMMENT})
"""Actions that are possible in every state, because they change no state."""


def is_open_to(state: State, action: Action) -> bool:
    """Return whether the action may be taken in the state."""
    return action in ALWAYS or action in TABLE[state]


def refusal(
    activity: str,
    state: State,
    action: Action,
    result: State | None = None,
) -> NotSatisfiedError | None:
    """Return why the state does not allow an action, or why the action cannot lead to `result`. None if it is allowed."""
    if action in ALWAYS:
        return None
    results = TABLE[state].get(action)
    if results is None:
        hint = f"clusterwright why {activity}"
        if state is State.READY and action in TABLE[State.IN_PROGRESS]:
            hint = f"first: clusterwright start {activity}"
        said = f"{activity} is {state.words}; it cannot take {action.value!r} now"
        return NotSatisfiedError(said, hint=hint)
    if result is not None and result not in results:
        return NotSatisfiedError(f"{activity}: {action.value!r} cannot lead to {result.words}")
    return None


NO_FLOAT_H = 1e-6
"""Hours of float below which an activity is critical: what rounding leaves."""

FLAGS = ("stale", "waived", "attested", "simulated", "before", "overridden", "expired", "out_of_sequence")


@dataclass(slots=True)
class Activity:
    """A step at a unit. `plan` is the adopted plan's part of it. All other fields change with the work; only projections do that.

    `stale_since` and `valid_since` are numbers of events. Approvals are valid if they are later than both. A retry does not touch
    the hosts in `kept`. `performers` did the work of this attempt. `hands` ever worked on the activity, reported its progress or
    read an instrument. `early_because` says why the work was done although something before it was open. The last five fields
    depend on the time of looking. `signed` counts the valid approvals. `whose` is the organisation of the activity or else of its
    assignee. `out_of_sequence` is true while what should have come before early work is open.
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
    hands: tuple[str, ...]
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
    early_because: str
    signed: int = 0
    whose: str = ""
    past_planned_finish: bool = False
    expired: bool = False
    out_of_sequence: bool = False

    @property
    def id(self) -> str:
        """The activity's id, for example 034@pod-001."""
        return self.plan.id

    def copied(self) -> Activity:
        """Return a copy. It takes a fifth of the time of `copy.copy`."""
        return Activity(*_values_of(self))

    @property
    def stale(self) -> bool:
        """True if something before it was opened again after it was done."""
        return self.stale_since is not None

    @property
    def is_transparent(self) -> bool:
        """True if its successors also wait for what it waits for: it does not apply by decision, or was done out of sequence."""
        return self.na_decided or bool(self.early_because)

    @property
    def flags(self) -> frozenset[str]:
        """The names of `FLAGS` that are set."""
        return frozenset(flag for flag in FLAGS if getattr(self, flag))

    @property
    def ended_at(self) -> datetime | None:
        """When it was done. If it is not done: when its work was finished."""
        return self.done_at or self.finished_at

    @property
    def is_critical(self) -> bool:
        """True if the activity has no float in the plan."""
        dates = self.plan.dates
        return dates is not None and dates.total_float_h < NO_FLOAT_H

    @property
    def separates_duties(self) -> bool:
        """True if the person who did the work may not approve it. For attested work this is always so."""
        return self.plan.policy.separation == "performer-may-not-approve" or self.attested

    @property
    def counts_from(self) -> int:
        """The number of the event after which approvals are valid."""
        return max(self.stale_since or 0, self.valid_since or 0)


_values_of = attrgetter(*(field.name for field in fields(Activity)))
_STORED = fields(Activity)[:-5]
COLUMNS = tuple(field.name for field in _STORED)
"""The columns of the table `activity` from which an `Activity` is made, in order."""

BEYOND = "kind IN ('activity.reopened', 'facts.recorded', 'progress.adopted')"
"""Which events reach beyond their subject: they open again what others did, or bring what was done before."""


def is_past_planned_finish(state: State, planned: datetime | None, now: datetime) -> bool:
    """Return whether the planned finish of an activity has gone by, and its work is not finished."""
    return state not in WORK_OVER and planned is not None and planned < now


def is_expired(valid_until: datetime | None, now: datetime) -> bool:
    """Return whether an approval was valid for a limited time that is over."""
    return valid_until is not None and valid_until <= now


def seen(
    stored: State | str,
    ready_from: datetime | None,
    now: datetime,
    *,
    lapsed: bool = False,
) -> State:
    """Return the state at `now`. A stored `open` is seen as ready or as blocked.

    `lapsed` is true if the approval of a hold point directly before it has expired. This blocks an activity that has not begun.
    """
    state = State(stored)
    if state is not State.OPEN:
        return state
    is_ready = ready_from is not None and ready_from <= now and not lapsed
    return State.READY if is_ready else State.BLOCKED


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[str, ...]:
    """Return a stored list of words. Lists are cached, because thousands of rows have few different ones."""
    return tuple(loads(text))


_DECODERS: dict[str, Callable[[Any], Any]] = {
    "PlanActivity": activity_of,
    "State": State,
    "tuple[str, ...]": words,
    "datetime | None": instant,
    "bool": bool,
}
_BY_COLUMN = tuple(_DECODERS.get(str(field.type)) for field in _STORED)


def stored_activity(values: Sequence[Any]) -> Activity:
    """Return the activity of a row of the table, its state as stored. `values` are in the order of `COLUMNS`."""
    pairs = zip(_BY_COLUMN, values, strict=True)
    return Activity(*[decode(value) if decode else value for decode, value in pairs])


def seen_activity(values: Sequence[Any], now: datetime, *, lapsed: bool) -> Activity:
    """Return the activity of a row as it is seen at `now`. The caller fills in `signed`, `whose` and `out_of_sequence`."""
    row = stored_activity(values)
    row.state = seen(row.state, row.ready_from, now, lapsed=lapsed)
    row.expired = is_expired(row.valid_until, now)
    dates = row.plan.dates
    planned = None if dates is None else dates.early_finish
    row.past_planned_finish = is_past_planned_finish(row.state, planned, now)
    return row
