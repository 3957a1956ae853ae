"""Programs that a test runs for real. Where one is missing the test is skipped, and the reason names it."""

from __future__ import annotations

import shutil

import pytest

from tests.postgres_server import programs

NO_POSTGRES = "not installed: PostgreSQL"
needs_postgres = pytest.mark.skipif(programs() is None, reason=NO_POSTGRES)
"""The mark of a test that starts a PostgreSQL server of its own. The others use the fixture `postgres`."""


def needs(*programs: str) -> pytest.MarkDecorator:
    """Return the mark of a test that runs these programs."""
    return pytest.mark.skipif(bool(missing(programs)), reason=_reason(missing(programs)))


def require(*programs: str) -> None:
    """Skip the test whose fixture calls this, unless all these programs are on the PATH."""
    if lacking := missing(programs):
        pytest.skip(_reason(lacking))


def missing(programs: tuple[str, ...]) -> list[str]:
    """Return those of these programs that are not on the PATH."""
    return [program for program in programs if shutil.which(program) is None]


def _reason(programs: list[str]) -> str:
    return f"not installed: {', '.join(programs)}"
