"""Action items: what somebody is to do by a day, as a meeting agreed, and that it was done."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from ledger.log.payload import Payload
from ledger.questions.action_items import require_action_item
from ledger.questions.people import people
from ledger.rules.access import EVERYBODY, PROCEED, Rows, Rule, Who
from ledger.rules.times import refuse_past_day
from ledger.subjects import again, recording
from ledger.subjects.again import Tables
from schedule.errors import InputError, NotSatisfiedError

if TYPE_CHECKING:
    from ledger.log.chain import Event
    from ledger.questions.moment import Moment
    from ledger.state.projection import Handlers, Projection


class ActionAgreed(Payload):
    """It was agreed that a person does something by a day. It may be about an activity."""

    kind = "action.agreed"
    about = "action/{0.action}"
    action: str
    text: str
    owner: str
    due: date
    activity: str = ""


class ActionClosed(Payload):
    """What was agreed was done, or is not needed any more."""

    kind = "action.closed"
    about = "action/{0.action}"
    action: str
    note: str


ACCESS: Rows = {
    "agree_action": Rule("note {}", "an action item", EVERYBODY),
    "close_action": Rule("close {}", "an action item", (Who.THEIRS, *PROCEED)),
}


def action_agreed(
    moment: Moment,
    actor: str,
    text: str,
    owner: str,
    due: date,
    activity: str = "",
) -> ActionAgreed:
    """Return an action item of a person in the plan in force."""
    moment.may(actor, "agree_action", "an action item")
    if not text.strip():
        raise InputError("an action item says what is to be done")
    known = [one.id for one in people(moment.snapshot)]
    if owner not in known:
        raise InputError(f"nobody here has the id {owner!r}", hint=f"people: {', '.join(known)}")
    refuse_past_day(due, moment.day, "nobody can do it by then", f"--due {moment.day} or a later day")
    if activity:
        moment.case(activity, actor)
    action = moment.next_id("action_item")
    return ActionAgreed(action=action, text=text, owner=owner, due=due, activity=activity)


def action_closed(moment: Moment, actor: str, action: str, note: str = "") -> ActionClosed:
    """Return the end of an action item. Its owner closes it, or the person who noted it."""
    found = require_action_item(moment.snapshot, action)
    moment.may(actor, "close_action", action, theirs={found.owner, found.agreed_by})
    if found.closed_at is not None:
        raise NotSatisfiedError(f"{action} is closed already")
    return ActionClosed(action=action, note=note)


AGAIN: Tables = {
    ActionAgreed: again.about_site(action_agreed),
    ActionClosed: again.about_site(action_closed),
}

agree_action = recording.about_site(action_agreed)
close_action = recording.about_site(action_closed)


def keep(p: Projection, event: Event, payload: ActionAgreed) -> None:
    """Add an action item."""
    p.record(
        "action_item",
        event,
        payload,
        id=payload.action,
        agreed_by=event.actor,
        agreed_at=event.effective_at,
    )


def close(p: Projection, event: Event, payload: ActionClosed) -> None:
    """Note who closed an action item."""
    p.update(
        "action_item",
        payload.action,
        closed_by=event.actor,
        closed_at=event.effective_at,
        note=payload.note,
    )


HANDLERS: Handlers = {ActionAgreed: keep, ActionClosed: close}
