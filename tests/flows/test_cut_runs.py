"""How a team's dispatcher cuts a run into slices: by queue and by number, and not where some hosts serve the others."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from flows.runs.bundle.copy import Tree
from flows.runs.process.place import RunPlace
from flows.runs.run import RunSpec, ignore
from flows.team.exchange_folder import SharedFolder
from flows.team.keys import make_key
from flows.team.pool import Pool
from flows.team.slices import Slices
from steps.design.team import Team
from tests.needs import needs

pytestmark = needs("ssh-keygen")

HOSTS = ("n1", "n2")
IN_HALL_2 = "n1\n[hall_2]\nn2\n"
Cut = tuple[str, tuple[str, ...]]
"""The queue of a slice, and its hosts."""


class Cutting:
    """A dispatcher of a site with two hosts, one in hall 2, and slices of one host."""

    def __init__(self, folder: Path, **queues: str) -> None:
        (folder / "exchange").mkdir()
        make_key(folder / "w", "w")
        settings = {"exchange": "exchange", "prefect": "http://127.0.0.1/api", "queues": queues, "slice_hosts": 1}
        team = Team.model_validate(settings | {"workers": {"w": (folder / "w.pub").read_text()}})
        pool = cast("Pool", SimpleNamespace(name="pool", site="S"))
        self.slices, self.folder = Slices(team, SharedFolder(folder / "exchange"), pool), folder

    def place(self, hosts: str, digest: str = "playbook.one") -> RunPlace:
        """Return where a run reads, with an inventory."""
        inventory = self.folder / "hosts.ini"
        inventory.write_text(hosts, encoding="utf-8")
        return RunPlace(self.folder / "run", Tree(self.folder, self.folder / "a.yml", inventory, digest), None)

    def spec(self, leads: tuple[str, ...] | None = ()) -> RunSpec:
        """Return the terms of a run on both hosts."""
        folder, inventory = self.folder, self.folder / "hosts.ini"
        return RunSpec(folder / "a.yml", inventory, HOSTS, {}, folder / "work", folder / "log", leads=leads)

    def queues(self, hosts: str, digest: str = "playbook.one", leads: tuple[str, ...] | None = ()) -> list[Cut]:
        """Return the queue and the hosts of each slice."""
        cut = self.slices._cut(self.place(hosts, digest), self.spec(leads))
        return [(one.queue, one.hosts) for one in cut]


def test_a_host_that_comes_while_a_dispatcher_leads_goes_to_the_queue_of_its_group(tmp_path: Path) -> None:
    """Its own workers reach it, and perhaps no others."""
    site = Cutting(tmp_path, **{"hall-2": "hall_2"})

    before = site.queues("n1\n[hall_2]\nn9\n", "playbook.before")
    after = site.queues("n1\n[hall_2]\nn2\nn9\n", "playbook.after")

    assert before == [("default", ("n1",)), ("default", ("n2",))]
    assert after == [("default", ("n1",)), ("hall-2", ("n2",))]


@pytest.mark.parametrize("leads", [("n1",), None])
def test_hosts_that_serve_others_are_played_with_them(tmp_path: Path, leads: tuple[str, ...] | None) -> None:
    """Or clients would mount a file system that another slice is about to make."""
    assert Cutting(tmp_path).queues(IN_HALL_2, leads=leads) == [("default", HOSTS)]

    reach = {"hall-2": "hall_2", "everything": "all"}
    (tmp_path / "reach").mkdir()
    site = Cutting(tmp_path / "reach", **reach)
    assert site.queues(IN_HALL_2, leads=leads) == [("everything", HOSTS)]
    assert site.queues(IN_HALL_2) == [("everything", ("n1",)), ("hall-2", ("n2",))]


def test_a_playbook_that_is_wrong_on_some_of_its_hosts_runs_on_none_where_no_worker_reaches_them_all(
    tmp_path: Path,
) -> None:
    """The scheduler's file of each hall would name that hall's nodes alone."""
    site = Cutting(tmp_path, **{"hall-2": "hall_2"})

    found = site.slices.play(site.spec(None), site.place(IN_HALL_2), ignore, ignore, threading.Event())

    assert (found.status, found.hosts) == ("error", [])
    assert "default, hall-2: name a queue in site.yaml whose group has them all" in found.message
