"""A test of each kind of event that has a module of its own. It also says how its decision is taken.

Whatever tries every decision finds it here: `COMMANDS` for random walks, with a person and an activity, and `CALLS` for every role,
on the site of `tests/ledger/test_access.py`. `ENTERED` has the fields that somebody enters, all others are forged. `WHO_MAY` has rows of the hand-written table of who may, in the form of
`tests/ledger/who_may.yaml`. Nobody lists such tests.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from ledger.writing import Ledger

TESTS = [import_module(f"{__name__}.{path.stem}") for path in sorted(Path(__file__).parent.glob("test_*.py"))]

COMMANDS: dict[str, Callable[[Ledger, str, str, Any], object]] = {}
CALLS: dict[str, Callable[[Ledger, str], object]] = {}
ENTERED: dict[str, set[str]] = {}
WHO_MAY: dict[str, dict[str, Any]] = {}
for test in TESTS:
    COMMANDS |= test.COMMANDS
    CALLS |= test.CALLS
    ENTERED |= test.ENTERED
    WHO_MAY |= getattr(test, "WHO_MAY", {})
