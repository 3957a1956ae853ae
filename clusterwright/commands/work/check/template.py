"""Print a CSV to fill in, of the items that are left.

`check import` reads it again. It has a column for each criterion that every item is held against.

Example:
    clusterwright check template H08@pod-001

"""

import sys

from clusterwright.commands.asking import record
from clusterwright.commands.options import ActivityId, AsOfOption, SiteOption
from ledger.questions.case import require_activity
from ledger.questions.checks import unchecked_items
from ledger.questions.why import criteria
from schedule.csv_lines import write_rows


def template(activity: ActivityId, site: SiteOption = None, as_of: AsOfOption = None) -> None:
    with record(site, as_of) as snapshot:
        metrics = [f"{c.metric} [{c.unit}]" for c in criteria(snapshot, activity) if c.each]
        left = unchecked_items(snapshot, require_activity(snapshot, activity))
    header = ["item", "result", *metrics, "serial", "note", "photo"]
    blank = [""] * (len(header) - 1)
    write_rows(sys.stdout, [header, *([item, *blank] for item in left)])
