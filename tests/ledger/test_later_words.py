"""A report or a promise of an earlier day does not replace one of a later day, whenever it is entered."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from ledger.questions.case import require_activity
from ledger.questions.orders import require_order
from ledger.rules.activity import Activity
from ledger.rules.rows import OrderRow
from ledger.subjects.corrections.decisions import correct
from ledger.subjects.orders.decisions import order, promise
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, progress, start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from tests.ledger.conftest import T0, Clock
from tests.ledger.test_entered_late import ORDER, a_site

pytestmark = pytest.mark.own_file

WORK = "001@site"
LATE = "the site had no network"
HOUR = timedelta(hours=1)
EARLY, SOON, LATER = (date(2026, month, 1) for month in (6, 7, 8))


def row(ledger: Ledger) -> Activity:
    with ledger.write() as writing:
        return require_activity(writing.at(), WORK)


def placed(ledger: Ledger) -> OrderRow:
    with ledger.write() as writing:
        return require_order(writing.at(), ORDER)


def test_a_report_of_an_earlier_day_leaves_what_a_later_one_says() -> None:
    """What the later one does not speak of, it fills in; of two such reports the later one counts again."""
    clock = Clock()
    with a_site(clock) as ledger:
        start(ledger, "tech", WORK)
        clock.forward(20)
        with ledger.happened(T0 + 10 * HOUR):
            progress(ledger, "tech", WORK, percent=60)

        with ledger.happened(T0 + 5 * HOUR):
            progress(ledger, "tech", WORK, percent=20, note="half the offers are here")
        with ledger.happened(T0 + 4 * HOUR):
            progress(ledger, "tech", WORK, note="no offer is here")

        assert (row(ledger).percent, row(ledger).last_note) == (60, "half the offers are here")
        with ledger.happened(T0 + 10 * HOUR):
            progress(ledger, "tech", WORK, percent=70)
        assert row(ledger).percent == 70, "of one moment the last word counts"
        assert audit(ledger.site_dir) == []


def test_a_report_that_is_taken_back_hides_no_earlier_one() -> None:
    clock = Clock()
    with a_site(clock) as ledger:
        start(ledger, "tech", WORK)
        clock.forward(20)
        with ledger.happened(T0 + 5 * HOUR):
            progress(ledger, "tech", WORK, percent=20)
        with ledger.happened(T0 + 10 * HOUR):
            wrong = progress(ledger, "tech", WORK, percent=90)

        correct(ledger, "tech", wrong.seq, reason="of another activity")
        assert row(ledger).percent == 20
        with ledger.happened(T0 + 6 * HOUR):
            progress(ledger, "tech", WORK, percent=30)

        assert row(ledger).percent == 30
        assert audit(ledger.site_dir) == []


def test_a_promise_of_an_earlier_day_leaves_what_the_supplier_said_later() -> None:
    """A word on the order is one on its first delivery; the second delivery has words of its own."""
    clock = Clock()
    with a_site(clock) as ledger:
        start(ledger, "tech", WORK)
        finish(ledger, "tech", WORK)
        sign(ledger, "lead", WORK)
        order(ledger, "pm", ORDER, supplier="ACME", reference="PO 1", promised=EARLY)
        clock.forward(20)
        with ledger.happened(T0 + 10 * HOUR):
            promise(ledger, "pm", f"{ORDER}/1", LATER, reason="the ship is late")
        with ledger.happened(T0 + 5 * HOUR):
            promise(ledger, "pm", ORDER, SOON, reason="the factory is late")
        with ledger.happened(T0 + 6 * HOUR):
            promise(ledger, "pm", f"{ORDER}/2", SOON, reason="no ship")
        with ledger.happened(T0 + 5 * HOUR):
            promise(ledger, "pm", f"{ORDER}/2", EARLY, reason="no lorry")

        found = placed(ledger)

        assert found.promised == SOON
        assert [one.promised for one in found.tranches] == [LATER, SOON]
        assert audit(ledger.site_dir) == []
