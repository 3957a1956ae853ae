"""Another account of this machine, for tests about who may do what. Only root can change to one."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from typing import Any

import pytest

NOBODY_HAS = 61_234
"""A number of an account that has no name."""

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another account")


def as_account(uid: int, function: Callable[[], Any]) -> Any:
    """Return what a function returns, or raise what it raises, in a process of another account without further groups."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        try:
            said: tuple[bool, Any] = True, function()
        except Exception as error:  # noqa: BLE001  the parent raises it
            said = False, error
        os.write(writing, pickle.dumps(said))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        returned, result = pickle.loads(file.read())
    os.waitpid(child, 0)
    if not returned:
        raise result
    return result
