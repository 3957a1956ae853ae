"""What remains, as the risk engine takes it: an estimate by row, and drivers for the rates that are not known exactly.

A rate that is off is off for all pods that remain. So its uncertainty is no part of an activity's own estimate: it is a risk driver
that multiplies all activities of the step type by the same number. One more is shared by a trade, and one by all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import exp, sqrt
from typing import NamedTuple

import numpy as np

from schedule.cpm.shifts import Indices
from schedule.errors import InputError
from schedule.learning.beyond import quantile_beyond
from schedule.learning.learn import Learned
from schedule.risk.drivers import RiskDriver, Rows
from schedule.risk.quantiles import Floats
from schedule.risk.spreads import Estimates, Family, Spread

OUTER_POINT = 1.2815515655446004
"""The standard normal quantile of P90: a lognormal's outer points are P10 and P90."""
CERTAIN = 1e-4
"""A spread of a log ratio below it is none: a minute in a week."""


class Outlook(NamedTuple):
    """What `risk_model` takes: estimates by row, of the whole activity or of what remains of it, and drivers."""

    estimates: Estimates
    drivers: tuple[RiskDriver, ...]


class Shares(NamedTuple):
    """The variance of log rates, parted so that each part is one number for all that share it."""

    site: float
    trade: Floats
    step: Floats


def outlook(
    learned: Learned, planned: Estimates, step: Indices, *, worked: Floats | None = None, turn: Floats | None = None
) -> Outlook:
    """Return estimates and drivers of what remains, or InputError if the columns do not fit.

    Args:
        learned: the rates.
        planned: the plan's estimates by row, of whole activities, in minutes of work.
        step: the step type by row, -1 for rows that keep their planned estimate: what is done, milestones, lead times.
        worked: minutes of work by row that an activity which runs has worked until the data date; 0 for all others.
        turn: which time the step is done, by row; 1 in other rows. Needed if the history has turns.

    """
    _check(learned, planned, step, worked, turn)
    rows = np.flatnonzero((step >= 0) & (planned.likely > 0))
    own = step[rows]
    median, spread = planned.likely[rows] * np.exp(learned.mean[own]), learned.single[own]
    if turn is not None:
        median = median * learned.practice.factor(turn[rows])
    points = np.stack([median * np.exp(side * OUTER_POINT * spread) for side in (-1.0, 0.0, 1.0)])
    if worked is not None:
        for place in np.flatnonzero(worked[rows] > 0):
            points[:, place] = _rest(float(median[place]), float(spread[place]), float(worked[rows[place]]))
    remains = Estimates(planned.family.copy(), planned.low.copy(), planned.likely.copy(), planned.high.copy())
    remains.family[rows] = Family.LOGNORMAL
    remains.low[rows], remains.likely[rows], remains.high[rows] = points
    drivers = _drivers(learned, rows, own, median)
    if turn is not None:
        drivers += _practice(learned, rows, own, np.log2(turn[rows]))
    return Outlook(remains, drivers)


def shares_of(learned: Learned, work: Floats) -> Shares:
    """Return the covariance of rates as three layers of independent parts.

    The parts that are shared are means over pairs of step types, weighed by the `work` that remains of each (shape (steps,)), so
    the variance of the work that remains in all is kept wherever the parts leave something for the step types.
    """
    trade = learned.types.trade
    in_trade = (trade[:, None] == np.arange(len(learned.types.trades))).astype(np.float64)
    pairs = np.outer(work, work)
    np.fill_diagonal(pairs, 0.0)
    weighed = pairs * learned.covariance
    in_same = np.diagonal(in_trade.T @ weighed @ in_trade), np.diagonal(in_trade.T @ pairs @ in_trade)
    apart = weighed.sum() - in_same[0].sum(), pairs.sum() - in_same[1].sum()
    site = max(apart[0] / apart[1], 0.0) if apart[1] > 0 else 0.0
    same = in_same[0] / np.where(in_same[1] > 0, in_same[1], 1.0)
    of_trade = np.maximum(np.where(in_same[1] > 0, same - site, 0.0), 0.0)
    of_step = np.maximum(np.diagonal(learned.covariance) - site - of_trade[trade], 0.0)
    return Shares(float(site), of_trade, of_step)


def _drivers(learned: Learned, rows: Rows, own: Indices, median: Floats) -> tuple[RiskDriver, ...]:
    """Return a driver for each part of the rates that more than nothing is left of."""
    types = learned.types
    work = np.bincount(own, median, minlength=len(types)).astype(np.float64)
    shares = shares_of(learned, work)
    found = [_driver("rates of the site", shares.site, rows)]
    found += _each("rates of trade", types.trades, shares.trade, types.trade[own], rows)
    found += _each("rate of step", types.names, shares.step, own, rows)
    return tuple(driver for driver in found if driver is not None and len(driver.activities))


def _practice(learned: Learned, rows: Rows, own: Indices, doublings: Floats) -> tuple[RiskDriver, ...]:
    """Return what is not known of practice: all step types have the same luck, the more the farther their turns are from those seen."""
    number = np.bincount(own, minlength=len(learned.types))
    mean = np.bincount(own, doublings, minlength=len(learned.types)) / np.maximum(number, 1)
    spread = learned.practice.spread * np.maximum(mean - learned.practice.seen, 0.0)
    found = _each("practice, step", learned.types.names, spread**2, own, rows)
    return tuple(replace(driver, luck="practice") for driver in found if driver is not None and len(driver.activities))


def _each(what: str, names: Sequence[str], variances: Floats, which: Indices, rows: Rows) -> list[RiskDriver | None]:
    return [
        _driver(f"{what} {name}", float(variances[index]), rows[which == index]) for index, name in enumerate(names)
    ]


def _driver(name: str, variance: float, rows: Rows) -> RiskDriver | None:
    factor = exp(OUTER_POINT * sqrt(variance))
    if variance <= CERTAIN**2:
        return None
    return RiskDriver(name, 1.0, Spread(1.0 / factor, 1.0, factor, Family.LOGNORMAL), rows)


def _rest(median: float, spread: float, worked: float) -> tuple[float, ...]:
    """Return P10, P50 and P90 of what remains of an activity that has taken `worked` minutes and is not finished."""
    limit = float(np.log(worked / median)) / spread
    return tuple(worked * (exp(spread * quantile_beyond(limit, level)) - 1.0) for level in (0.1, 0.5, 0.9))


def _check(learned: Learned, planned: Estimates, step: Indices, worked: Floats | None, turn: Floats | None) -> None:
    for column, what in ((step, "step types"), (worked, "minutes worked"), (turn, "turns")):
        if column is not None and len(column) != len(planned):
            raise InputError(
                f"{len(planned)} estimates have {len(column)} {what}", hint="every column has one row each"
            )
    wrong = (step < -1) | (step >= len(learned.types))
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(f"row {row} has the step type {step[row]}; there are {len(learned.types)}", hint="-1 is none")
    if turn is not None and (turn < 1).any():
        row = int((turn < 1).argmax())
        raise InputError(f"row {row} has the turn {turn[row]:g}", hint="the first time is 1")
    if turn is None and learned.practice.spread > 0:
        raise InputError("practice was learned, and the turns of what remains are missing", hint="pass `turn` by row")
