"""Decisions that record what a maker returns, and do nothing besides.

Such a decision takes the ledger and who decides, then what it is about, and then what its maker takes.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Signature, signature
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from ledger.log.chain import Event
from ledger.subjects.again import Key, Named, Row, subject_of

if TYPE_CHECKING:
    from ledger.log.payload import Payload
    from ledger.questions.case import LookedUp
    from ledger.questions.moment import Moment
    from ledger.writing import Ledger

Decision = TypeVar("Decision", bound=Callable[..., Event])
Given = ParamSpec("Given")


def about_activity(
    make: Callable[Concatenate[LookedUp, Given], Payload],
) -> Callable[Concatenate[Ledger, str, str, Given], Event]:
    """Return the decision about an activity that records what `make` returns."""

    def decide(
        ledger: Ledger,
        actor: str,
        activity: str,
        /,
        *args: Given.args,
        **named: Given.kwargs,
    ) -> Event:
        with ledger.case(activity, actor) as case:
            return case.record(make(case, *args, **named))

    return _with_parameters(decide, make, 1)


def about_supply(
    make: Callable[Concatenate[Moment, str, str, Given], Payload],
) -> Callable[Concatenate[Ledger, str, str, Given], Event]:
    """Return the decision about an order or a delivery that records what `make` returns."""

    def decide(
        ledger: Ledger,
        actor: str,
        subject: str,
        /,
        *args: Given.args,
        **named: Given.kwargs,
    ) -> Event:
        with ledger.write() as writing:
            moment = writing.moment()
            payload = make(moment, actor, subject, *args, **named)
            return writing.record(moment, actor, payload, subject=subject)

    return _with_parameters(decide, make, 3)


def about_site(
    make: Callable[Concatenate[Moment, str, Given], Payload],
) -> Callable[Concatenate[Ledger, str, Given], Event]:
    """Return the decision about the site or its people that records what `make` returns."""

    def decide(
        ledger: Ledger,
        actor: str,
        /,
        *args: Given.args,
        **named: Given.kwargs,
    ) -> Event:
        with ledger.write() as writing:
            moment = writing.moment()
            payload = make(moment, actor, *args, **named)
            return writing.record(moment, actor, payload, subject=subject_of(payload))

    return _with_parameters(decide, make, 2)


def about_named(
    named: Named[Key, Row],
    make: Callable[Concatenate[Moment, str, Row, Given], Payload],
) -> Callable[Concatenate[Ledger, str, Key, Given], Event]:
    """Return the decision about what somebody names that records what `make` returns."""

    def decide(
        ledger: Ledger,
        actor: str,
        name: Key,
        /,
        *args: Given.args,
        **given: Given.kwargs,
    ) -> Event:
        with ledger.write() as writing:
            moment = writing.moment()
            found = named.find(moment.snapshot, name)
            payload = make(moment, actor, found, *args, **given)
            return writing.record(moment, actor, payload, subject=getattr(found, named.subject))

    return _with_parameters(decide, make, 3)


def _with_parameters(decide: Decision, make: Callable[..., Payload], own: int) -> Decision:
    """Return a decision that says which parameters it takes: its maker's instead of `args` and `named`. Front ends name them in refusals."""
    before = list(signature(decide).parameters.values())[:-2]
    after = list(signature(make).parameters.values())[own:]
    vars(decide)["__signature__"] = Signature([*before, *after])
    return decide
