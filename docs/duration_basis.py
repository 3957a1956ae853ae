"""What the durations, lead times and lags of each phase rest on, now and in version 0.2: part of docs/reference/durations.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from steps.catalog.lint.bases import times_of
from steps.catalog.loader import Catalog
from steps.catalog.terms import Phase
from steps.planning.network.basis import Basis, basis_of

ASSUMED_IN_0_2 = {
    Phase.PROCUREMENT: (28, 30),
    Phase.SERVER_ASSEMBLY: (59, 61),
    Phase.NETWORKING: (73, 76),
    Phase.POWER: (71, 84),
    Phase.COOLING: (55, 57),
    Phase.STORAGE: (27, 27),
    Phase.SOFTWARE_STACK: (42, 42),
    Phase.MONITORING: (20, 23),
    Phase.GO_LIVE: (14, 14),
}
"""By phase how many times of the catalog of version 0.2 were assumptions, and how many times there were."""

WORDS = {
    Basis.CITED: "a document or a page that is named with its figure",
    Basis.CALCULATION: "worked out from a named figure, by the formula in the text",
    Basis.ANALOGY: "the same work as that of another step",
    Basis.JUDGEMENT: "who does what for how long, estimated by us, with a range",
    Basis.ASSUMPTION: "none of these",
}


def duration_basis(catalog: Catalog) -> Iterator[str]:
    """Yield the section: the kinds of basis, then a table of shares by phase."""
    yield "\n## What they rest on\n"
    yield (
        "The source of a time begins with its basis where it is no citation. A duration rests on the weaker of its fixed time and "
        "its rate. `clusterwright plan` prints the share of the days of the critical path on each basis, and `plan --json` "
        "lists every part of that path with its basis and days. A judgement is still an estimate of ours: it says what was estimated, "
        "so that a builder can put the site's own figure in its place.\n"
    )
    yield "| basis | it is |"
    yield "|---|---|"
    for basis, words in WORDS.items():
        yield f"| {basis} | {words} |"
    found = {phase: _counted(catalog, phase) for phase in Phase}
    assumed, of_all = (sum(column) for column in zip(*ASSUMED_IN_0_2.values(), strict=True))
    yield "\nDurations, rates, lead times and lags of the catalog, in percent of those of the phase:\n"
    yield f"| phase | times | {' | '.join(Basis)} | assumption in 0.2 |"
    yield f"|---|---|{'---|' * (len(Basis) + 1)}"
    for phase, counted in found.items():
        yield _row(phase.value, counted, *ASSUMED_IN_0_2[phase])
    yield _row("all", sum(found.values(), Counter[Basis]()), assumed, of_all)


def _counted(catalog: Catalog, phase: Phase) -> Counter[Basis]:
    steps = (entry.step for entry in catalog.values() if entry.step.phase is phase)
    return Counter(basis_of(time.source) for step in steps for time in times_of(step))


def _row(name: str, counted: Counter[Basis], assumed: int, of_all: int) -> str:
    shares = (f"{counted[basis] / counted.total():.0%}" for basis in Basis)
    return f"| {name} | {counted.total()} | {' | '.join(shares)} | {assumed / of_all:.0%} |"
