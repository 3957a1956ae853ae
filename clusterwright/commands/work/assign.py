"""Assign work to a person or to a contractor.

The people of a contractor then report on it. Orders are given to an organisation the same way, by their ids.
An empty organisation takes the work back.

Example:
    clusterwright assign 034@pod-001 --to operator
    clusterwright assign '049@*' --organisation 'Cable Works'

"""

from typing import Annotated

from typer import Option

from clusterwright.commands.acting import Reporting
from clusterwright.commands.options import Activities
from ledger.subjects.work import decisions as work
from ledger.subjects.work.kinds import organisation_assigned
from schedule.errors import InputError


def assign(
    me: Reporting,
    activities: Activities,
    to: Annotated[str | None, Option(metavar="ID", help="The person.")] = None,
    organisation: Annotated[str | None, Option(help="Or the contractor.")] = None,
) -> None:
    if organisation is not None and to is None:
        said = f"given to {organisation}" if organisation else "given to no organisation"
        me.each(activities, said, organisation_assigned.assign_organisation, organisation)
    elif to is not None and organisation is None:
        me.each(activities, f"assigned to {to}", work.assign, to)
    else:
        raise InputError("to whom?", hint="--to PERSON, or --organisation NAME")
