"""Step types, and what is known of them before any work: the three points of their durations, as a normal of log ratios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from schedule.cpm.shifts import Indices
from schedule.errors import InputError
from schedule.risk.quantiles import Floats
from schedule.risk.spreads import Estimates, quantiles_at, quantiles_of

POINTS = 512
"""Quantiles by which a distribution is taken: its moments are right to three digits."""
LEAST_SPREAD = 0.05
"""Of a log ratio: what is planned to the minute still takes a twentieth more or less. Source: assumption."""
LEAST_RATIO, MOST_RATIO = 0.05, 20.0
"""Of actual to planned. A record beyond them says how it was entered, not how long the work took. Source: assumption."""


@dataclass(frozen=True, eq=False)
class StepTypes:
    """Columns of shape (steps,), but for `trades`. A log ratio is the logarithm of actual over most likely duration."""

    names: tuple[str, ...]
    trades: tuple[str, ...]
    """Names of the trades, each once."""
    trade: Indices
    """The trade of each step type."""
    mean: Floats
    """The log ratio that the three points expect. It is above zero where they lean to the long side."""
    spread: Floats
    """The standard deviation of a single activity's log ratio."""

    def __len__(self) -> int:
        return len(self.names)


def step_types(names: Sequence[str], estimates: Estimates, trades: Sequence[str] | None = None) -> StepTypes:
    """Return the step types with the prior that their three points say, or InputError for the first wrong row, by name.

    Args:
        names: of the step types, each once.
        estimates: three points a step type, in any unit: only their ratios count.
        trades: the trade of each step type, whose rates have something in common. Without, there is one trade.

    """
    number = len(names)
    for column, what in ((estimates, "estimates"), (trades, "trades")):
        if column is not None and len(column) != number:
            raise InputError(f"{number} step types have {len(column)} {what}", hint="every column has one row each")
    twice = next((name for name in names if list(names).count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two step types have the name {twice!r}", hint="rename one of them")
    every_trade, trade = np.unique(np.array(trades or [""] * number, np.str_), return_inverse=True)
    log_ratios = _log_ratios(names, estimates)
    return StepTypes(
        tuple(names),
        tuple(str(name) for name in every_trade),
        trade.astype(np.int32),
        log_ratios.mean(axis=1),
        np.maximum(log_ratios.std(axis=1), LEAST_SPREAD),
    )


def _log_ratios(names: Sequence[str], estimates: Estimates) -> Floats:
    """Return log ratios at even steps of probability; 0 for what takes no time. Shape (steps, POINTS)."""
    drawn = quantiles_of(estimates, lambda row: f"step type {names[row]!r}")
    even = (np.arange(POINTS) + 0.5) / POINTS
    durations = quantiles_at(drawn, np.tile(even, (len(names), 1)))
    takes_time = estimates.likely > 0
    ratios = np.where(takes_time[:, None], durations, 1.0) / np.where(takes_time, estimates.likely, 1.0)[:, None]
    return np.asarray(np.log(np.clip(ratios, LEAST_RATIO, MOST_RATIO)))
