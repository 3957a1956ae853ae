"""Show the bounds of an activity's run, and where each comes from.

They are how many hosts are played at once, how often a connection is tried again, and how long a connection, a task and the run may
take. `runs` in site.yaml changes them. With waves they are those of each wave.

Example:
    clusterwright limits 006@site

"""

from clusterwright.commands.asking import Asking
from clusterwright.commands.options import ActivityId
from clusterwright.output import Document
from clusterwright.run_bounds import bounds_of
from ledger.questions.case import require_activity


def limits(ask: Asking, activity: ActivityId) -> None:
    with ask.record() as snapshot:
        found = bounds_of(ask.folder, snapshot, require_activity(snapshot, activity))
        rows = [(name, *limit) for name, limit in found.items()]

        def document() -> Document:
            return {name: limit._asdict() for name, limit in found.items()}

        ask.table(snapshot, rows, ("bound", "value", "from"), lambda row: row, document=document, right=[1])
