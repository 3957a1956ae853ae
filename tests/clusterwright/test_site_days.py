"""Days and times that people read, or that a forecast counts with, are the site's: west of Greenwich an evening is still today."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from flows.dashboard.status_artifact import status_text
from flows.rehearsal.people import SimulatedPeople
from flows.rehearsal.planned_times import PlannedTimes
from flows.rehearsal.simulated_time import SimulatedClock
from flows.rehearsal.suppliers import SimulatedSuppliers
from ledger.evidence.plans import read_plan
from ledger.questions.actuals import actuals
from ledger.questions.headlines import headlines
from ledger.questions.orders import require_order
from ledger.reading import open_snapshot
from ledger.stores.file import connect
from ledger.subjects.orders.decisions import order, promise
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, start
from ledger.trust.anchors import Anchor, checked, head_anchor
from ledger.trust.checkpoint import Checkpoint
from ledger.trust.site_zone import zone_of
from tests.clusterwright.test_one_forecast import Site, a_site
from tests.ledger.test_entered_late import ORDER

CHICAGO = "America/Chicago"
EVENING = datetime(2026, 2, 3, 3, tzinfo=UTC)
"""The evening of 2 February in Chicago."""


def decided(site: Site) -> None:
    """Decide what the order waits for."""
    start(site.ledger, "tech", "001@site")
    finish(site.ledger, "tech", "001@site")
    sign(site.ledger, "lead", "001@site")


def ordered(site: Site) -> None:
    decided(site)
    order(site.ledger, "pm", ORDER, supplier="ACME", reference="PO 1")


def test_a_promised_day_begins_at_the_site() -> None:
    """In UTC it began the evening before, and a promise for today had passed by then."""
    with a_site(CHICAGO) as site:
        ordered(site)
        site.clock.now = EVENING
        promise(site.ledger, "pm", f"{ORDER}/1", date(2026, 2, 20), reason="the ship is late")
        promise(site.ledger, "pm", f"{ORDER}/2", date(2026, 2, 2), reason="on the lorry")

        with open_snapshot(site.folder, EVENING) as snapshot:
            found = actuals(snapshot)

    assert found[f"{ORDER}/1"].finished == datetime(2026, 2, 20, 6, tzinfo=UTC)
    assert found[f"{ORDER}/2"].finished == datetime(2026, 2, 3, 6, tzinfo=UTC), "tomorrow at the site"


def test_what_an_audit_says_of_an_anchor_has_the_sites_time() -> None:
    with a_site(CHICAGO) as site:
        ordered(site)
        head = head_anchor(site.folder)
        lost = Anchor(head.seq + 9, head.hash, head.site, EVENING, "a file")
        db = connect(site.folder)

        (found,) = checked(db, [lost]).broken
        zone = zone_of(db)
        db.close()

    assert "recorded 2026-02-02 21:00)" in found[1]
    assert zone == CHICAGO


def test_a_checkpoint_is_read_in_the_sites_time() -> None:
    made = Checkpoint("uuid", 9, "hash", 3, "1", "ann", EVENING, "digest")

    assert "events 1 to 9 were audited on 2026-02-02 21:00 by ann" in made.words(CHICAGO)


class OnePerson(SimulatedPeople):
    """The simulated people of a site that names one for every role."""

    def one(self, role: str) -> str:
        return "pm"


def test_simulated_suppliers_promise_days_of_the_site() -> None:
    with a_site(CHICAGO) as site:
        decided(site)
        with open_snapshot(site.folder) as snapshot:
            plan = read_plan(snapshot)
            row = require_order(snapshot, ORDER)
        times = PlannedTimes(plan)
        planned = min(times.arrivals(ORDER, times.placing(ORDER)).values())
        comes = (planned + timedelta(days=30)).replace(hour=3, minute=0)
        site.clock.now = times.placing(ORDER) + (comes - planned)

        SimulatedSuppliers(times, OnePerson(site.ledger, plan, site.clock), SimulatedClock(site.clock.now)).place(row)

        with open_snapshot(site.folder) as snapshot:
            found = require_order(snapshot, ORDER)

    assert found.tranches[0].promised == comes.date() - timedelta(days=1), "in the evening of the day before"


def test_the_dashboard_counts_decisions_as_other_views_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """A release that lapsed is a decision that is needed; only the files of a run say that it lapsed."""
    with a_site(CHICAGO) as site:
        ordered(site)
        with open_snapshot(site.folder) as snapshot:
            lapsed = {"030@pod-001": "the playbook was changed"}
            monkeypatch.setattr("flows.dashboard.status_artifact.lapsed_releases", lambda _: lapsed)
            asked: list[object] = []

            def noted(found: Any, given: object = ()) -> object:
                asked.append(given)
                return headlines(found)

            monkeypatch.setattr("flows.dashboard.status_artifact.headlines", noted)
            status_text(snapshot)

    assert asked == [lapsed]
