"""Say why an activity, an order or a delivery does not go on.

It names what the activity waits for, and what it still needs.

Example:
    clusterwright why 034@pod-001
    clusterwright why '001@site#gpu-server'

"""

from clusterwright.commands.asking import AskingPast
from clusterwright.commands.options import ActivityId
from clusterwright.lapsed import lapsed_releases
from clusterwright.output import in_line
from ledger.questions import why as questions
from ledger.questions.why_supply import Why


def why(
    ask: AskingPast,
    activity: ActivityId,
) -> None:
    with ask.record() as snapshot:
        found = questions.why(snapshot, activity, lapsed_releases(snapshot))
        ask.answer(snapshot, found, lambda: _print(found))


def _print(found: Why) -> None:
    print(in_line(f"{found.activity}: {found.state_sentence}"))
    for unmet in found.unmet:
        through = f" (through {', '.join(unmet.bridged)})" if unmet.bridged else ""
        print(in_line(f"  waits for {unmet.predecessor} {unmet.title}: {unmet.state}{through}; {unmet.reason}"))
    if found.turn is not None:
        print(in_line(f"  {found.turn}"))
    for need in found.needs:
        print(in_line(f"  needs {need}"))
