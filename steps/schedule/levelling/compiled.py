"""Chooses once, at import, whether the inner loops run as machine code (extra `[fast]`) or as plain Python.

The loops are written once. They use integers, indexing in one dimension and `numbers`, so that both ways return the same
values. Without numba they run on lists, which Python indexes three times as fast as arrays.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., object])
Ints = NDArray[np.int64]

try:
    if os.environ.get("CLUSTERWRIGHT_PLAIN"):
        raise ImportError
    import numba

    FAST = True
except ImportError:
    FAST = False

if FAST or TYPE_CHECKING:

    def compiled(function: F) -> F:
        """Return the function as machine code, kept on disk for the next process where there is a place for it."""
        try:
            return numba.njit(cache=True, nogil=True)(function)  # type: ignore[no-any-return] # numba has no types
        except RuntimeError:  # neither the package's folder nor a cache folder can be written
            return numba.njit(nogil=True)(function)  # type: ignore[no-any-return] # numba has no types

    @compiled
    def numbers(count: int, value: int) -> Ints:
        """Return `count` integers, each `value`."""
        return np.full(count, value, np.int64)

    def native(values: Ints) -> Ints:
        """Return the integers as the inner loops index them best."""
        return np.ascontiguousarray(values, np.int64)

    def copied(values: Ints) -> Ints:
        """Return the integers once more."""
        return values.copy()

else:

    def compiled(function: F) -> F:
        """Return the function as it is."""
        return function

    def numbers(count: int, value: int) -> list[int]:
        """Return `count` integers, each `value`."""
        return [value] * count

    def native(values: Ints) -> list[int]:
        """Return the integers as the inner loops index them best."""
        return np.asarray(values, np.int64).tolist()

    def copied(values: list[int]) -> list[int]:
        """Return the integers once more."""
        return values.copy()
