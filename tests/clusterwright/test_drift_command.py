"""`clusterwright drift`: what it says of a site of which nothing can be looked at. Looks themselves: `tests/flows/test_drifting.py`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.clusterwright.one_step import one_step_site
from tests.conftest import Command

NAME = "035@pod-001"


@pytest.fixture
def machine(tmp_path: Path, command: Command) -> Path:
    """This machine as a site of one step, of which nothing was run."""
    return one_step_site(tmp_path / "machine", command, NAME)


def test_where_no_step_has_changed_hosts_nothing_is_looked_at(machine: Path, command: Command) -> None:
    said = command("drift", "--site", machine)
    assert (said.returncode, said.stdout) == (0, "")
    assert "no finished step has changed hosts" in said.stderr
    assert json.loads(command("drift", "--json", "--site", machine).stdout) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (NAME, f"{NAME} cannot be looked at: no finished run of it has changed hosts"),
        ("035@pod-002", f"there is no activity '035@pod-002'\n  did you mean {NAME}"),
    ],
)
def test_what_cannot_be_looked_at_is_refused_by_name(machine: Path, command: Command, name: str, said: str) -> None:
    refused = command("drift", name, "--site", machine)

    assert refused.returncode != 0
    assert said in refused.stderr


def test_a_site_without_an_inventory_is_told_what_it_lacks(adopted: Path, command: Command) -> None:
    refused = command("drift", "--site", adopted)

    assert refused.returncode == 1
    assert "`inventory` in site.yaml" in refused.stderr
