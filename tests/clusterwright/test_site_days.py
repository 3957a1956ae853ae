"""Days and times that people read, or that a forecast counts with, are the site's: west of Greenwich an evening is still today."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from flows.executors.simulated_suppliers import SimulatedSuppliers
from flows.status_artifact import status_text
from ledger.decisions.orders import order, promise
from ledger.decisions.sign_off import sign
from ledger.decisions.work import finish, start
from ledger.questions.actuals import actuals
from ledger.questions.headlines import headlines
from ledger.reading import open_snapshot
from ledger.stores.file import connect
from ledger.trust.anchors import Anchor, checked, head_anchor
from ledger.trust.checkpoint import Checkpoint
from ledger.trust.site_zone import zone_of
from tests.clusterwright.test_one_forecast import Site, a_site
from tests.ledger.test_entered_late import ORDER

CHICAGO = "America/Chicago"
EVENING = datetime(2026, 2, 3, 3, tzinfo=UTC)
"""The evening of 2 February in Chicago."""


def ordered(site: Site) -> None:
    start(site.ledger, "tech", "001@site")
    finish(site.ledger, "tech", "001@site")
    sign(site.ledger, "lead", "001@site")
    order(site.ledger, "pm", ORDER, supplier_name="ACME", reference="PO 1")


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


def test_simulated_suppliers_promise_days_of_the_site(monkeypatch: pytest.MonkeyPatch) -> None:
    promised: list[date] = []
    monkeypatch.setattr(
        "flows.executors.simulated_suppliers.orders.order", lambda *_, **given: promised.append(given["promised"])
    )
    times: Any = SimpleNamespace(arrivals=lambda *_: {"1": EVENING}, time_zone=CHICAGO)
    people: Any = SimpleNamespace(ledger=None, one=lambda role: role)
    row: Any = SimpleNamespace(id=ORDER, supplier="oem", tranches=())

    SimulatedSuppliers(times, people, lambda: EVENING - timedelta(days=9)).place(row)  # type: ignore[arg-type]

    assert promised == [date(2026, 2, 2)]


def test_the_dashboard_counts_decisions_as_other_views_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """A release that lapsed is a decision that is needed; only the files of a run say that it lapsed."""
    with a_site(CHICAGO) as site:
        ordered(site)
        with open_snapshot(site.folder) as snapshot:
            lapsed = {"030@pod-001": "the playbook was changed"}
            monkeypatch.setattr("flows.status_artifact.lapsed_releases", lambda _: lapsed)
            asked: list[object] = []

            def noted(found: Any, given: object = ()) -> object:
                asked.append(given)
                return headlines(found)

            monkeypatch.setattr("flows.status_artifact.headlines", noted)
            status_text(snapshot)

    assert asked == [lapsed]
