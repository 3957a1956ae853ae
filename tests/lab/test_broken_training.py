"""What people are promised of training runs, broken on their hosts: a profile that costs much, and one that is not written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.as_engine import Reader
from tests.lab.conftest import made_alone
from tests.lab.playing import played

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(1800)]

NAMES = """
- hosts: all
  gather_facts: false
  roles: [os_baseline]
"""
START = "/etc/python3.11/sitecustomize.py"
ALL_OF_IT = """
try:
    import torch.profiler as profiler
    class Everything(profiler.profile):
        def __init__(self, **terms):
            super().__init__(**terms | {"with_stack": True, "record_shapes": True, "profile_memory": True})
    profiler.profile = Everything
except ImportError:
    pass
"""
"""What records stacks, shapes and memory in every profile of a host, whatever a run asks for."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    for lab in made_alone("cwbrok", "10.81.16.0/22", "rack"):
        names: Path = tmp_path_factory.mktemp("plays") / "names.yml"
        names.write_text(NAMES, encoding="utf-8")
        played(lab, names)
        yield Reader(lab, tmp_path_factory.mktemp("readings"))


def test_a_profile_that_costs_much_and_one_that_is_not_written_are_found(site: Reader) -> None:
    metric = "profile.overhead"
    well, _ = site.read("180", metric, "node-01")["node-01"]

    record = f"cp {START} /root; cat >>{START} <<'END'{ALL_OF_IT}END"
    with site.broken("node-01", record, f"cp /root/sitecustomize.py {START}"):
        dear, _ = site.read("180", metric, "node-01")["node-01"]
    with site.broken("node-01", "mount -t tmpfs -o size=200k tmpfs /tmp", "umount /tmp"):
        unwritten = site.read("180", metric, "node-01")["node-01"]

    assert well < 5 < dear
    assert unwritten[0] is None
    assert "with a profile: " in unwritten[1]
