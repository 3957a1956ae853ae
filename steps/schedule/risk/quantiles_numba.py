"""The functions of `quantiles`, made known to numba: compiled code that calls them has the same formulas in the same order."""

from __future__ import annotations

from collections.abc import Callable

from numba.extending import overload, register_jitable

from steps.schedule.risk import quantiles
from steps.schedule.risk.quantiles import either, lognormal, pert, triangular

__all__ = ["lognormal", "pert", "triangular"]


@overload(either)
def _either(condition: bool, yes: float, no: float) -> Callable[[bool, float, float], float]:  # noqa: ARG001 - numba asks with types
    def choose(condition: bool, yes: float, no: float) -> float:
        return yes if condition else no

    return choose


for _function in (quantiles.polynomial, quantiles.exp, quantiles.log, quantiles.normal, triangular, lognormal, pert):
    register_jitable(_function)
