"""State that what software would do was done outside.

Another person then approves it. It is shown as attested for ever, and never as automated.

Example:
    clusterwright attest 143@site --reason 'set up by hand' --evidence playbook.log

"""

from pathlib import Path
from typing import Annotated

from typer import Option

from clusterwright.commands.acting import Reporting
from clusterwright.commands.handing import say_shut_out
from clusterwright.commands.options import Activities, ReasonOption
from ledger.subjects.work.evidence_decisions import attest as state


def attest(
    me: Reporting,
    activities: Activities,
    reason: ReasonOption,
    evidence: Annotated[list[Path] | None, Option(help="A file that shows it.")] = None,
) -> None:
    say_shut_out(me, activities, attests=True)
    me.each(
        activities,
        "attested",
        state,
        reason,
        evidence=evidence or [],
    )
