"""A rehearsed site with deliveries that come one by one, the site as it was at any of its moments, and what its exports lose."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from clusterwright.exporting import exported
from clusterwright.incoming import compared
from clusterwright.rehearsing import prepare_rehearsal
from flows.rehearsal.course import CLOSING
from ledger.past import snapshot_as_of
from ledger.questions.orders import orders
from ledger.reading import open_snapshot
from ledger.stores.file import FORMAT, LEDGER_FILE
from ledger.stores.sqlite import TRIGGERS
from schedule.exchange.primavera import ID_FIELD
from schedule.exchange.reading import read_exchange
from schedule.exchange.writing import Form
from tests.commands import called
from tests.conftest import last_event
from tests.rehearsals import play_without_server
from tests.schedule.lost import lost
from tests.schedule.mpxj_files import read_by_mpxj

SETTINGS = "overrides: {nodes: 64, pods_per_tranche: 1}"
"""Two pods, and a delivery for each of them."""
PROGRAMS = (Form.MSPDI, Form.PMXML, Form.XER)
"""The forms that MPXJ reads."""


class Moment(NamedTuple):
    """The number of a rehearsal's event, and the orders of which half of the deliveries were there after it."""

    seq: int
    half_received: tuple[str, ...]


def rehearsed(site: Path, *, settings: str = SETTINGS, until: str = CLOSING) -> None:
    """Make a superpod-1su site, and play its rehearsal without a server."""
    done = called(("init", "--preset", "superpod-1su", "--start", "2026-11-23", site))
    assert done.returncode == 0, done.stderr
    file = site / "site.yaml"
    file.write_text(file.read_text().replace("overrides: {}", settings))
    prepare_rehearsal(site)
    play_without_server(site, until=until)


def moments(site: Path, number: int, random: Random) -> list[Moment]:
    """Return random moments of a rehearsal at which half of the deliveries of an order were received."""
    found: list[Moment] = []
    seqs = list(range(1, last_event(site) + 1))
    random.shuffle(seqs)
    for seq in seqs:
        if len(found) == number:
            break
        with snapshot_as_of(open_snapshot(site), str(seq)) as snapshot:
            half = tuple(
                order.id
                for order in orders(snapshot)
                if 2 * sum(one.received_at is not None for one in order.tranches) == len(order.tranches)
            )
        if half:
            found.append(Moment(seq, half))
    return found


def cut(site: Path, seq: int, target: Path) -> Path:
    """Return a copy of a site whose record ends with an event."""
    shutil.copytree(site, target, ignore=shutil.ignore_patterns(f"{LEDGER_FILE}*"))
    with snapshot_as_of(open_snapshot(site), str(seq)) as snapshot, sqlite3.connect(target / LEDGER_FILE) as file:
        snapshot.db.backup(file)
        for trigger in TRIGGERS.values():
            file.execute(trigger)
        file.execute(f"PRAGMA user_version={FORMAT}")
    (target / LEDGER_FILE).chmod(0o600)
    return target


def faults(site: Path, scratch: Path) -> Iterator[str]:
    """Yield what is wrong with the schedules that a site exports, in all forms.

    MPXJ must find all of the schedule in those of other programs. Reading any form again must propose nothing.
    """
    schedule = exported(site).schedule
    for form in Form:
        path = scratch / f"plan.{form}"
        wrote = called(["export", "schedule", path, "--site", site])
        if wrote.returncode:
            yield f"{form}: {wrote.stderr}"
            continue
        if form in PROGRAMS:
            found = lost(schedule, read_by_mpxj(path, id_field=ID_FIELD), has_baseline=form is not Form.XER)
            yield from (f"{form}: {one}" for one in found)
        if form is not Form.ICS:
            # nobody has an account of a simulated person, so that the command itself would refuse to act
            difference = compared(site, read_exchange(path))
            yield from (f"{form} proposes {one}" for one in difference.proposals)
            yield from (f"{form} has no {name}" for name in difference.missing)
