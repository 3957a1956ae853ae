"""Slow functions whose value follows from their arguments alone. A run of the tests computes each value once.

Hundreds of tests plan the same few sites. No value is kept for the next run, which may have other code.
"""

from __future__ import annotations

import hashlib
import pickle
import time
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

import numpy as np

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")

WORTH_KEEPING_S = 0.05
"""A value that took fewer seconds is not kept: a file takes as long to write and to read."""


def remembered(function: Callable[Arguments, Value], folder: Path) -> Callable[Arguments, Value]:
    """Return the function. It keeps its values in a folder of this run, and returns a new copy to each call."""
    folder.mkdir(exist_ok=True)

    @wraps(function)
    def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Value:
        digest = hashlib.sha256(pickle.dumps([_plain(args), [(name, _plain(kwargs[name])) for name in sorted(kwargs)]]))
        file = folder / f"{function.__name__}-{digest.hexdigest()}"
        if file.exists():
            kept: Value = pickle.loads(file.read_bytes())
            return kept
        began = time.process_time()
        value = function(*args, **kwargs)
        if time.process_time() - began >= WORTH_KEEPING_S:
            making = file.with_suffix(f".{time.time_ns()}")
            making.write_bytes(pickle.dumps(value))
            making.rename(file)
        return value

    return call


def _plain(value: object) -> object:
    """Return the fields of an argument. A cached property is no field: it would make equal arguments different."""
    if is_dataclass(value):
        return [type(value).__name__, *(_plain(getattr(value, one.name)) for one in fields(value))]
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
