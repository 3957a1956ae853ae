"""On a signed site a decision does not believe a forged table: who may decide is worked out from the signed events."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ledger.decisions.people import delegate, revoke_key, withdraw
from ledger.decisions.plan import adopt_plan
from ledger.decisions.sign_off import sign
from ledger.decisions.work import comment
from ledger.reading import open_snapshot
from ledger.stores.log import machine_clock
from ledger.trust.audit import audit
from ledger.writing import Ledger
from steps.errors import UnreachableError
from tests.ledger.forging import every_state, every_state_plan
from tests.ledger.keys import public

pytestmark = pytest.mark.own_file


@pytest.fixture
def signed(tmp_path: Path) -> Iterator[Ledger]:
    """Return a signed site with something in every state."""
    site = tmp_path / "signed"
    site.mkdir()
    with every_state(site, machine_clock, signed=True) as ledger:
        yield ledger


def forged(ledger: Ledger, sql: str) -> None:
    """Change a table as somebody can who writes the file."""
    with closing(sqlite3.connect(ledger.site_dir / "ledger.db")) as db, db:
        db.execute(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO person_role (person, role) VALUES ('tech', 'network-lead')",
        "DELETE FROM person_role WHERE person = 'sponsor'",
        "UPDATE person SET account = 'guest' WHERE id = 'pm'",
        "UPDATE signer_key SET key = (SELECT key FROM signer_key WHERE person = 'guest') WHERE person = 'pm'",
        "UPDATE signer_key SET until = NULL, person = 'nobody' WHERE person = 'lead2'",
        "UPDATE delegation SET \"to\" = 'tech'",
        "UPDATE delegation SET until = '2099-01-01T00:00:00.000000Z'",
        "UPDATE site SET owner = 'guest'",
        "UPDATE site SET rules = 9",
        "UPDATE activity SET plan = json_set(plan, '$.policy.quorum', 1) WHERE id = '304@site'",
        "UPDATE activity SET plan = json_set(plan, '$.policy.assurance', 'recorded') WHERE id = '304@site'",
        "UPDATE plan_revision SET document = 'x'",
    ],
)
def test_nothing_is_decided_on_a_forged_table(signed: Ledger, sql: str) -> None:
    """Neither by who forged it, nor by anybody else, who would otherwise sign what they did not mean."""
    forged(signed, sql)
    with pytest.raises(UnreachableError, match="nothing is decided on this record"):
        comment(signed, "tech", "304@site", "mine")
    with pytest.raises(UnreachableError, match="nothing is decided on this record"):
        sign(signed, "lead", "304@site")
    with open_snapshot(signed.site_dir) as snapshot:
        assert snapshot.column("SELECT count(*) FROM comment") == [0]


def test_a_forged_event_of_authority_is_not_believed_either(signed: Ledger) -> None:
    """A plan in the table of events is nothing without a signature of somebody who may adopt it."""
    forged(signed, "DROP TRIGGER event_no_update")
    forged(signed, "UPDATE event SET signature = NULL WHERE kind = 'plan.adopted'")

    with pytest.raises(UnreachableError, match="the signature of pm is invalid"):
        comment(signed, "tech", "304@site", "seen")


def test_honest_changes_of_authority_go_on(signed: Ledger) -> None:
    """Adopted again, lent, ended, revoked: each is in the events as it is in the tables."""
    now = machine_clock()
    withdraw(signed, "lead", "D-0001", "back")
    delegate(signed, "sponsor", "tech", "sponsor", since=now, until=now.replace(year=now.year + 1), reason="on leave")
    plan = every_state_plan(signed=True)
    people = tuple(p for p in plan.people if p.id != "lead2")
    adopt_plan(signed, "pm", plan.model_copy(update={"people": people}), reason="one fewer")
    revoke_key(signed, "pm", "lead", "lost")
    adopt_plan(signed, "pm", plan.model_copy(update={"engine_key": public("sponsor")}), reason="another engine")
    comment(signed, "tech", "304@site", "and on it goes")

    assert audit(signed.site_dir) == []
