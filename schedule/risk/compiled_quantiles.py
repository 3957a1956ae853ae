"""The functions of `quantiles`, made known to numba: compiled code that calls them has the same formulas in the same order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import overload, register_jitable

from schedule.risk import quantiles
from schedule.risk.quantiles import either


@overload(either)
def _either(condition: bool, yes: float, no: float) -> Callable[[bool, float, float], float]:  # noqa: ARG001 - numba asks with types
    def choose(condition: bool, yes: float, no: float) -> float:
        return yes if condition else no

    return choose


def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function itself, which numba now compiles where it is called. There it takes and returns numbers."""
    known: Callable[..., Any] = register_jitable(function)
    return known


for _part in (quantiles.polynomial, quantiles.exp, quantiles.log, quantiles.normal):
    _compiled(_part)
triangular = _compiled(quantiles.triangular)
lognormal = _compiled(quantiles.lognormal)
pert = _compiled(quantiles.pert)
