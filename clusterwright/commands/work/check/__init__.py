"""Check the items of an activity one by one.

Readings are judged at once. An item that fails opens a non-conformance.

Example:
    clusterwright check list H08@pod-001
    clusterwright check item H08@pod-001 hall-1/row-02/rack-01 rack.bond_resistance=50mohm

"""

import sys
from typing import Annotated

from typer import Option

from clusterwright.check_view import checklist_of, print_checklist
from clusterwright.commands.asking import AskingPast, record
from clusterwright.commands.options import ActivityId, AsOfOption, SiteOption
from ledger.questions.case import require_activity
from ledger.questions.checks import unchecked_items
from ledger.questions.site import site_of
from ledger.questions.why import criteria
from schedule.csv_lines import write_rows


def list_(
    ask: AskingPast,
    activity: ActivityId,
    open_only: Annotated[bool, Option("--open", help="Only what is left: open and failed.")] = False,
    history: Annotated[bool, Option("--history", help="Every entry that was ever made.")] = False,
) -> None:
    """List the items of an activity, those that failed first.

    Example:
        clusterwright check list H08@pod-001 --open

    """
    with ask.record() as snapshot:
        row = require_activity(snapshot, activity)
        found = checklist_of(snapshot, row, open_only=open_only, history=history)
        ask.answer(snapshot, found, lambda: print_checklist(found, site_of(snapshot).time_zone))


def template(activity: ActivityId, site: SiteOption = None, as_of: AsOfOption = None) -> None:
    """Print a CSV to fill in, of the items that are left.

    `check import` reads it again. It has a column for each criterion that every item is held against.

    Example:
        clusterwright check template H08@pod-001

    """
    with record(site, as_of) as snapshot:
        metrics = [f"{c.metric} [{c.unit}]" for c in criteria(snapshot, activity) if c.each]
        left = unchecked_items(snapshot, require_activity(snapshot, activity))
    header = ["item", "result", *metrics, "serial", "note", "photo"]
    blank = [""] * (len(header) - 1)
    write_rows(sys.stdout, [header, *([item, *blank] for item in left)])
