"""A small site in the middle of its build, with something of everything that a report is about."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from ledger.account import machine_account
from ledger.forecasting import keep_forecast, make_forecast
from ledger.reading import open_snapshot
from ledger.subjects.orders import decisions as buying
from ledger.subjects.orders.change_decisions import ask_change
from ledger.subjects.orders.delivery_decisions import receive
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.sign_off.decisions import reject
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import comment, finish, start
from ledger.subjects.work.evidence_decisions import attach
from ledger.subjects.work.kinds.organisation_assigned import assign_organisation
from steps.planning.dates.dating import solved
from tests.commands import at
from tests.ledger.conftest import PEOPLE, T0, Clock, begun, small_plan
from tests.ledger.test_commitment import committed_by

ORDER = "001@site#gpu-server"
CONTRACTOR = "Sparks Ltd"
DAY = 24.0
USD_A_DAY = 1000.0


class Reported(NamedTuple):
    """The site's folder."""

    folder: Path

    def run(self, *words: object) -> str:
        """Return what a command prints."""
        return at(self.folder, *words).stdout

    def document(self, *words: object) -> Any:
        """Return what a command prints as JSON."""
        return json.loads(self.run(*words, "--json"))

    def file(self, name: str, *words: object) -> bytes:
        """Return the file that a report becomes."""
        path = self.folder / name
        self.run("report", *words, "--out", path)
        return path.read_bytes()


@contextmanager
def reported() -> Iterator[Reported]:
    """Make the site: servers came late to one pod, an order is late, work was rejected, a change is asked for, photos are there."""
    clock = Clock()
    account = machine_account()
    people = [
        {"id": key, "name": name, "roles": roles, "account": account, "organisation": CONTRACTOR * (key == "tech")}
        for key, (name, roles) in PEOPLE.items()
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "site"
        folder.mkdir()
        (folder / "site.yaml").write_text("name: Small\n", encoding="utf-8")
        with begun(folder, clock, rehearsal=True) as ledger:
            plan = solved(small_plan(people=people, slip_day_usd=USD_A_DAY)).plan
            adopt_plan(ledger, "pm", plan, reason="first plan", committed=committed_by(plan))
            start(ledger, "tech", "001@site")
            clock.forward(2)
            finish(ledger, "tech", "001@site")
            sign(ledger, "lead", "001@site")
            buying.order(
                ledger,
                "pm",
                ORDER,
                supplier="ACME",
                reference="PO 1",
                value=Decimal(1_200_000),
                currency="USD",
                budget_line="servers",
            )
            clock.forward(9 * DAY)
            receive(ledger, "pm", f"{ORDER}/1")
            for activity in ("010@pod-001", "020@pod-001", "010@pod-002"):
                assign_organisation(ledger, "pm", activity, CONTRACTOR)
            clock.forward(5 * DAY)
            late = (T0 + timedelta(days=90)).date()
            buying.promise(ledger, "pm", f"{ORDER}/2", late, reason="allocation")
            start(ledger, "tech", "010@pod-001")
            attach(ledger, "tech", "010@pod-001", a_photo(), "photo", name="rack.jpg")
            clock.forward(3)
            finish(ledger, "tech", "010@pod-001")
            reject(ledger, "lead", "010@pod-001", "two anchors are not marked")
            ask_change(ledger, "sponsor", f"{ORDER}/2", quantity=Decimal(18), reason="two spares")
            clock.forward(2 * DAY)
            comment(ledger, "tech", "010@pod-001", "anchors are marked again")
            with open_snapshot(folder) as snapshot:
                keep_forecast(snapshot, make_forecast(snapshot, samples=40))
            yield Reported(folder)


def a_photo() -> bytes:
    """Return a JPEG of a size that no page has room for."""
    out = io.BytesIO()
    Image.new("RGB", (2400, 1800), "navy").save(out, "JPEG")
    return out.getvalue()
