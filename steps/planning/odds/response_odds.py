"""How often each response to a late order is used, what it costs, and how many weeks it buys: the same samples with it and without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.shifts import Minutes
from schedule.crews.levelled_network import CrewedSolution
from schedule.risk.draws import Uses, uses_of
from schedule.risk.model import RiskModel
from schedule.risk.odds import Odds
from schedule.risk.philox import LANES
from schedule.risk.quantiles import Floats
from steps.catalog.terms import Response
from steps.planning.odds.plan_samples import crewed_samples
from steps.planning.odds.response_result import ResponseResult
from steps.planning.odds.responses import DAY_MINUTES, WEEK_MINUTES, deliveries, stem
from steps.planning.plan import Plan

TOGETHER = "all together"


class _Cost(NamedTuple):
    """What a response comes to, by sample."""

    is_used: NDArray[np.bool_]
    usd: Floats
    part_days: Floats


def responded_rows(model: RiskModel) -> set[int]:
    """Return the rows of the deliveries that somebody responds to."""
    return set(model.network.numbers.order[model.durations.responding.number].tolist())


def response_odds(
    plan: Plan, crewed: CrewedSolution, model: RiskModel, finishes: Mapping[int, Minutes], live: int, *, seed: int
) -> tuple[ResponseResult, ...]:
    """Return what each response comes to, and all of them together. Nothing where nobody responds.

    `finishes` are the samples of the model by row: of go-live, which is row `live`, and of `responded_rows`.
    """
    if not model.responses:
        return ()
    went_live = finishes[live]
    samples = len(went_live)
    uses = _uses(model, samples, seed)
    rows = model.network.numbers.order[uses.number].tolist()
    delivered = np.stack([finishes[row] for row in rows])

    def odds(name: str, cost: _Cost, *responses: str) -> ResponseResult:
        less = crewed_samples(crewed, model.without(*responses), [live], samples=samples, seed=seed)[0]
        kinds = [_response(one) for one in responses]
        items = tuple(dict.fromkeys(item for kind in kinds for item in plan.responses[kind]))
        return ResponseResult(
            name,
            items,
            used_share=float(cost.is_used.mean()),
            usd_mean=float(cost.usd.mean()),
            usd_p80=float(_quantile(np.round(cost.usd).astype(np.int64), 0.8)),
            unpriced=_unpriced(plan, kinds),
            weeks_p50=(_quantile(less, 0.5) - _quantile(went_live, 0.5)) / WEEK_MINUTES,
            weeks_p80=(_quantile(less, 0.8) - _quantile(went_live, 0.8)) / WEEK_MINUTES,
            part_days=float(cost.part_days.mean()),
        )

    costs = {}
    for number, name in enumerate(model.responses):
        own = uses.response == number
        names = [model.network.activities.names[row] for row, is_own in zip(rows, own, strict=True) if is_own]
        costs[name] = _cost(
            plan, _response(name), names, uses.is_used[own], delivered[own] + uses.saved[own] - went_live
        )
    found = [odds(name, cost, name) for name, cost in costs.items()]
    if len(found) > 1:
        is_used, usd, part_days = (np.stack(column) for column in zip(*costs.values(), strict=True))
        whole = _Cost(np.asarray(is_used.any(axis=0)), usd.sum(axis=0), part_days.max(axis=0))
        found.append(odds(TOGETHER, whole, *costs))
    return tuple(found)


def _uses(model: RiskModel, samples: int, seed: int) -> Uses:
    """Return the uses of the responses in all samples."""
    groups = [uses_of(model, seed, group) for group in range(ceil(samples / LANES))]
    is_used = np.concatenate([one.is_used for one in groups], axis=1)[:, :samples]
    saved = np.concatenate([one.saved for one in groups], axis=1)[:, :samples]
    return Uses(groups[0].number, groups[0].response, is_used, saved)


def _response(name: str) -> Response:
    return next(one for one in Response if one.words == name)


def _quantile(of: Minutes, level: float) -> int:
    return Odds(of).quantile(level).value


def _unpriced(plan: Plan, responses: Sequence[Response]) -> tuple[str, ...]:
    """Return the items without a price. What goes on with a part costs no share of a price, but days of the site."""
    items = {item for one in responses if one is not Response.PARTIAL_SERVICE for item in plan.responses[one]}
    return tuple(sorted({order.item for order, _ in deliveries(plan, items) if order.usd is None}))


def _cost(
    plan: Plan, response: Response, names: Sequence[str], is_used: NDArray[np.bool_], after_live: Minutes
) -> _Cost:
    """Return what one response costs. All arrays have a row a delivery of `names`.

    `after_live` is by how many minutes the whole of a delivery comes after go-live, negative where it comes before.
    """
    figures = plan.figures
    in_any = np.asarray(is_used.any(axis=0))
    bought = {tranche.id: (order, tranche) for order, tranche in deliveries(plan, plan.responses[response])}
    own = [bought[name] for name in names]
    share = np.array([[float(tranche.quantity / order.quantity)] for order, tranche in own])
    if response is Response.PARTIAL_SERVICE:
        until_full = after_live + DAY_MINUTES * figures["partial_service_fit_days"]
        days = np.where(is_used, np.maximum(until_full, 0) / DAY_MINUTES, 0.0)
        lost = (1 - figures["partial_service_share"]) * share
        return _Cost(in_any, (lost * days * plan.slip_day_usd).sum(axis=0), days.max(axis=0))
    price = np.array([[order.usd or 0.0] for order, _ in own]) * share
    usd = (price * figures[f"{stem(response)}_premium"] * is_used).sum(axis=0)
    return _Cost(in_any, usd, np.zeros(len(usd)))
