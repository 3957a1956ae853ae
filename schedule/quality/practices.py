"""The ten practices of GAO's schedule assessment guide, as far as a network shows them.

Some are answered by points of the DCMA check; the checks of this module answer what those leave out. A practice is kept as
far as its checks say. Source: GAO-16-89G, 2015.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from schedule.cpm.columns import NONE, Tie
from schedule.cpm.wiring import FREE
from schedule.quality.check import Check, Verdict
from schedule.quality.dates import NO_BASELINE, NO_DATA_DATE
from schedule.quality.shares import Asked, of_activities, of_links
from schedule.quality.subject import Subject

STARTS = Asked(
    "gao-02-starts",
    "Dangling starts",
    "Activities that have predecessors, none of which holds their start (only FF and SF).",
)
FINISHES = Asked(
    "gao-02-finishes", "Dangling finishes", "Activities that have successors, none of which waits for their finish."
)
SF_LINKS = Asked("gao-02-start-to-finish", "Start to finish", "Links from a start to a finish, seldom what is meant.")
CONSTRAINED = Asked(
    "gao-02-constraints", "Date constraints", "Activities that may not start before a date of their own.", 0.05
)
REACHES = Asked(
    "gao-05-reaches-end", "Leads to the end", "Activities for which the end does not wait, by no chain of links."
)
UNBROKEN = Asked(
    "gao-06-chain", "Unbroken chain", "The chain that drives the end begins with the project, not at a date of its own."
)
LAGGED = Asked("gao-06-lags", "Lags on the chain", "Links with lags or leads on the chain that drives the end.")
UNCERTAIN = Asked(
    "gao-08-three-points", "Three points", "Activities that take time and have no three points to draw from."
)
SEQUENCE = Asked("gao-09-sequence", "Out of sequence", "Links that work did not wait for.")
BASELINED = Asked("gao-10-baseline", "In the baseline", "Activities that are not in the baseline.", 0.05)


class GaoPractice(NamedTuple):
    """One of the ten practices: its checks by id, or why a network does not show it."""

    number: int
    name: str
    checks: tuple[str, ...]
    because: str = ""

    def verdict(self, found: Mapping[str, Check]) -> Verdict:
        """Return the worst verdict of its checks; not applicable where none of them is."""
        verdicts = {found[check].verdict for check in self.checks}
        order = (Verdict.FAIL, Verdict.PASS)
        return next((verdict for verdict in order if verdict in verdicts), Verdict.NOT_APPLICABLE)


PRACTICES = (
    GaoPractice(1, "Capture all activities", (), "a network does not say what is missing from it"),
    GaoPractice(
        2,
        "Sequence all activities",
        (
            *("dcma-01", "dcma-02", "dcma-03", "dcma-04", "dcma-05"),
            *(asked.id for asked in (STARTS, FINISHES, SF_LINKS, CONSTRAINED)),
        ),
    ),
    GaoPractice(3, "Assign resources", ("dcma-10",)),
    GaoPractice(4, "Establish durations", ("dcma-08",)),
    GaoPractice(5, "Be traceable", ("dcma-12", REACHES.id), "from level to level a network does not show it"),
    GaoPractice(6, "Have a valid critical path", ("dcma-12", UNBROKEN.id, LAGGED.id)),
    GaoPractice(7, "Have reasonable total float", ("dcma-06", "dcma-07")),
    GaoPractice(8, "Analyse schedule risk", (UNCERTAIN.id,)),
    GaoPractice(9, "Update with progress and logic", ("dcma-09", SEQUENCE.id)),
    GaoPractice(10, "Maintain a baseline", (BASELINED.id, "dcma-11", "dcma-14")),
)


def practices(it: Subject) -> Iterator[Check]:
    """Yield the checks of practices that the DCMA check leaves out."""
    yield from _sequence(it)
    towards = it.network.late_for(it.solution, it.end).finish[it.network.numbers.number]
    yield of_activities(REACHES, np.asarray(towards == FREE), among=it.counted)
    yield from _chain(it)
    if it.known.uncertain is None:
        yield UNCERTAIN.unanswered("the schedule has no three points")
    else:
        yield of_activities(UNCERTAIN, ~it.known.uncertain, among=it.works)
    yield _out_of_sequence(it)
    if it.known.baseline is None:
        yield BASELINED.unanswered(NO_BASELINE)
    else:
        yield of_activities(BASELINED, it.known.baseline == NONE, among=it.counted)


def _sequence(it: Subject) -> Iterator[Check]:
    links, number = it.network.links, len(it.network.activities)
    to_start = (links.type == Tie.FS) | (links.type == Tie.SS)
    from_finish = (links.type == Tie.FS) | (links.type == Tie.FF)
    into, out = (np.bincount(ends, minlength=number) for ends in (links.after, links.before))
    into_start = np.bincount(links.after[to_start], minlength=number)
    out_of_finish = np.bincount(links.before[from_finish], minlength=number)
    yield of_activities(STARTS, (into > 0) & (into_start == 0) & it.open, among=it.counted)
    yield of_activities(FINISHES, (out > 0) & (out_of_finish == 0), among=it.counted)
    yield of_links(SF_LINKS, it, links.type == Tie.SF)
    no_earlier = it.network.activities.no_earlier
    constrained = np.zeros(number, bool) if no_earlier is None else no_earlier != NONE
    yield of_activities(CONSTRAINED, constrained & it.open, among=it.counted)


def _chain(it: Subject) -> Iterator[Check]:
    """Yield what is asked of the chain that drives the end. A chain that begins with what has begun is unbroken."""
    network, on_chain = it.network, np.zeros(len(it.network.activities), bool)
    on_chain[list(it.chain.activities)] = True
    first = it.chain.activities[0]
    no_earlier = network.activities.no_earlier
    held = (
        no_earlier is not None
        and it.open[first]
        and no_earlier[first] == it.solution.work.earliest[network.numbers.number[first]]
    )
    broken = np.zeros(len(on_chain), bool)
    broken[first] = bool(held and it.solution.start[first] > it.begins)
    yield of_activities(UNBROKEN, broken, among=on_chain & it.counted)
    linked = np.zeros(len(network.links), bool)
    linked[list(it.chain.links)] = True
    yield of_links(LAGGED, it, linked & (network.links.lag != 0))


def _out_of_sequence(it: Subject) -> Check:
    if it.data_date is None:
        return SEQUENCE.unanswered(NO_DATA_DATE)
    rows = it.solution.out_of_sequence
    found = of_links(SEQUENCE, it, np.zeros(len(it.network.links), bool))
    of = len(it.network.links)
    verdict = Verdict.FAIL if len(rows) else Verdict.PASS
    return replace(found, verdict=verdict, value=len(rows) / of if of else 0.0, of=of, because="", links=rows)
