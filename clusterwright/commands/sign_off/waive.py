"""Decide to proceed with criteria unmet.

Each becomes a punch item with the day by which it is made good. Without --metric all unmet criteria are waived.

Example:
    clusterwright waive H08@pod-001 --reason 'anchors follow' --due 2027-01-31 --metric rack.anchors_torqued_ratio

"""

from __future__ import annotations

from datetime import date
from typing import Annotated

import typer

from clusterwright.commands.acting import deciding, matching
from clusterwright.commands.options import DAY, Activities, AsOption, KeyOption, ReasonOption, SiteOption, a_day
from clusterwright.looking import record
from clusterwright.output import say
from clusterwright.where import acting_person
from ledger.decisions import sign_off
from ledger.questions.why import unmet_of
from steps.errors import InputError


def waive(
    activities: Activities,
    reason: ReasonOption,
    due: Annotated[
        date,
        typer.Option(
            "--due",
            parser=a_day,
            metavar=DAY,
            help="By when it is made good.",
        ),
    ],
    metric: Annotated[list[str] | None, typer.Option(help="Which criterion.")] = None,
    key: KeyOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    with record(site) as snapshot:
        person = acting_person(snapshot, who)
        named = {name: metric or unmet_of(snapshot, name) for name in matching(snapshot, activities)}
    with deciding(snapshot.site_dir, person, key) as me:
        for name, metrics in named.items():
            if not metrics:
                raise InputError(f"{name} has no unmet criterion to waive")
            for each in metrics:
                me.take(sign_off.waive, name, each, reason, due)
            say(f"{name}: waived")
