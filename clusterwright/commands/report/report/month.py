"""Report the month on one page of A4, with the details behind it: as `report week`, held against the same day of the month before.

Example:
    clusterwright report month --out november.pdf
    clusterwright report month --as-of 2026-10-31 --out october.html

"""

from clusterwright.commands.asking import AskingPast
from clusterwright.commands.options import FormOption, OrganisationOption, OutOption
from clusterwright.reports.handing_on import About, hand_on


def month(
    ask: AskingPast,
    form: FormOption = None,
    out: OutOption = None,
    organisation: OrganisationOption = None,
) -> None:
    hand_on(ask, About("month", organisation), form, out)
