"""Decisions about non-conformances: their disposition, and closing them. See `ledger.subjects.ncr.rules`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate

from ledger.log.chain import Event
from ledger.log.payload import Payload
from ledger.questions.case import LookedUp
from ledger.rules.rows import NcrRow
from ledger.subjects.ncr import making as made
from ledger.subjects.recording import Given, with_parameters
from ledger.writing import Ledger


def _about_ncr(
    make: Callable[Concatenate[LookedUp, NcrRow, Given], Payload],
) -> Callable[Concatenate[Ledger, str, str, Given], Event]:
    """Return the decision about an open non-conformance that records what `make` returns."""

    def decide(
        ledger: Ledger,
        actor: str,
        ncr: str,
        /,
        *args: Given.args,
        **named: Given.kwargs,
    ) -> Event:
        with ledger.write() as writing:
            found = made.open_ncr(writing.moment(), ncr)
            case = writing.case(found.activity, actor)
            return case.record(make(case, found, *args, **named))

    return with_parameters(decide, make, 2)


disposition_ncr = _about_ncr(made.dispositioned)
assign_ncr = _about_ncr(made.assigned)
close_ncr = _about_ncr(made.closed)
