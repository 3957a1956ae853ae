"""How many hosts at once, how long, how often again: what a run's bounds are, where they come from, and that they hold."""

from __future__ import annotations

import socket
import sys
import threading
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from flows.runs.limits.extents import waits_in
from flows.runs.limits.limits import Extent, limits_of, side_by_side
from flows.runs.results.per_host import PlaybookResult
from flows.runs.run import RunSpec, run_playbook
from schedule.errors import InputError
from steps.catalog.terms import Effect
from steps.design.run_settings import RunSettings

LOCAL = f"ansible_connection=local ansible_python_interpreter={sys.executable}"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without settings of their own."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


def test_the_step_counts_before_the_groups_and_these_before_the_site() -> None:
    settings = RunSettings.model_validate(
        {
            "forks": 40,
            "connect_timeout_s": 7,
            "ssh_retries": 9,
            "steps": {"006": {"forks": 8}},
            "groups": {
                "switches": {"forks": 2, "connect_timeout_s": 30},
                "logins": {"forks": 3, "connect_timeout_s": 20},
                "elsewhere": {"connect_timeout_s": 99},
            },
        }
    )
    groups = frozenset({"switches", "logins"})

    of_step = limits_of(settings, Extent("006", None, 100, groups=groups))
    of_groups = limits_of(settings, Extent("007", None, 100, groups=groups))
    of_site = limits_of(settings, Extent("007", None, 100))

    assert of_step.forks == (8, "site.yaml: runs.steps.006.forks")
    assert of_groups.forks == (2, "site.yaml: runs.groups.switches.forks")
    assert of_groups.connect_timeout_s == (30, "site.yaml: runs.groups.switches.connect_timeout_s")
    assert of_site.forks == (40, "site.yaml: runs.forks")
    assert of_site.ssh_retries == (9, "site.yaml: runs.ssh_retries")


def test_without_settings_they_follow_from_hosts_machine_step_and_playbook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)))
    monkeypatch.setattr("psutil.virtual_memory", partial(SimpleNamespace, available=64_000_000_000))
    one, few, many = (limits_of(RunSettings(), Extent("006", None, hosts)) for hosts in (1, 3, 500))
    waiting = limits_of(RunSettings(), Extent("154", None, 128, waits={"os_install_timeout_s": 5400}))

    assert one.forks == (1, "default: 1 host")
    assert few.forks == (3, "default: 3 hosts")
    assert many.forks == (64, "default: 8 cores")
    assert waiting.task_timeout_s == (5460, "default: the playbook's os_install_timeout_s")
    assert waiting.time_limit_s.value == 2 * 5400 + 5460, "two rounds of 64 hosts"


def test_runs_side_by_side_follow_from_the_machine_where_the_site_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small memory bounds them before the cores do, and one run may always go on."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(16)))
    for total_gb, runs in ((256, 64), (8, 8), (0.5, 1)):
        monkeypatch.setattr("psutil.virtual_memory", partial(SimpleNamespace, total=int(total_gb * 10**9)))
        assert side_by_side(RunSettings()) == runs
    assert side_by_side(RunSettings(side_by_side=5)) == 5


def test_a_run_has_the_time_that_its_step_takes() -> None:
    """Step 006 takes 105 minutes for one pod. Every run was ended after an hour."""
    settings, whole = RunSettings(), Extent("006", Effect.READ, 32, hours=48)

    assert limits_of(settings, whole).time_limit_s.value == 2 * 48 * 3600 + 1800
    assert limits_of(settings, whole._replace(hosts=1, share=1 / 32)).time_limit_s.value == 3 * 3600 + 1800
    assert limits_of(settings, whole._replace(hours=0.1)).time_limit_s.value == 3600 + 1800


def test_what_erases_is_never_sent_twice_by_itself() -> None:
    assert limits_of(RunSettings(), Extent("013", Effect.DESTRUCTIVE, 9)).ssh_retries.value == 0
    assert limits_of(RunSettings(), Extent("013", Effect.CHANGE, 9)).ssh_retries.value == 3


def test_the_users_own_settings_for_ansible_still_count(home: Path) -> None:
    (home / ".ansible.cfg").write_text("[defaults]\nforks = 33 ; of ours\n[ssh_connection]\nretries=5\n")
    found = limits_of(RunSettings(ssh_retries=1), Extent("006", None, 500))

    assert found.forks == (33, f"{home}/.ansible.cfg: defaults.forks")
    assert found.ssh_retries == (1, "site.yaml: runs.ssh_retries")

    (home / ".ansible.cfg").write_text("[defaults]\nforks = many\n")
    with pytest.raises(InputError, match="many"):
        limits_of(RunSettings(), Extent("006", None, 500))


def test_the_waits_of_a_playbook_are_read_from_its_files_and_the_inventory(tmp_path: Path) -> None:
    main, hosts = tmp_path / "main.yml", tmp_path / "hosts.ini"
    main.write_text("os_install_timeout_s: 5400\nburn_in_hours: '8'\nother_s: 4\nx_wait_s: \"{{ y }}\"\n")
    hosts.write_text("[all:vars]\nos_install_timeout_s=7200\n")

    assert waits_in((main, hosts)) == {"os_install_timeout_s": 7200, "burn_in_hours": 28_800}


def play(tmp_path: Path, lines: str, task: str, settings: RunSettings) -> tuple[PlaybookResult, list[str]]:
    playbook = tmp_path / "playbooks" / "phase" / "play.yml"
    playbook.parent.mkdir(parents=True)
    playbook.write_text(
        f"- name: Try\n  hosts: all\n  gather_facts: false\n  tasks:\n    - name: Do it\n      {task}\n"
        "    - name: Go on\n      ansible.builtin.debug:\n"
    )
    inventory = tmp_path / "hosts.ini"
    inventory.write_text(lines)
    hosts = tuple(line.split()[0] for line in lines.splitlines())
    limits = limits_of(settings, Extent("000", None, len(hosts)))
    said: list[str] = []
    spec = RunSpec(playbook, inventory, hosts, {}, tmp_path / "run", tmp_path / "log", limits=limits)
    return run_playbook(spec, on_event=lambda e: said.append(e.sentence), cancel=threading.Event()), said


@pytest.mark.slow
def test_hosts_are_played_at_once_by_default(tmp_path: Path) -> None:
    """Each waits for all others to begin. Ansible by itself plays five at a time: they would wait in vain."""
    there = tmp_path / "there"
    there.mkdir()
    all_there = f"for i in $(seq 150); do test $(ls {there} | wc -l) -ge 12 && exit 0; sleep 0.2; done; exit 1"
    task = f"ansible.builtin.shell: 'touch {there}/$$; {all_there}'"

    result, _ = play(tmp_path, "".join(f"n{i} {LOCAL}\n" for i in range(12)), task, RunSettings())

    assert result.status == "ok"


@pytest.mark.slow
@pytest.mark.long
def test_a_host_that_hangs_fails_alone_when_its_time_is_over(tmp_path: Path) -> None:
    """It answers, and the task never ends. The others go on to the next task when its time is over, and nothing of it is left."""
    lines = "".join(f"n{i} {LOCAL}\n" for i in range(6))
    task = "ansible.builtin.command: sleep {{ 4713.5 if inventory_hostname == 'n3' else 0 }}"

    result, said = play(tmp_path, lines, task, RunSettings(task_timeout_s=15))

    assert {h.host: h.status for h in result.hosts} == {f"n{i}": "failed" if i == 3 else "changed" for i in range(6)}
    assert "did not end within 15 seconds" in next(s for s in said if "n3" in s)
    assert sum("ok: n" in s for s in said) == 5, "they came to the next task"


@pytest.mark.slow
@pytest.mark.parametrize("keeps", ["", "\n      no_log: true"], ids=["shown", "kept back"])
def test_a_host_that_hangs_does_not_hold_the_others(keeps: str, tmp_path: Path) -> None:
    """Its task may take half an hour. The others have ended theirs, and go on long before that. A secret result says it too."""
    seconds = f"4713.{25 + len(keeps)}"  # of its own: the other case may run at the same time
    lines = "".join(f"n{i} {LOCAL}\n" for i in range(4))
    task = f"ansible.builtin.command: sleep {{{{ {seconds} if inventory_hostname == 'n3' else 0 }}}}{keeps}"
    began = time.monotonic()

    result, said = play(tmp_path, lines, task, RunSettings(hang_after_s=2))

    assert {h.host: h.status for h in result.hosts} == {f"n{i}": "failed" if i == 3 else "changed" for i in range(4)}
    assert "it hung, and was given up" in next(s for s in said if "n3" in s)
    assert sum("ok: n" in s for s in said) == 3, "they came to the next task"
    assert time.monotonic() - began < 60
    assert not [p for p in psutil.process_iter(["cmdline"]) if seconds in (p.info["cmdline"] or [])]


@pytest.mark.slow
def test_a_host_that_shows_that_it_goes_on_is_not_given_up(tmp_path: Path) -> None:
    """It is slower than the others, but each item of its loop is a sign."""
    lines = "".join(f"n{i} {LOCAL}\n" for i in range(4))
    slow = "{{ range(6) | list if inventory_hostname == 'n3' else [1] }}"
    task = f"ansible.builtin.command: sleep {{{{ 1 if inventory_hostname == 'n3' else 0 }}}}\n      loop: \"{slow}\""

    result, _ = play(tmp_path, lines, task, RunSettings(hang_after_s=1))

    assert {h.status for h in result.hosts} == {"changed"}


@pytest.mark.slow
@pytest.mark.parametrize("retries", [0, 2])
def test_a_connection_that_fails_is_tried_again(tmp_path: Path, retries: int) -> None:
    """A machine that closes every connection, as an SSH server does that has too many."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        tried: list[object] = []

        def close_all() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                tried.append(connection)
                connection.close()

        threading.Thread(target=close_all, daemon=True).start()
        line = f"n1 ansible_host=127.0.0.1 ansible_port={server.getsockname()[1]}\n"
        result, _ = play(tmp_path, line, "ansible.builtin.ping:", RunSettings(ssh_retries=retries))

    assert [h.status for h in result.hosts] == ["unreachable"]
    assert len(tried) == 1 + retries
