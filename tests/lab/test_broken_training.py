"""What people are promised of training runs, broken on their hosts by their own tools: each is found.

A profile that costs much or is not written, a setting that is far slower than it need be, a run that cannot be repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.as_engine import Reader
from tests.lab.conftest import made_alone
from tests.lab.playing import NAMES, played

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(1800)]

HOSTS = ("mgmt", "node-01", "node-02")
NODES = HOSTS[1:]
EXPORTERS = """
- hosts: compute
  gather_facts: false
  roles: [node_exporter]
"""
"""Brings the folder where instruments leave their series, and the certificate with which a run is filed."""

START = "/etc/python3.11/sitecustomize.py"
ALL_OF_IT = """
try:
    import torch.profiler as profiler
    class Everything(profiler.profile):
        def __init__(self, **terms):
            super().__init__(**terms | {"with_stack": True, "record_shapes": True, "profile_memory": True})
        def stop(self):
            super().stop()
            for by in "cpu_time_total", "self_cpu_time_total", "cpu_memory_usage", "self_cpu_memory_usage", "count":
                self.key_averages(group_by_input_shape=True, group_by_stack_n=8).table(sort_by=by)
    profiler.profile = Everything
except ImportError:
    pass
"""
"""What records stacks, shapes and memory in every profile of a host, and sums them up five times in the run, whatever it asks for."""

SMALL = {"batch": 8, "learning_rate": 0.02}
LARGE = {"batch": 32, "learning_rate": 0.2}
HASTY = {"batch": 64}
PATIENT = {"batch": 8, "learning_rate": 0.1}
"""Settings of the small job: `LARGE` is faster than `SMALL` and learns better, `HASTY` is fastest and learns worse, `PATIENT` is slow and learns best."""

REPETITION = "/etc/systemd/system/training@smoke-183-again.service.d"
TRACKING = "/etc/systemd/system/mlflow.service"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    for lab in made_alone("cwbrok", "10.81.16.0/22", "rack"):
        plays: Path = tmp_path_factory.mktemp("plays") / "plays.yml"
        plays.write_text(NAMES + EXPORTERS, encoding="utf-8")
        played(lab, plays)
        yield Reader(lab, tmp_path_factory.mktemp("readings"))


def test_a_profile_that_costs_much_and_one_that_is_not_written_are_found(site: Reader) -> None:
    metric = "profile.overhead"
    well, _ = site.read("180", metric, "node-01")["node-01"]

    record = f"cp {START} /root; cat >>{START} <<'END'{ALL_OF_IT}END"
    with site.broken("node-01", record, f"cp /root/sitecustomize.py {START}"):
        dear, _ = site.read("180", metric, "node-01")["node-01"]
    with site.broken("node-01", "mount -t tmpfs -o size=320k tmpfs /tmp", "umount /tmp"):
        unwritten = site.read("180", metric, "node-01")["node-01"]

    assert well < 5 < dear
    assert unwritten[0] is None
    assert "with a profile: " in unwritten[1]


def test_a_setting_that_is_far_slower_than_another_is_found_and_the_best_one_is_met(site: Reader) -> None:
    """What is fast and learns worse is refused, and what an earlier sweep tried counts no longer."""
    metric = "training.unused_speed_up"
    terms = {"training_sweep_samples": 4096}

    tried = {"usual": SMALL, "large": LARGE, "hasty": HASTY}
    slow, found = site.read("185", metric, *NODES, training_sweep_candidates=tried, **terms)["node-01"]
    tried = {"usual": LARGE, "patient": PATIENT}
    well, note = site.read("185", metric, *NODES, training_sweep_candidates=tried, **terms)["node-01"]

    assert slow > 5, found
    assert found.startswith("best of the others: large; ")
    assert re.search("hasty [^;]+, learns worse", found)
    assert found.count("learns worse") == 1
    assert well < 0, note
    assert note.startswith("best of the others: patient; ")


def test_a_run_that_cannot_be_repeated_or_filed_is_found_and_a_service_that_asks_nobody(site: Reader) -> None:
    """Without its vector instructions a processor adds in another order, so that the last digits differ."""
    metric, login = "experiment.repeated_ok", "service.answers_without_login"
    well = site.measured("183", *HOSTS)

    other = (
        f"mkdir {REPETITION}; printf '[Service]\\nEnvironment=ATEN_CPU_CAPABILITY=default\\n' >{REPETITION}/other.conf"
    )
    asks_nobody = (
        f"mkdir {TRACKING}.d; (printf '[Service]\\nExecStart=\\n'; sed -n 's/--app-name basic-auth//; /^ExecStart/p' {TRACKING})"
        f" >{TRACKING}.d/open.conf"
    )
    again = "systemctl daemon-reload; systemctl restart mlflow"
    with (
        site.broken("node-02", f"{other}; systemctl daemon-reload", f"rm -r {REPETITION}; systemctl daemon-reload"),
        site.broken("mgmt", f"{asks_nobody}; {again}", f"rm -r {TRACKING}.d; {again}"),
    ):
        found = site.measured("183", *HOSTS)
    chain = "add table inet shut; add chain inet shut out { type filter hook output priority 0; }"
    shut = f"nft '{chain}; add rule inet shut out tcp dport 5000 reject'"
    with site.broken("node-01", shut, "nft delete table inet shut"):
        unfiled = site.read("183", metric, *NODES)

    assert well[metric]["node-01"][0] is True
    assert well[login]["node-01"][0] == 0
    repeated, note = found[metric]["node-01"]
    assert repeated is False, note
    assert found[login]["node-01"][0] == 1
    assert unfiled["node-01"] == (
        None,
        "not measured: experiment ended with exit status 1: the run smoke-183 was filed nowhere",
    )
