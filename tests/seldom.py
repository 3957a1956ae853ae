"""Cases of a test that are long, where another of their kind is in every run."""

from __future__ import annotations

from typing import Any

import pytest


def seldom(*case: Any) -> Any:
    """Return a case that is one of the long tests."""
    return pytest.param(*case, marks=pytest.mark.long)
