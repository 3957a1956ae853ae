"""Lines of deliveries: how much came, or the serial numbers of the pieces. Those that came together are one receipt."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial

from clusterwright.commands.options import SHOWN
from clusterwright.sheets.columns import NOTE, QUANTITY, SERIAL, WHEN
from clusterwright.sheets.deeds import ARRIVES, Deed, JudgedLine, Taking, refused
from ledger.questions.receiving import awaited, judged
from ledger.questions.since import received_since
from ledger.subjects.orders.delivery_decisions import receive
from ledger.subjects.orders.manifest_rules import BEFORE
from ledger.subjects.orders.money_rules import amount
from schedule.errors import InputError, NotSatisfiedError
from steps.stamps import local_day, minute

FIRST = -1
"""Deliveries come before the activities of the same time, which may wait for them."""
ROUNDED = re.compile(r"[0-9](\.[0-9]+)?[eE]\+?[0-9]+")
"""What a spreadsheet makes of a long number that is not typed as text: its last digits are lost."""


def delivery_deeds(taking: Taking, lines: Sequence[JudgedLine]) -> Iterator[Deed]:
    """Yield a receipt for each delivery and time, with all pieces that came then. A line that means nothing is refused at once."""
    groups: dict[tuple[str, datetime | None, str], list[JudgedLine]] = defaultdict(list)
    for one in lines:
        with refused([one]):
            at = one.line.moment(WHEN, taking.zone)
            delivery, _, piece = one.line.id.partition(" ")
            if not piece:
                yield Deed(at or taking.now, FIRST, ARRIVES, partial(_receive_quantity, taking, delivery, at, one))
                continue
            _refuse_no_serial(one.line.text(SERIAL))
            groups[delivery, at, one.line.text(NOTE)].append(one)
    for (delivery, at, note), pieces in groups.items():
        yield Deed(at or taking.now, FIRST, ARRIVES, partial(_receive_pieces, taking, delivery, at, note, pieces))


def _refuse_no_serial(serial: str) -> None:
    if not serial:
        raise InputError(
            "the serial number is missing", hint="`clusterwright receive --unscanned WHY` is for pieces without"
        )
    if ROUNDED.fullmatch(serial):
        raise InputError(
            f"the spreadsheet has rounded the serial number to {serial}",
            hint="format the cell as text, and type it again",
        )


def _receive_quantity(taking: Taking, delivery: str, at: datetime | None, one: JudgedLine) -> None:
    """Record how much came. The same receipt after the sheet was made is this one; another one makes the line old."""
    with refused([one], QUANTITY):
        text = one.line.text(QUANTITY)
        if not text:
            raise InputError("the quantity is missing")
        came = amount(text, "a quantity")
        since = received_since(taking.present(), taking.known).get(delivery, ())
        if any(_is_this(taking, before.quantity, before.at, came, at) for before in since):
            return
        if since:
            last = since[-1]
            raise NotSatisfiedError(
                f"since the sheet was made {last.quantity:g} were received on {minute(last.at, taking.zone)}",
                hint="write what came besides into a new sheet",
            )
        with taking.happened(at):
            taking.decider.take(receive, delivery, came, note=one.line.text(NOTE))
        one.recorded.append(QUANTITY)


def _is_this(taking: Taking, quantity: Decimal, before: datetime, came: Decimal, at: datetime | None) -> bool:
    same_day = at is None or local_day(before, taking.zone) == local_day(at, taking.zone)
    return quantity == came and same_day


def _receive_pieces(
    taking: Taking, delivery: str, at: datetime | None, note: str, pieces: Sequence[JudgedLine]
) -> None:
    """Record the pieces that came by their serial numbers, and refuse those that are known or too many."""
    with refused(pieces):
        scans = judged([one.line.text(SERIAL) for one in pieces], awaited(taking.present(), delivery), None)
    counted = []
    for one, scan in zip(pieces, scans, strict=True):
        if scan.counts:
            counted.append(one)
        elif scan.said != BEFORE:
            one.refuse(InputError(f"{scan.serial[:SHOWN]}: {scan.said}"), SERIAL)
    if not counted:
        return
    serials = [one.line.text(SERIAL) for one in counted]
    with refused(counted), taking.happened(at):
        taking.decider.take(receive, delivery, Decimal(len(serials)), serials=serials, note=note)
        for one in counted:
            one.recorded.append(SERIAL)
