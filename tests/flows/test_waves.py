"""A playbook over hosts in waves, also with Ansible itself: the canary, the slices, where it stops, and a host that is out of reach."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from flows.runs.results.per_host import HostResult, HostStatus, PlaybookResult
from flows.runs.run import RunEvent, RunSpec
from flows.runs.waves import next_wave, run_in_waves
from steps.catalog.terms import Waves

HOSTS = tuple(f"n{number}" for number in range(1, 7))
LOCAL = "ansible_connection=local ansible_python_interpreter='{{ ansible_playbook_python }}'"
PLAYBOOK = """\
- name: Change every host
  hosts: all
  gather_facts: false
  tasks:
    - name: Do it
      ansible.builtin.shell: echo {{ inventory_hostname }} >> "{{ touched }}"; test ! -e "{{ broken }}/{{ inventory_hostname }}"
      changed_when: true
"""


def terms(canary: int = 1, size: int = 2, max_failed_percent: float = 40) -> Waves:
    return Waves(canary=canary, size=size, max_failed_percent=max_failed_percent, source="assumption")


@pytest.fixture
def spec(tmp_path: Path) -> RunSpec:
    """Six names of this machine; one that has a file in the folder `broken` fails."""
    playbook = tmp_path / "playbooks" / "phase" / "play.yml"
    playbook.parent.mkdir(parents=True)
    playbook.write_text(PLAYBOOK, encoding="utf-8")
    (tmp_path / "broken").mkdir()
    inventory = tmp_path / "hosts.ini"
    inventory.write_text("".join(f"{host} {LOCAL}\n" for host in HOSTS), encoding="utf-8")
    variables = {"touched": str(tmp_path / "touched"), "broken": str(tmp_path / "broken")}
    return RunSpec(playbook, inventory, HOSTS, variables, tmp_path / "run", tmp_path / "log")


def play(spec: RunSpec, waves: Waves) -> tuple[dict[str, str], list[str]]:
    """Run it. Return each host's status, and the hosts that were touched, in order."""
    events: list[RunEvent] = []
    result = run_in_waves(spec, waves, on_event=events.append, on_pgid=lambda _: None, cancel=threading.Event())
    touched = Path(spec.extra_vars["touched"]).read_text(encoding="utf-8").split()
    assert not spec.work_dir.exists()
    assert [e.sentence for e in events if e.sentence.startswith("WAVE")]
    assert "WAVE 1: n1\n" in spec.log.read_text(encoding="utf-8")
    return {host.host: host.status for host in result.hosts}, touched


def test_waves_are_a_canary_and_slices_of_every_host_once() -> None:
    assert next_wave(HOSTS, terms(canary=1, size=2), canary=True) == ("n1",)
    assert next_wave(HOSTS[1:], terms(canary=1, size=2), canary=False) == ("n2", "n3")
    assert next_wave(HOSTS[5:], terms(canary=2, size=9), canary=False) == ("n6",)


def played(spec: RunSpec, waves: Waves, **ends: HostStatus) -> tuple[list[tuple[str, ...]], PlaybookResult]:
    """Let hosts end as is said, and all others well. No Ansible runs. Return the waves that were played, and the result."""
    began: list[tuple[str, ...]] = []

    def player(wave: RunSpec, *_: object) -> PlaybookResult:
        began.append(wave.hosts)
        return PlaybookResult("ok", [HostResult(host, ends.get(host, "changed")) for host in wave.hosts])

    return began, run_in_waves(spec, waves, cancel=threading.Event(), player=player)


def test_no_wave_follows_a_canary_that_failed(spec: RunSpec) -> None:
    """However many may fail later."""
    began, result = played(spec, terms(canary=2, max_failed_percent=100), n2="failed")

    assert began == [("n1", "n2")]
    assert [host.status for host in result.hosts] == ["changed", "failed", *["skipped"] * 4]
    assert {host.message for host in result.hosts[2:]} == {"not begun: n2 of the first wave failed"}


@pytest.mark.parametrize(("percent", "waves"), [(33, 2), (34, 4), (50, 4), (0, 2)])
def test_waves_follow_until_more_of_all_hosts_failed_than_may(spec: RunSpec, percent: float, waves: int) -> None:
    """Two of six are a third."""
    began, result = played(spec, terms(max_failed_percent=percent), n2="failed", n3="failed")

    assert began == [("n1",), ("n2", "n3"), ("n4", "n5"), ("n6",)][:waves]
    assert [host.status for host in result.hosts].count("skipped") == (3 if waves == 2 else 0)


def test_who_never_answers_is_no_canary_and_did_not_fail(spec: RunSpec) -> None:
    began, result = played(spec, terms(max_failed_percent=0), n1="unreachable", n2="unreachable", n5="unreachable")

    assert began == [("n1",), ("n2",), ("n3",), ("n4", "n5"), ("n6",)]
    assert [host.status for host in result.hosts].count("changed") == 3


def test_a_canary_that_fails_keeps_every_other_host_from_being_touched(spec: RunSpec, tmp_path: Path) -> None:
    (tmp_path / "broken" / "n1").touch()

    status, touched = play(spec, terms(max_failed_percent=100))

    assert touched == ["n1"]
    assert status == {"n1": "failed"} | dict.fromkeys(HOSTS[1:], "skipped")


def test_it_goes_on_beside_a_failed_host_and_stops_when_there_are_too_many(spec: RunSpec, tmp_path: Path) -> None:
    for name in ("n2", "n3", "n4"):
        (tmp_path / "broken" / name).touch()

    status, touched = play(spec, terms(max_failed_percent=40))

    assert sorted(touched) == ["n1", "n2", "n3", "n4", "n5"]
    assert status == {"n1": "changed", "n2": "failed", "n3": "failed", "n4": "failed", "n5": "changed", "n6": "skipped"}


def test_a_host_out_of_reach_is_named_and_the_others_finish(spec: RunSpec) -> None:
    lines = [f"{host} {LOCAL}" for host in HOSTS if host != "n4"]
    lines.append("n4 ansible_connection=ssh ansible_host=127.0.0.1 ansible_port=1")
    spec.inventory.write_text("\n".join(lines), encoding="utf-8")

    status, touched = play(spec, terms())

    assert status.pop("n4") == "unreachable"
    assert set(status.values()) == {"changed"}
    assert sorted(touched) == sorted(set(HOSTS) - {"n4"})


@pytest.mark.long
def test_hosts_that_never_answer_are_no_canaries_and_do_not_stop_the_others(spec: RunSpec) -> None:
    """Hosts that are not racked yet say nothing about the playbook: half of a pod would keep the other half from being played."""
    absent, there = HOSTS[:3], HOSTS[3:]
    lines = [f"{host} {LOCAL}" for host in there]
    lines += [f"{host} ansible_connection=ssh ansible_host=127.0.0.1 ansible_port=1" for host in absent]
    spec.inventory.write_text("\n".join(lines), encoding="utf-8")

    status, touched = play(spec, terms(max_failed_percent=0))

    assert status == dict.fromkeys(absent, "unreachable") | dict.fromkeys(there, "changed")
    assert sorted(touched) == sorted(there)
    waves = [line for line in spec.log.read_text().splitlines() if line.startswith("WAVE")]
    assert waves == ["WAVE 1: n1", "WAVE 2: n2", "WAVE 3: n3", "WAVE 4: n4", "WAVE 5: n5, n6"]
