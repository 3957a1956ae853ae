"""Forecasts of simulated buildouts from the pods that are built: by the plan, by the last pod, and by what is learned.

python -m benchmarks.learning                 400 buildouts of each kind, and docs/evidence/learning.md
python -m benchmarks.learning --replays 40    fewer, printed only
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.buildouts import Buildout, Hidden, Known, Pod, catalog_pod, less, scaled
from schedule.learning.history import History
from schedule.learning.learn import learn
from schedule.learning.outlook import Outlook, outlook
from schedule.learning.step_types import StepTypes, step_types
from schedule.risk.model import risk_model
from schedule.risk.odds import Odds
from schedule.risk.quantiles import Floats
from schedule.risk.running import run

EVIDENCE = Path(__file__).resolve().parents[1] / "docs" / "evidence" / "learning.md"
REPLAYS, PODS, SAMPLES = 400, 16, 256
BUILT = (1, 2, 3, 5)
"""Pods that are built at the data dates."""
LEVEL, BAND = 0.8, (0.75, 0.85)
DAY = 1440
SEED = 17

HIDDEN = (
    Hidden("none"),
    Hidden("mild", site=0.10, trade=0.10, step=0.12, slow=0.02, bad=0.02),
    Hidden("strong", site=0.25, trade=0.20, step=0.30, slow=0.08, bad=0.05),
    Hidden("mild, and practice", site=0.10, trade=0.10, step=0.12, slow=0.02, bad=0.02, practice=0.93),
)


class Forecaster:
    """The ways to forecast a buildout from what is known at its data date."""

    def __init__(self, buildout: Buildout) -> None:
        self.buildout = buildout

    @cached_property
    def types(self) -> StepTypes:
        """The pod's step types, with the catalog's three points."""
        pod = self.buildout.pod
        return step_types(pod.names, pod.points, pod.trades)

    @cached_property
    def turn(self) -> Floats:
        """Which time the step is done, by row: the number of the pod."""
        rows = np.arange(len(self.buildout.step))
        return np.where(self.buildout.step >= 0, rows // len(self.buildout.pod) + 1, 1).astype(np.float64)

    def plan_only(self, known: Known) -> Outlook:
        """Return the plan's three points, less what is worked."""
        return Outlook(less(self.buildout.planned, _worked(known)), ())

    def last_value(self, known: Known) -> Outlook:
        """Return three points about the last finished activity of each step type, taken as its expected duration."""
        ratio = np.ones(len(self.buildout.pod))
        rows = np.flatnonzero(known.done & (self.buildout.planned.likely > 0))
        rows = rows[np.argsort(known.actuals.finished[rows], kind="stable")]
        own = self.buildout.step[rows]
        ratio[own] = known.worked[rows] / self.buildout.planned.likely[rows] / np.exp(self.types.mean[own])
        factor = np.where(self.buildout.step >= 0, ratio[self.buildout.step], 1.0)
        return Outlook(less(scaled(self.buildout.planned, factor), _worked(known)), ())

    def learned(self, known: Known) -> Outlook:
        """Return what the learning makes of all that is finished and runs."""
        return self._learned(known, self.turn)

    def learned_without_turns(self, known: Known) -> Outlook:
        """Return the same, if it is not passed which pod each activity is of."""
        return self._learned(known, None)

    def _learned(self, known: Known, turn: Floats | None) -> Outlook:
        rows = np.flatnonzero((known.done | known.running) & (self.buildout.step >= 0))
        history = History(
            self.buildout.step[rows],
            self.buildout.planned.likely[rows],
            known.worked[rows],
            known.done[rows],
            turn=None if turn is None else turn[rows],
        )
        remaining = np.where(known.done, -1, self.buildout.step)
        return outlook(learn(self.types, history), self.buildout.planned, remaining, worked=_worked(known), turn=turn)


METHODS: dict[str, Callable[[Forecaster, Known], Outlook]] = {
    "plan only": Forecaster.plan_only,
    "last value": Forecaster.last_value,
    "learned": Forecaster.learned,
    "learned without turns": Forecaster.learned_without_turns,
}


class Score(NamedTuple):
    """One forecast against what happened, in days; the date is met by P80, or it is not."""

    hidden: str
    built: int
    method: str
    error: float
    """Of P50: below zero if the forecast was too early."""
    p80_error: float
    remaining: float

    @property
    def pinball(self) -> float:
        """The pinball loss of P80: what it costs to be too early weighs four times what it costs to be too late."""
        return max(-LEVEL * self.p80_error, (1.0 - LEVEL) * self.p80_error)


class Cell(NamedTuple):
    """The scores of one method at one data date."""

    coverage: float
    bias: float
    absolute: float
    pinball: float
    remaining: float
    replays: int

    @property
    def is_in_band(self) -> bool:
        """Whether P80 was kept between 75 and 85 times in a hundred."""
        return BAND[0] <= self.coverage <= BAND[1]


def methods_for(hidden: Hidden) -> tuple[str, ...]:
    """Return the methods to compare. What turns are for is seen where there is practice."""
    return tuple(METHODS) if hidden.practice != 1.0 else ("plan only", "last value", "learned")


def replays(forecaster: Forecaster, hidden: Hidden, number: int, *, pods: tuple[int, ...] = BUILT) -> Iterator[Score]:
    """Yield the scores of the methods of `number` buildouts, each when some numbers of pods are built."""
    buildout, random = forecaster.buildout, np.random.default_rng([SEED, len(hidden.name)])
    for replay in range(number):
        truth = buildout.truth(hidden, random)
        for built in pods:
            known = truth.known(truth.after_pod(built))
            for method in methods_for(hidden):
                looks = METHODS[method](forecaster, known)
                model = risk_model(buildout.network, looks.estimates, drivers=looks.drivers, actuals=known.actuals)
                odds = Odds(run(model, [buildout.end], seed=replay, samples=SAMPLES, chains=False).samples[0])
                p50, p80 = (odds.quantile(level).value - truth.end for level in (0.5, LEVEL))
                remaining = truth.end - known.actuals.data_date
                yield Score(hidden.name, built, method, p50 / DAY, p80 / DAY, remaining / DAY)


def cell(scores: list[Score]) -> Cell:
    """Return what scores are on average."""
    return Cell(
        float(np.mean([score.p80_error >= 0 for score in scores])),
        float(np.mean([score.error for score in scores])),
        float(np.mean([abs(score.error) for score in scores])),
        float(np.mean([score.pinball for score in scores])),
        float(np.mean([score.remaining for score in scores])),
        len(scores),
    )


def cells_of(scores: list[Score]) -> dict[tuple[str, int, str], Cell]:
    """Return a cell for each kind of hidden rates, data date and method."""
    keys = dict.fromkeys((score.hidden, score.built, score.method) for score in scores)
    return {key: cell([score for score in scores if score[:3] == key]) for key in keys}


def report(scores: list[Score], number: int, seconds: float, pod: Pod) -> str:
    """Return the page of evidence."""
    cells = cells_of(scores)
    tables = "\n\n".join(_table(hidden, cells) for hidden in HIDDEN)
    outside = [
        f"- {method}, {hidden}, after pod {built}: {100 * found.coverage:.1f} %"
        for (hidden, built, method), found in cells.items()
        if method.startswith("learned") and not found.is_in_band
    ]
    error = 100 * np.sqrt(LEVEL * (1 - LEVEL) / number)
    pooled = cell([score for score in scores if score.method == "learned"])
    return f"""# Forecasts learned from the pods already built

Written by `python -m benchmarks.learning` on {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, in {seconds / 60:.0f} minutes of {os.cpu_count()} shared {platform.machine()} cores
(Python {platform.python_version()}, numpy {np.__version__}). [What is learned, and how](../explanation/learning.md).

{number} buildouts of each kind: the {np.count_nonzero(pod.points.likely)} steps of a pod of `h100-10k` that take time, with the catalog's three points, trades and links, on
{PODS} pods; each step has a crew that goes from pod to pod. A forecast is made when 1, 2, 3 and 5 pods are done, from actual starts and finishes until then
and nothing else. By then the crews of early steps are several pods ahead, and the history has their work too. {SAMPLES} samples a forecast.

The hidden rates are not drawn from the model that learns. A site's factor is a shifted gamma that leans to the slow side; a
trade's is uniform, a step's Laplace; some steps are 1.5 to 3.5 times as slow; single activities are triangular between the catalog's
points, and some take half as long again.

| kind | site | trade | step | slow steps | bad days | each doubling of pods |
|---|---|---|---|---|---|---|
{chr(10).join(f"| {h.name} | {h.site:.2f} | {h.trade:.2f} | {h.step:.2f} | {100 * h.slow:.0f} % | {100 * h.bad:.0f} % | x {h.practice:.2f} |" for h in HIDDEN)}

Spreads are standard deviations of logarithms. *Kept* is how often P80 was kept: it should be 80 %, and the standard error of each
figure is {error:.1f} points. *Bias* is the mean error of P50 in days, below zero if it was too early; *error* is its mean absolute error; *pinball* is the mean
pinball loss of P80. All are of the end of the buildout.

{tables}

## What it says

- Learned, over all kinds and data dates: P80 was kept {100 * pooled.coverage:.1f} % of {pooled.replays:,} forecasts of {len(HIDDEN) * number:,} buildouts.
- After pod 3 the mean absolute error of P50 is {_after_three(cells)}.
- Learned P80 that was kept less than {100 * BAND[0]:.0f} % or more than {100 * BAND[1]:.0f} %:{" none." if not outside else chr(10) + chr(10).join("  " + line for line in outside)}
"""


def _after_three(cells: dict[tuple[str, int, str], Cell]) -> str:
    parts = [
        f"{cells[hidden.name, 3, 'learned'].absolute:.1f} days learned and {cells[hidden.name, 3, 'plan only'].absolute:.1f} by the plan ({hidden.name})"
        for hidden in HIDDEN
    ]
    return "; ".join(parts)


def _table(hidden: Hidden, cells: dict[tuple[str, int, str], Cell]) -> str:
    rows = [
        f"| {built} | {found.remaining:.0f} | {method} | {100 * found.coverage:.1f} % | {found.bias:+.1f} | {found.absolute:.1f} | {found.pinball:.1f} |"
        for (name, built, method), found in cells.items()
        if name == hidden.name
    ]
    head = "| pods built | days that remain | forecast | kept | bias | error | pinball |\n|---|---|---|---|---|---|---|"
    return f"## Hidden rates: {hidden.name}\n\n{head}\n{chr(10).join(rows)}"


def main() -> None:
    """Replay all kinds, print the report, and write it if no replay was left out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replays", type=int, default=REPLAYS)
    wanted = parser.parse_args()
    forecaster = Forecaster(Buildout(catalog_pod(), PODS))
    begun = time.perf_counter()
    scores: list[Score] = []
    for hidden in HIDDEN:
        scores += replays(forecaster, hidden, wanted.replays)
        print(_table(hidden, cells_of(scores)), flush=True)
    text = report(scores, wanted.replays, time.perf_counter() - begun, forecaster.buildout.pod)
    print(text.rpartition("## ")[2])
    if wanted.replays >= REPLAYS:
        EVIDENCE.write_text(text, encoding="utf-8")


def _worked(known: Known) -> Floats:
    return np.where(known.running, known.worked, 0.0)


if __name__ == "__main__":
    main()
