"""State that what software would do was done outside.

Another person then approves it. It is shown as attested for ever, and never as automated.

Example:
    clusterwright attest 143@site --reason 'set up by hand' --evidence playbook.log

"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clusterwright.commands.acting import take_each
from clusterwright.commands.options import Activities, AsOption, AtOption, ReasonOption, SiteOption
from ledger.decisions.evidence import attest as state


def attest(
    activities: Activities,
    reason: ReasonOption,
    evidence: Annotated[list[Path] | None, typer.Option("--evidence", help="A file that shows it.")] = None,
    at: AtOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    take_each(
        site,
        who,
        None,
        activities,
        "attested",
        state,
        reason,
        evidence=evidence or [],
        at=at,
    )
