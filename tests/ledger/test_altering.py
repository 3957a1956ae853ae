"""A record that somebody writes anew: one event changed, all hashes and projections made to fit, signatures by their own key."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ledger.log.chain import canonical_text, event_hash
from ledger.log.columns import FIRST_HASH
from ledger.log.events import event_of
from ledger.project_time import project_now
from ledger.rules.access import ENGINE
from ledger.rules.activity import State
from ledger.stores.file import connect
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import comment, finish, progress
from ledger.trust.anchors import head_anchor
from ledger.trust.audit import audit
from ledger.trust.statements import event_text
from tests.ledger.forging import every_state, others
from tests.ledger.keys import sign_as
from tests.ledger.rebuilding import Row, events, rebuild

pytestmark = [pytest.mark.own_file, pytest.mark.slow]
TRIES = 60
"""How many alterations are tried, of some thousands."""

AUTHORITY = {
    "site": "owner, owner_key, rules, rehearsal",
    "person": "id, account, ssh_key",
    "person_role": "person, role",
    "signer_key": "person, key, until",
    "delegation": '"to", role, until, withdrawn_at',
    "plan_revision": "document",
    "sign_off": "activity, attempt, person, role, decision",
    "waiver": "activity, metric",
    "release": "activity, hosts, playbook_digest",
    "override": "activity",
}
"""Who may decide, and what they decided with their keys."""

OVER = (State.DONE, State.NOT_APPLICABLE)


@pytest.fixture
def signed(tmp_path: Path) -> Path:
    """Return a signed site with something in every state, whose last events nobody signed."""
    site = tmp_path / "site"
    site.mkdir()
    with every_state(site, project_now, signed=True) as ledger:
        for person in ("lead", "lead2"):
            sign(ledger, person, "304@site")
        comment(ledger, "tech", "303@site", "cold aisle is open")
        progress(ledger, "tech", "308@site", percent=40)
        finish(ledger, "tech", "308@site")
        comment(ledger, "lead", "308@site", "looks well")
    return site


def authority(site: Path) -> list[Any]:
    """Return who may decide, what they decided, and what is done."""
    with closing(connect(site)) as db:
        found = [sorted(db.execute(f"SELECT {what} FROM {table}"), key=str) for table, what in AUTHORITY.items()]
        return [*found, sorted(db.execute("SELECT id, state FROM activity WHERE state IN (?, ?)", OVER))]


def altered(rows: list[Row], at: int, chance: random.Random) -> list[Row]:
    """Return the events with one of them changed, left out, doubled or moved."""
    row = rows[at]
    ways: list[Callable[[], list[Row]]] = [
        lambda: [*rows[:at], *rows[at + 1 :]],
        lambda: [*rows[: at + 1], *rows[at:]],
        lambda: [*rows[:at], *rows[at + 1 : at + 2], row, *rows[at + 2 :]],
        lambda: [*rows[:at], row | {"actor": chance.choice(["guest", "sponsor", ENGINE])}, *rows[at + 1 :]],
        lambda: [*rows[:at], row | {"effective_at": "2001-01-01T00:00:00.000000Z"}, *rows[at + 1 :]],
        lambda: [*rows[:at], row | {"signature": None}, *rows[at + 1 :]],
        *[lambda: [*rows[:at], _other_field(row, chance), *rows[at + 1 :]]] * 6,
    ]
    return chance.choice(ways)()


def _other_field(row: Row, chance: random.Random) -> Row:
    said = dict(event_of(row).payload)
    names = [name for name in said if name != "clock_behind_s" and others(name, said[name])]
    if not names:
        return row | {"subject": "301@site"}
    name = chance.choice(sorted(names))
    payload = event_of(row).payload.model_copy(update={name: others(name, said[name])[0]})
    document = payload.model_dump(mode="json", exclude={"clock_behind_s"})
    return row | {"payload": canonical_text(document)}


def numbered(rows: list[Row]) -> list[Row]:
    """Return events numbered and chained anew; what software did is signed by the attacker."""
    made, last = [], FIRST_HASH
    for seq, row in enumerate(rows, start=1):
        chained = row | {"seq": seq, "prev_hash": last}
        chained["hash"] = last = event_hash(chained)
        if row["actor"] == ENGINE:
            chained["signature"] = sign_as("guest", event_text(last))
        made.append(chained)
    return made


def tried(site: Path, aside: Path, rows: list[Row]) -> list[str] | None:
    """Return what the audit finds in a site that was written anew. None if that cannot be replayed at all."""
    shutil.rmtree(aside, ignore_errors=True)
    shutil.copytree(site, aside)
    try:
        rebuild(aside, rows)
    except Exception:  # noqa: BLE001  whatever the rows do to the projections, this ledger is of no use to anybody
        return None
    return [str(finding) for finding in audit(aside)]


def test_an_alteration_is_found_or_changes_nobodys_right(signed: Path, tmp_path: Path) -> None:
    """Before the last signature everything is witnessed; after it, whatever would change authority or a result is refused."""
    rows = events(signed)
    witness = max(row["seq"] for row in rows if row["signature"])
    assert len(rows) - witness == 4
    chance, before = random.Random(15), authority(signed)
    missed = []
    for number in range(TRIES):
        at = chance.randrange(len(rows)) if number % 2 else chance.randrange(witness, len(rows))
        new = numbered(altered(rows, at, chance))
        if [row["payload"] for row in new] == [row["payload"] for row in rows] and new[-1]["hash"] == rows[-1]["hash"]:
            continue
        found = tried(signed, tmp_path / "aside", new)
        if found == [] and (at < witness or authority(tmp_path / "aside") != before):
            missed.append((at + 1, rows[at]["kind"], len(new)))
    assert missed == []


def test_on_a_site_without_keys_an_anchor_is_the_witness(tmp_path: Path) -> None:
    """Nothing in such a file proves itself, so the hash that was kept elsewhere decides."""
    site = tmp_path / "site"
    site.mkdir()
    with every_state(site, project_now, signed=False) as ledger:
        comment(ledger, "tech", "303@site", "cold aisle is open")
    anchor, rows, chance = head_anchor(site), events(site), random.Random(15)
    for _ in range(TRIES // 4):
        new = numbered(altered(rows, chance.randrange(1, len(rows)), chance))
        if [row["hash"] for row in new] == [row["hash"] for row in rows]:
            continue
        found = tried(site, tmp_path / "aside", new)
        assert found is None or audit(tmp_path / "aside", [anchor]) != []
