"""List what waits for you; exit code 4 when something does.

That is your work and your signatures, by your roles, each with the command that deals with it.

Example:
    clusterwright inbox
    clusterwright inbox --as reviewer --json

"""

from clusterwright.commands.asking import AskingPast
from clusterwright.commands.options import AsOption
from clusterwright.output import Cells
from clusterwright.where import acting_person
from flows.runs.releases.lapsed import lapsed_releases
from ledger.questions import inbox as questions
from ledger.questions.inbox import InboxRow
from schedule.errors import WaitingError


def inbox(ask: AskingPast, who: AsOption = None) -> None:
    with ask.record() as snapshot:
        person = acting_person(snapshot, who)
        rows = questions.inbox(snapshot, person, lapsed_releases(snapshot))
        headers = ("activity", "what", "do", "as", "missing evidence")
        ask.table(snapshot, rows, headers, _cells, empty=f"nothing waits for {person}")
    if rows and not ask.as_json:
        waiting = "1 decision waits" if len(rows) == 1 else f"{len(rows)} decisions wait"
        raise WaitingError(f"{waiting} for {person}")


def _cells(r: InboxRow) -> Cells:
    return r.activity, r.title, r.action, r.role, ", ".join(r.missing_evidence)
