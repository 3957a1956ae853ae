"""Record what the facility is or can supply, with evidence.

Whatever asks for the fact is then worked out. `why` names the facts that an activity lacks.

Example:
    clusterwright fact 114@hall-1 plant.capacity_one_unit_out=3.2MW --evidence plant.pdf

"""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Reporting
from clusterwright.commands.options import ActivityId
from ledger.entries import fact_of
from ledger.subjects.facts.decisions import record_facts


def fact(
    me: Reporting,
    activity: ActivityId,
    facts: Annotated[list[str], Argument(metavar="NAME=VALUE...", help="As plant.capacity_one_unit_out=3.2MW.")],
    evidence: Annotated[list[Path], Option(help="A file that shows it.")],
    source: Annotated[str, Option(help="Which document, drawing or person says so.")] = "",
) -> None:
    entries = [fact_of(text) for text in facts]
    said = ", ".join(facts)
    me.each(
        [activity],
        said,
        record_facts,
        entries,
        evidence=evidence,
        source=source,
    )
