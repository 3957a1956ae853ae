"""How the inner loops become machine code, and what they index.

They use integers, indexing in one dimension and `numbers`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from schedule.machine_code import numba

F = TypeVar("F", bound=Callable[..., object])

Ints = list[int]
"""What the inner loops index: arrays of 64 bits, which the type checker sees as lists, so that an element is an `int`."""


def compiled(function: F) -> F:
    """Return the function as machine code, kept on disk for the next process where there is a place for it."""
    try:
        return cast("F", numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:  # neither the package's folder nor a cache folder can be written
        return cast("F", numba.njit(nogil=True)(function))


@compiled
def numbers(count: int, value: int) -> Ints:
    """Return `count` integers, each `value`."""
    return np.full(count, value, np.int64)  # type: ignore[return-value] # an array is indexed as a list is


def native(values: NDArray[np.int64]) -> Ints:
    """Return the integers as the inner loops index them best."""
    return cast("Ints", np.ascontiguousarray(values, np.int64))


def copied(values: Ints) -> Ints:
    """Return the integers once more."""
    return values.copy()
