"""Look around a site in mid-build, and act as its people.

A rehearsal of one scalable unit is played until its servers are powered on, in simulated time. Its screens open then. Your account
may act as everybody there, by --as: what you do is recorded as theirs, and is a rehearsal's like everything else.

Example:
    clusterwright tour
    clusterwright tour /tmp/tour

"""

import sys
from pathlib import Path
from typing import Annotated

from typer import Argument, confirm

from clusterwright.commands.options import PortOption
from clusterwright.first_answers import ZONE, Answers, today_in
from clusterwright.output import say
from clusterwright.site_template import write_site
from ledger.account import machine_account
from ledger.private import private_files
from ledger.questions.case import require_activity
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.stores.following import has_ledger
from schedule.errors import InputError
from steps.design.preset import read_preset
from steps.design.site import FILE

PRESET = "superpod-1su"
HALF_WAY = "031@pod-001"
LOOK = (
    ("status", "where each phase is, and when go-live is expected"),
    ("why 195 --chain", "what drives the date of go-live"),
    ("list --state running", "who is at work on what"),
    ("orders", "what is bought, what comes when, and what is to be ordered next"),
    ("show 031@pod-001", "one activity: its readings, evidence, signatures and history"),
    ("report week", "the week for a sponsor"),
    ("audit", "whether the record was changed by anything but decisions"),
)

READING = "phase-currents.txt"
ACT = (
    ("inbox --as sim-licensed-electrician", "what waits for one person"),
    (
        f"attest 088@pod-001 --reason 'read at the PDUs' --evidence {READING} --as sim-licensed-electrician",
        "a person did what no software can",
    ),
    ("reject 088@pod-001 --reason 'rack 3 is missing' --as sim-electrical-lead", "somebody else refuses it"),
    (
        f"attest 088@pod-001 --reason 'all racks read' --evidence {READING} --as sim-licensed-electrician",
        "it is done again",
    ),
    (
        f"attach 088@pod-001 --file {READING} --kind phase-current-log --as sim-licensed-electrician",
        "with the file that its policy asks for",
    ),
    ("sign 088@pod-001 --as sim-electrical-lead", "and approved"),
    ("log 088@pod-001", "all of it is on record"),
)


def tour(
    folder: Annotated[Path, Argument(help="Where the site is made; a tour that is there goes on.")] = Path(
        "clusterwright-tour"
    ),
    port: PortOption = 4200,
) -> None:
    if not (folder / FILE).exists():
        if folder.exists() and any(folder.iterdir()):
            raise InputError(f"{folder} has other files", hint="name a folder that is empty, or none")
        write_site(folder, Answers(read_preset(PRESET), today_in(ZONE)))
    if not _is_half_way(folder):
        _play(folder, port)
    print(f"\nA site in mid-build is in {folder}. In that folder, look around with:\n")
    for words, what in LOOK:
        print(f"  clusterwright {words:<20} {what}")
    print("  clusterwright tui                  the same on screens: ? has the keys\n")
    print("Or act as its people, one after the other:\n")
    for words, what in ACT:
        print(f"  clusterwright {words}\n      {what}")
    print()
    if sys.stdin.isatty() and sys.stdout.isatty() and confirm("Open the screens?", default=True):
        from clusterwright.forms import command_line
        from flows.runs.releases.lapsed import lapsed_releases
        from tui.app import run

        run(folder, command_line(), lapsed_releases)


def _is_half_way(folder: Path) -> bool:
    """Return whether an earlier tour came as far."""
    if not has_ledger(folder):
        return False
    with open_snapshot(folder) as snapshot:
        return require_activity(snapshot, HALF_WAY).state is State.DONE


def _play(folder: Path, port: int) -> None:
    from clusterwright.rehearsing import prepare_rehearsal  # Prefect, which takes a second
    from flows.rehearsal.rehearse import rehearse

    say("a rehearsal plays ten months of building, which takes about half a minute; nothing is really done")
    with private_files():
        prepare_rehearsal(folder, account=machine_account())
        (folder / READING).write_text("L1 312 A, L2 308 A, L3 315 A: made up for the tour\n", encoding="utf-8")
        rehearse(folder, port=port, on_message=say, until=HALF_WAY)
