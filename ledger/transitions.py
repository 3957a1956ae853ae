"""The one transition table: which action is open in which state, and where it may lead.

Stored states are all but `blocked` and `ready`: these two are a stored `open` seen at an instant
(`ready_from` has come or has not). A decision that would lead elsewhere is refused here, by name.
Standard library only: the reading side and the screens import it.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from steps.errors import NotSatisfiedError


class Look(NamedTuple):
    """How a state is shown: never by colour alone."""

    glyph: str
    ascii: str
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
    def look(self) -> Look:
        """Glyph, colour role and words of the state."""
        return LOOKS[self]

    @property
    def glyph(self) -> str:
        """One character that stands for the state."""
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
    State.OPEN: Look("·", ".", "muted", "open", "It has not begun."),
    State.BLOCKED: Look("◌", "o", "muted", "blocked", "It waits for what comes before it."),
    State.READY: Look("○", "O", "ready", "ready", "It may start now."),
    State.RUNNING: Look("▶", ">", "active", "running", "Software is at work on it."),
    State.IN_PROGRESS: Look("◐", "~", "active", "in progress", "People are at work on it."),
    State.AWAITING_SIGN_OFF: Look(
        "✎", "?", "attention", "awaiting sign-off", "The work is finished and waits for approval."
    ),
    State.DONE: Look("✔", "+", "good", "done", "It is done."),
    State.FAILED: Look("✘", "x", "bad", "failed", "It failed and waits for a decision."),
    State.CHECKED_NOT_MET: Look("≠", "#", "bad", "checked, not met", "It was checked, and not every criterion is met."),
    State.ON_HOLD: Look("⏸", "=", "attention", "on hold", "A person stopped it."),
    State.NOT_APPLICABLE: Look("–", "-", "muted", "not applicable", "There is nothing to do."),
}


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
"""State seen at an instant, action, and the stored states it may lead to."""

ALWAYS = frozenset({Action.ASSIGN, Action.COMMENT})
"""Open in every state; they change nothing but themselves."""


def seen(stored: State | str, ready_from: datetime | None, now: datetime) -> State:
    """Give the state as it is at `now`: a stored `open` is `ready` or `blocked`."""
    state = State(stored)
    if state is not State.OPEN:
        return state
    return State.READY if ready_from is not None and ready_from <= now else State.BLOCKED


def is_open_to(state: State, action: Action) -> bool:
    """Say whether the action may be taken in the state."""
    return action in ALWAYS or action in TABLE[state]


def check(activity: str, state: State, action: Action, result: State | None = None) -> None:
    """Refuse an action that the state does not allow, or a result that the action cannot have."""
    if action in ALWAYS:
        return
    results = TABLE[state].get(action)
    if results is None:
        may = ", ".join(a.value for a in TABLE[state]) or "nothing"
        raise NotSatisfiedError(
            f"{activity} is {state.words}; it cannot take {action.value!r} now",
            hint=f"open to it: {may}; see `clusterwright why {activity}`",
        )
    if result is not None and result not in results:
        raise NotSatisfiedError(f"{activity}: {action.value!r} cannot lead to {result.words}")
