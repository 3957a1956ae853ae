"""Chooses once, at import, whether the inner loops run as machine code (extra `[fast]`) or as plain Python.

The loops are written once. They use integers, indexing in one dimension and `numbers`, so that both ways return the same
values. Without numba they run on lists, which Python indexes three times as fast as arrays.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., object])

Ints = list[int]
"""What the inner loops index: lists, and with numba arrays of 64 bits, which the type checker sees as lists too."""

FAST = not os.environ.get("CLUSTERWRIGHT_PLAIN") and find_spec("numba") is not None
"""Whether the inner loops are machine code. The environment variable CLUSTERWRIGHT_PLAIN turns it off."""

if FAST or TYPE_CHECKING:
    from schedule.machine_code import numba

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

else:

    def compiled(function: F) -> F:
        """Return the function as it is."""
        return function

    def numbers(count: int, value: int) -> Ints:
        """Return `count` integers, each `value`."""
        return [value] * count

    def native(values: NDArray[np.int64]) -> Ints:
        """Return the integers as the inner loops index them best."""
        return np.asarray(values, np.int64).tolist()


def copied(values: Ints) -> Ints:
    """Return the integers once more."""
    return values.copy()
