"""The last steps before go-live on real hosts: the benchmark of the contract, and a rehearsal of disaster recovery.

What must be found is made by the real tool: a port that is slow by tc, one whose MTU is changed between two runs, a repository that is
overwritten, a copy that lacks a file, one that is days old. The work of a training step is a pause, as all hosts share two cores.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.lab.conftest import made_alone
from tests.lab.lab import Lab
from tests.lab.playing import NAMES, Played, find, played
from tests.lab.reaching import broken, ssh, until

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(3600)]

BENCHMARK, DRILL = "go_live/189_benchmark_cluster.yml", "go_live/190_disaster_recovery.yml"
BACKUP = "storage/138_backup.yml"
STEPS = (NAMES, "144", "145", "146", "H38", "H40", "156", "H41", "H39", "H42", BACKUP)
LOST = "/home/project"
# with a pause of 0.2 s a server does seven tenths of it
CONTRACT = {"server_tflops": 6.5e-6, "runs": 2, "spread": 0.5, "minutes": 0.1, "job": {"steps": 60, "step_s": 0.2}}
SETTINGS = {
    # homes are the file system that all share, and what is copied
    "storage_backup_paths": ["/home"],
    "storage_backup_sample_mib": 16,
    # an environment without a framework: nothing is downloaded
    "frameworks_environments": {"plain": ["pip"]},
    "reference_run_terms": {"interface": "eth1"},
    "contract_benchmark_terms": CONTRACT,
    "recovery_drill_paths": ["/home/.backup-sample", LOST],
    "recovery_drill_minutes": 60,
    "recovery_drill_data_hours": 24,
}
MFU, INTERRUPTIONS = "training.mfu", "training.interruptions_over_model"
TIME, DATA = "recovery.time_over_objective", "recovery.data_lost_over_objective"
FILES = f"""mkdir -p {LOST}/notes && cd {LOST} && seq 100000 >notes/one && head -c 3M /dev/urandom >two && echo three >'a [b] * c'
ln -sf notes/one link && chown -hR cwproof: . && chmod 600 notes/one && touch -d 2025-05-01 two"""
SUMS = f"find {LOST} -type f -exec sha256sum {{}} + | sort; find {LOST} -printf '%p %l %u %m %t\\n' | sort; sha256sum </home/.backup-sample"
RESTIC = "set -a; . /etc/clusterwright/backup.env; set +a; restic"
COPIES = "/srv/backup/shared"
VICTIM = "node-03"

Readings = dict[str, tuple[Any, str]]


class Site:
    """A lab with homes, copies of them, Slurm and the small job."""

    def __init__(self, lab: Lab, settings: Path) -> None:
        self.lab, self.settings = lab, settings

    def play(self, playbook: str, *options: str, **variables: object) -> tuple[Played, Readings]:
        """Play a playbook. Return the run, and value and note of each metric."""
        more = ("-e", json.dumps(variables)) if variables else ()
        ran = played(self.lab, playbook, "-v", "-e", f"@{self.settings}", *more, *options)
        return ran, ran.proofs

    def machine(self) -> str:
        """Return the machine id of the host that the drill erases."""
        return ssh(self.lab, VICTIM, "cat /etc/machine-id")

    def sums(self) -> str:
        """Return digests, owners, rights and times of what is lost."""
        return ssh(self.lab, "mgmt", SUMS)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    for lab in made_alone("cwgl", "10.92.0.0/22", "drills"):
        folder = tmp_path_factory.mktemp("plays")
        settings = folder / "settings.json"
        settings.write_text(json.dumps(SETTINGS), encoding="utf-8")
        for step in STEPS:
            plays: Path | str = folder / "plays.yml"
            if "\n" in step:
                folder.joinpath("plays.yml").write_text(step, encoding="utf-8")
            else:
                plays = step if "/" in step else find(step)
            if step == BACKUP:
                ssh(lab, "mgmt", FILES)
            played(lab, plays, "--skip-tags", "proof", "-e", f"@{settings}")
        yield Site(lab, settings)


@pytest.fixture(scope="module")
def benchmark(site: Site) -> Readings:
    """Return what the benchmark finds where nothing is wrong."""
    return site.play(BENCHMARK)[1]


def test_runs_as_the_contract_says_reach_its_figures(benchmark: Readings) -> None:
    value, note = benchmark[MFU]

    assert value >= 0.35, note
    assert re.match(
        r"the small job on processors, by gloo, over 3 servers: median \d+ tokens/s of 2 runs, which are", note
    )
    assert "; slow: none; configuration " in note
    assert benchmark[INTERRUPTIONS][0] == 0


def test_a_server_that_is_slow_misses_the_agreed_figure_and_is_named(site: Site, benchmark: Readings) -> None:
    slow = "tc qdisc replace dev eth1 root tbf rate 300kbit burst 16kb latency 400ms"
    with broken(site.lab, slow, "tc qdisc del dev eth1 root", "node-02"):
        _, found = site.play(BENCHMARK, "--tags", "proof", contract_benchmark_terms=CONTRACT | {"runs": 1})

    value, note = found[MFU]
    assert value < 0.35, note
    assert "; slow: node-02 (to reach: " in note


def test_a_configuration_that_changes_between_runs_is_refused_and_named(site: Site, benchmark: Readings) -> None:
    first = "/home/cwproof/reference/benchmark-1/outcome.json"
    ssh(site.lab, "mgmt", "rm -rf /home/cwproof/reference/benchmark-*")

    def change() -> None:
        until(lambda: ssh(site.lab, "mgmt", f"ls {first} 2>/dev/null || true"), lambda said: said == first, seconds=600)
        ssh(site.lab, "node-02", "ip link set eth1 mtu 1400")

    changing = Thread(target=change)
    changing.start()
    with broken(site.lab, "true", "ip link set eth1 mtu 1500", "node-02"):
        _, found = site.play(BENCHMARK, "--tags", "proof")
        changing.join()
        _, other = site.play(
            BENCHMARK,
            "--tags",
            "proof",
            contract_benchmark_terms=CONTRACT | {"configuration": benchmark[MFU][1].rpartition(" ")[2]},
        )

    assert found[MFU][0] is None
    assert re.fullmatch(r"the configuration changed during run [12] of 2: MTU of eth1 of node-02", found[MFU][1])
    assert other[MFU][0] is None
    assert re.fullmatch(r"the configuration is \w+, and \w+ was agreed", other[MFU][1])


@contextmanager
def spoilt(lab: Lab, by: str) -> Iterator[None]:
    """Spoil the copies by a command, and bring them back whatever happens."""
    ssh(lab, "mgmt", f"rm -rf {COPIES}.away; cp -a {COPIES} {COPIES}.away")
    try:
        ssh(lab, "mgmt", by)
        yield
    finally:
        ssh(lab, "mgmt", f"rm -rf {COPIES} /var/cache/restic; mv {COPIES}.away {COPIES}")


SPOILT = {
    "gone": (f"rm -rf {COPIES}", "there is no scheduled copy, or the repository cannot be read"),
    "overwritten": (
        f"for f in {COPIES}/data/*/*; do dd if=/dev/zero of=$f bs=4k seek=1 count=64 conv=notrunc status=none; done",
        "did not come back: /home/",
    ),
    "incomplete": (
        f"{RESTIC} backup --quiet --tag scheduled --exclude {LOST}/notes/one /home",
        f"1 of 7 did not come back: {LOST}/notes/one is not there",
    ),
}


@pytest.mark.parametrize("copies", SPOILT)
def test_copies_from_which_not_all_comes_back_are_found_and_no_host_is_erased(site: Site, copies: str) -> None:
    by, why = SPOILT[copies]
    before, machine = site.sums(), site.machine()
    with spoilt(site.lab, by):
        _, found = site.play(DRILL)

    assert found[TIME][0] is None
    assert why in found[TIME][1]
    assert found[TIME][1].endswith("; no host was erased")
    assert found[DATA] == (None, found[TIME][1].removesuffix("; no host was erased"))
    assert site.machine() == machine
    assert site.sums() == before


def test_a_copy_that_is_too_old_is_found_and_nothing_is_lost(site: Site) -> None:
    forget = f'{RESTIC} forget --quiet $({RESTIC} snapshots --json | grep -o \'"short_id":"[^"]*\' | cut -d\'"\' -f4)'
    days = f"{RESTIC} backup --quiet --tag scheduled --time \"$(date -d '2 days ago' '+%F %T')\" /home"
    machine = site.machine()
    with spoilt(site.lab, f"{forget}; {days}"):
        _, found = site.play(DRILL)

    value, note = found[DATA]
    assert value == pytest.approx(2, abs=0.01), note
    assert "48.0 h old where 24 h were agreed" in note
    assert found[TIME][0] is None
    assert site.machine() == machine


def test_without_agreed_times_and_in_check_mode_nothing_is_lost(site: Site) -> None:
    unknown, found = site.play(DRILL, recovery_drill_minutes=0)
    checked, nothing = site.play(DRILL, "--check")

    assert {value for value, _ in found.values()} == {None}
    assert found[TIME][1].startswith("no times were agreed")
    assert (nothing, unknown.changes, checked.changes) == ({}, 0, 0)


def test_lost_data_and_a_lost_host_come_back_within_the_times_agreed_and_once(site: Site) -> None:
    before, machine = site.sums(), site.machine()
    packages = ssh(site.lab, VICTIM, "dpkg-query -W")

    _, found = site.play(DRILL)

    value, note = found[TIME]
    assert 0 < value < 1, note
    assert "4 files (20.5 MB) came back bit for bit in " in note
    assert f"; {VICTIM} erased, installed and running a job after " in note
    assert "with every package that it had" in note
    assert 0 < found[DATA][0] < 1
    rebuilt = site.machine()
    assert rebuilt not in (machine, "")
    assert ssh(site.lab, VICTIM, "dpkg-query -W") == packages
    assert ssh(site.lab, "mgmt", "sinfo -h -N -p main -o %T").split() == ["idle"] * 3
    assert site.sums() == before

    ran, again = site.play(DRILL)

    assert again[TIME][0] == value
    assert "; of drill disaster-recovery of " in again[TIME][1]
    assert (ran.changes, site.machine()) == (0, rebuilt)
