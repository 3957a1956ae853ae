"""Attach a file as evidence.

Its content is kept under its SHA-256. The place where a photo was taken is removed before.

Example:
    clusterwright attach H08@pod-001 --file torque.csv --kind anchor-torque

"""

from pathlib import Path
from typing import Annotated

from typer import Option

from clusterwright.commands.acting import Reporting
from clusterwright.commands.options import Activities
from ledger.subjects.work import evidence_decisions as evidence


def attach(
    me: Reporting,
    activities: Activities,
    file: Annotated[Path, Option(help="The file.")],
    kind: Annotated[str, Option(help="What it is, as the policy calls it.")],
) -> None:
    me.each(activities, f"{kind} attached", evidence.attach, file, kind)
