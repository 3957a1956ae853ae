"""Look around a site in mid-build, and act as its people.

A rehearsal of one scalable unit is played in simulated time, until its switches are in and its servers on order. Its screens open
then. Your account may act as everybody there, by --as: what you do is recorded as theirs, and is a rehearsal's like everything else.

Example:
    clusterwright tour
    clusterwright tour /tmp/tour

"""

import sys
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from typer import Argument, confirm

from clusterwright.commands.options import PortOption
from clusterwright.first_answers import ZONE, Answers, next_working_day
from clusterwright.output import say
from clusterwright.site_template import write_site
from ledger.account import machine_account
from ledger.private import private_files
from ledger.questions.case import require_activity
from ledger.questions.orders import require_order
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.stores.following import has_ledger
from schedule.errors import InputError
from steps.design.preset import read_preset
from steps.design.site import FILE

PRESET = "superpod-1su"
HALF_WAY = "049@pod-001"
"""The switches are in and the GPU servers are four weeks away: an order can still slip."""
SERVERS = "001@site#gpu-server"
LATER = timedelta(days=21)
LOOK = (
    ("status", "where each phase is, and when go-live is expected"),
    ("why 195 --chain", "what drives the date of go-live"),
    ("list --state running", "who is at work on what"),
    ("orders", "what is bought, what comes when, and what is to be ordered next"),
    ("show 049@pod-001", "one activity: its readings, evidence, signatures and history"),
    ("report week", "the week for a sponsor"),
    ("audit", "whether the record was changed by anything but decisions"),
)
SLIP = (
    (f"impact '{SERVERS}' --days {LATER.days}", "what three weeks would do; nothing is recorded"),
    (
        f"promise '{SERVERS}' --on {{later}} --reason 'the allocation slipped' --as sim-buyer",
        "the supplier's new date, and what it moves",
    ),
    ("slip", "who moved go-live, and by how many days"),
)
RECORD = "switch-configuration.txt"
SIGN = (
    (
        f"attest 048@pod-001 --reason 'configured by hand' --evidence {RECORD} --as sim-network-engineer",
        "a person did what software would do",
    ),
    ("reject 048@pod-001 --reason 'two ports have no label' --as sim-network-lead", "somebody else refuses it"),
    (
        f"attest 048@pod-001 --reason 'all ports are labelled' --evidence {RECORD} --as sim-network-engineer",
        "it is done again",
    ),
    (
        f"attach 048@pod-001 --file {RECORD} --kind run-record --as sim-network-engineer",
        "with the files that its policy asks for",
    ),
    (f"attach 048@pod-001 --file {RECORD} --kind configuration-diff --as sim-network-engineer", "the second one"),
    ("inbox --as sim-network-lead", "what waits for one person"),
    ("sign 048@pod-001 --as sim-network-lead", "it is approved"),
    ("log 048@pod-001", "all of it is on record"),
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
        write_site(folder, Answers(read_preset(PRESET), next_working_day(ZONE)))
    if not _is_half_way(folder):
        _play(folder, port)
    print(f"\nA site in mid-build is in {folder}. In that folder, look around with:\n")
    for words, what in LOOK:
        print(f"  clusterwright {words:<20} {what}")
    print("  clusterwright tui                  the same on screens: ? has the keys\n")
    print("Answer a delivery that comes three weeks later:\n")
    _print_acts(SLIP, _three_weeks_later(folder))
    print("Sign off what was done, as its people:\n")
    _print_acts(SIGN)
    if sys.stdin.isatty() and sys.stdout.isatty() and confirm("Open the screens?", default=True):
        from clusterwright.forms import command_line
        from flows.runs.releases.lapsed import lapsed_releases
        from tui.app import run

        run(folder, command_line(), lapsed_releases)


def _print_acts(acts: tuple[tuple[str, str], ...], later: str = "") -> None:
    for words, what in acts:
        print(f"  clusterwright {words.format(later=later)}\n      {what}")
    print()


def _three_weeks_later(folder: Path) -> str:
    """Return the day three weeks after the one for which the servers are promised now."""
    with open_snapshot(folder) as snapshot:
        promised = require_order(snapshot, SERVERS).promised
    assert promised  # they are ordered when the switches come
    return str(promised + LATER)


def _is_half_way(folder: Path) -> bool:
    """Return whether an earlier tour came as far."""
    if not has_ledger(folder):
        return False
    with open_snapshot(folder) as snapshot:
        return require_activity(snapshot, HALF_WAY).state is State.DONE


def _play(folder: Path, port: int) -> None:
    from clusterwright.rehearsing import prepare_rehearsal  # Prefect, which takes a second
    from flows.rehearsal.rehearse import rehearse

    say("a rehearsal plays eight months of building, which takes about half a minute; nothing is really done")
    with private_files():
        prepare_rehearsal(folder, account=machine_account())
        (folder / RECORD).write_text("hostname leaf-1\nmade up for the tour\n", encoding="utf-8")
        rehearse(folder, port=port, on_message=say, until=HALF_WAY)
