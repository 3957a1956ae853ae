"""Report the week on one page of A4, with the details behind it.

As HTML or PDF it is the page that a sponsor is handed: dates against baseline and last week, charts, what slipped and why, orders
at risk, money, quality, and the decisions that are needed by name and day. As Markdown, CSV or JSON it has every row, sorted by owner.

With --organisation it is a contractor's: their work, dates, constraints and what they hand in, and nothing that is the owner's.

Example:
    clusterwright report week --out week.pdf
    clusterwright report week --out week.html
    clusterwright report week --organisation 'Sparks Ltd' --out sparks.pdf

"""

from clusterwright.commands.asking import AskingPast
from clusterwright.commands.options import FormOption, OrganisationOption, OutOption
from clusterwright.reports.handing_on import About, hand_on


def week(
    ask: AskingPast,
    form: FormOption = None,
    out: OutOption = None,
    organisation: OrganisationOption = None,
) -> None:
    hand_on(ask, About("week", organisation), form, out)
