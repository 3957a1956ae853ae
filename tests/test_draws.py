"""Property tests draw the same examples in each run, whatever else is loaded, and others where they are asked to."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
from importlib import import_module

from hypothesis import given, settings, strategies as st
from tests import conftest

profile, *modules = sys.argv[1:]
settings.load_profile(profile)
for module in modules:
    import_module(module)

@given(st.integers(0, 10**9), st.lists(st.integers(0, 60)), st.text())
@settings(max_examples=300)
def draw(one, more, text):
    print(one, more, ascii(text))

draw()
"""


def drawn(profile: str, *modules: str) -> str:
    """Return the examples of one test in a process that has some modules loaded."""
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, profile, *modules], check=True, capture_output=True, encoding="utf-8"
    )
    return ran.stdout


def test_the_same_examples_are_drawn_whatever_is_loaded() -> None:
    """Each worker of the tests has other modules loaded."""
    assert drawn("clusterwright") == drawn("clusterwright", "steps.planning.planner", "ledger.log.events")


def test_random_examples_are_drawn_where_they_are_asked_for() -> None:
    """As `make bench-properties` does."""
    assert drawn("random") != drawn("random")
