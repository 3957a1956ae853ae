"""However a run ends, nothing of it goes on: each ending is brought about for real on this machine."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from clusterwright.__main__ import exit_code
from flows.runs.inventory.hosts import inventory_hosts, inventory_nodes
from flows.runs.limits.limits import Extent, limits_of
from flows.runs.process.leftovers import remove_abandoned
from flows.runs.process.orphans import end_group, members
from flows.runs.process.spare import environment
from flows.runs.results.per_host import PlaybookResult
from flows.runs.run import RunEvent, RunSpec, require_ansible, run_playbook
from schedule.errors import InputError, NotSatisfiedError, UnreachableError
from steps.design.run_settings import RunSettings
from tests.other_user import NOBODY_HAS, as_account, needs_root

PARENT = """
import sys, threading
from pathlib import Path
from flows.runs.run import RunSpec, run_playbook
book, inventory, work, pgid = map(Path, sys.argv[1:])
spec = RunSpec(playbook=book, inventory=inventory, hosts=("localhost",), extra_vars={}, work_dir=work,
               log=work.parent / "log")
run_playbook(spec, on_event=lambda e: None, on_pgid=lambda p: pgid.write_text(str(p)), cancel=threading.Event())
"""
LONG = "4711"
NOBODY = pwd.getpwnam("nobody").pw_uid
RUN = f"r{os.getpid()}"
"""No other worker's runs have this name: whatever names it is ended."""


def play(tmp_path: Path, task: str) -> Path:
    book = tmp_path / "books" / "phase" / "000_trial.yml"
    book.parent.mkdir(parents=True, exist_ok=True)
    book.write_text(f"- name: Try\n  hosts: all\n  gather_facts: false\n  tasks:\n    - name: Do it\n      {task}\n")
    return book


def inventory(tmp_path: Path, line: str = "") -> Path:
    path = tmp_path / "hosts.ini"
    path.write_text(line or f"localhost ansible_connection=local ansible_python_interpreter={sys.executable}\n")
    return path


def run(tmp_path: Path, task: str, *, hosts: str = "", time_limit_s: int = 600) -> tuple[PlaybookResult, list[str]]:
    said: list[str] = []

    def on_event(event: RunEvent) -> None:
        said.append(event.sentence)

    name = hosts.split(maxsplit=1)[0] if hosts else "localhost"
    spec = RunSpec(
        playbook=play(tmp_path, task), inventory=inventory(tmp_path, hosts), hosts=(name,), extra_vars={},
        work_dir=tmp_path / "runs" / RUN, log=tmp_path / "log",
        limits=limits_of(RunSettings(time_limit_s=time_limit_s), Extent("000", None, 1)),
    )  # fmt: skip
    result = run_playbook(spec, on_event=on_event, on_pgid=lambda _: None, cancel=threading.Event())
    return result, said


def sleeping(seconds: str) -> list[int]:
    """Return the processes that sleep for exactly so long: the work of a run of this test."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.cmdline() == ["sleep", seconds]:
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def wait_until(is_so: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if is_so():
            return True
        time.sleep(0.1)
    return is_so()


@pytest.fixture
def engine(tmp_path: Path) -> tuple[subprocess.Popen[bytes], int, str]:
    """A process that has a long playbook run; its supervisor's group; how long the work sleeps."""
    seconds = f"{LONG}.{time.monotonic_ns() % 10**6}"
    book = play(tmp_path, f"ansible.builtin.command: sleep {seconds}")
    for folder in ("runs", "temporary"):
        (tmp_path / folder).mkdir()
    arguments = [book, inventory(tmp_path), tmp_path / "runs" / RUN, tmp_path / "pgid"]
    own = os.environ | {"TMPDIR": str(tmp_path / "temporary")}
    parent = subprocess.Popen([sys.executable, "-c", PARENT, *map(str, arguments)], env=own)
    assert wait_until(lambda: bool(sleeping(seconds)), 30)
    return parent, int((tmp_path / "pgid").read_text()), seconds


def test_killing_the_engine_leaves_nothing_of_its_run_after_five_seconds(
    engine: tuple[subprocess.Popen[bytes], int, str], tmp_path: Path
) -> None:
    parent, pgid, seconds = engine

    parent.kill()
    parent.wait()

    assert wait_until(lambda: not sleeping(seconds) and not members(pgid, tmp_path / "runs" / RUN), 5)
    assert wait_until(lambda: not (tmp_path / "runs" / RUN).exists(), 2), "it has the variables in clear"
    end_group(pgid, tmp_path / "runs" / RUN)  # its control group, which is empty now


def test_killing_engine_and_supervisor_leaves_what_recovery_finds_and_ends(
    engine: tuple[subprocess.Popen[bytes], int, str], tmp_path: Path
) -> None:
    parent, pgid, seconds = engine

    psutil.Process(pgid).kill()
    parent.kill()
    parent.wait()

    assert end_group(pgid, tmp_path / "runs" / RUN) or not sleeping(seconds)
    assert not sleeping(seconds)
    assert members(pgid, tmp_path / "runs" / RUN) == []
    assert list((tmp_path / "temporary").iterdir()) == [], "each module unpacks itself into a folder of its own"


def test_a_run_that_cannot_be_noted_in_its_claim_does_not_begin(tmp_path: Path) -> None:
    """An engine that slept through its lease has lost the run to another one: two runs would touch one host."""
    seconds = f"{LONG}.{time.monotonic_ns() % 10**6}"
    spec = RunSpec(
        playbook=play(tmp_path, f"ansible.builtin.command: sleep {seconds}"), inventory=inventory(tmp_path),
        hosts=("localhost",), extra_vars={}, work_dir=tmp_path / "runs" / RUN, log=tmp_path / "log",
    )  # fmt: skip
    began: list[int] = []

    def lost(pgid: int) -> None:
        began.append(pgid)
        assert not wait_until(lambda: bool(sleeping(seconds)), 1.5), "a playbook that was begun would be at work by now"
        raise NotSatisfiedError("lost lease")

    with pytest.raises(NotSatisfiedError, match="lost lease"):
        run_playbook(spec, on_pgid=lost, cancel=threading.Event())

    assert not psutil.pid_exists(began[0])
    assert not (tmp_path / "runs" / RUN).exists()


def test_a_run_out_of_time_leaves_nothing_running(tmp_path: Path) -> None:
    seconds = f"{LONG}.{time.monotonic_ns() % 10**6}"

    result, _ = run(tmp_path, f"ansible.builtin.command: sleep {seconds}", time_limit_s=3)

    assert (result.status, result.message) == (
        "failed",
        "it ran out of time after 3 seconds: `runs.time_limit_s` in site.yaml",
    )
    assert sleeping(seconds) == []


PUT_FORWARD = """
import time
real, began = time.time, time.time()
time.time = lambda: real() + (7200 if real() > began + {after} else 0)
from flows.runs.process import supervisor
supervisor.main()
"""


def test_a_clock_that_is_put_forward_is_no_reason_to_end_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine's clock may be hours wrong until its first answer from a time server."""

    def put_forward() -> subprocess.Popen[bytes]:
        words = [sys.executable, "-P", "-c", PUT_FORWARD.format(after=1)]
        return subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
        )

    monkeypatch.setattr("flows.runs.run.supervisor", put_forward)
    result, _ = run(tmp_path, "ansible.builtin.command: sleep {{ item }}\n      loop: [0.5, 0.1]", time_limit_s=3600)

    assert (result.status, result.message) == ("ok", "")


def test_a_task_that_fails_names_itself_and_the_reason(tmp_path: Path) -> None:
    result, said = run(tmp_path, "ansible.builtin.fail: {msg: the door is shut}")

    assert result.status == "failed"
    assert [(h.host, h.status, h.failed_task) for h in result.hosts] == [("localhost", "failed", "Do it")]
    assert any("the door is shut" in sentence for sentence in said)


@pytest.mark.parametrize(
    "task", ["ansible.builtin.command: no-such-tool --version", "ansible.builtin.shell: 'true && no-such-tool'"]
)
def test_a_tool_that_the_host_lacks_is_named(tmp_path: Path, task: str) -> None:
    """`non-zero return code` would send people to the host to find out what every run already knew."""
    result, said = run(tmp_path, task)

    assert result.status == "failed"
    assert any("no-such-tool" in sentence and "not installed on this host" in sentence for sentence in said)


def test_a_machine_without_ansible_says_so_and_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was run, so nothing failed: it is the machine that is not ready, exit code 3."""
    monkeypatch.setattr("flows.runs.run.environment", lambda: {"PATH": str(tmp_path)})

    with pytest.raises(UnreachableError, match="ansible-playbook is not there") as before:
        require_ansible()
    with pytest.raises(UnreachableError, match="ansible-playbook is not there") as during:
        run(tmp_path, "ansible.builtin.ping:")

    assert "ansible-core" in before.value.hint
    assert "ansible-core" in during.value.hint
    assert exit_code(during.value) == 3
    assert not (tmp_path / "runs" / RUN).exists()


def test_a_host_that_does_not_answer_is_unreachable(tmp_path: Path) -> None:
    line = "far ansible_host=127.0.0.1 ansible_port=1 ansible_connection=ssh\n"

    result, _ = run(tmp_path, "ansible.builtin.ping:", hosts=line)

    assert result.status == "failed"
    assert [(h.host, h.status) for h in result.hosts] == [("far", "unreachable")]


def test_a_playbook_that_is_not_there_is_named(tmp_path: Path) -> None:
    spec = RunSpec(
        playbook=tmp_path / "none.yml", inventory=inventory(tmp_path), hosts=("localhost",), extra_vars={},
        work_dir=tmp_path / "runs" / RUN, log=tmp_path / "log",
    )  # fmt: skip

    with pytest.raises(UnreachableError, match=r"none\.yml does not exist"):
        run_playbook(spec, on_event=lambda _: None, on_pgid=lambda _: None, cancel=threading.Event())


def test_an_inventory_that_is_not_there_is_named_with_its_key(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"site\.yaml: inventory"):
        inventory_hosts(tmp_path / "none.ini")


@needs_root
@pytest.mark.parametrize("account", [NOBODY, NOBODY_HAS], ids=["with a name", "without a name, as in a container"])
def test_what_a_killed_run_left_is_removed_by_an_account_that_is_not_root(account: int) -> None:
    """The copy of what Ansible reads is read-only, and has secrets in it. Root alone can remove that as it is."""
    with tempfile.TemporaryDirectory() as home:
        os.chown(home, account, account)
        runs = Path(home) / "runs"

        def left() -> list[str]:
            os.environ["HOME"] = home
            copy = runs / "preview-4711" / "tree" / "inventory"
            copy.mkdir(parents=True)
            (copy / "hosts.ini").touch()
            copy.chmod(0o500)
            os.utime(runs / "preview-4711", (0, 0))
            remove_abandoned(runs, "mine")
            return [path.name for path in runs.iterdir()]

        assert as_account(account, left) == []


@needs_root
def test_a_process_of_another_account_does_not_keep_an_engine_from_settling_its_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a task with `become` has started on this machine is root's. A person decides then."""
    monkeypatch.setattr("flows.runs.process.orphans.PATIENCE_S", 0.1)
    folder = Path("/a/site/.clusterwright/runs") / f"{RUN}-of-root"
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)", f"{folder}/"])
    try:
        assert wait_until(lambda: bool(members(0, folder)), 10)

        assert as_account(NOBODY, lambda: end_group(0, folder))
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()


def test_a_file_with_a_mistake_is_not_left_out_of_an_inventory(tmp_path: Path) -> None:
    """Ansible itself would go on with the hosts of the other files: a plan, and a run, would lack those of this one."""
    folder = tmp_path / "of two files"
    folder.mkdir()
    (folder / "a.ini").write_text("n1\n", encoding="utf-8")
    (folder / "b.yml").write_text("all: {hosts: {n2: {}\n", encoding="utf-8")

    for asked in (inventory_hosts, inventory_nodes):
        with pytest.raises(InputError, match=r"of two files/b\.yml") as refused:
            asked(folder)
        assert f"ansible-inventory -i '{folder}' --list" in refused.value.hint


def test_a_run_of_an_inventory_with_a_mistake_has_failed_and_says_so(tmp_path: Path) -> None:
    """Its hosts were not looked at, and nothing of what was read of them before is judged."""
    here = f"ansible_connection=local ansible_python_interpreter={sys.executable}"
    result, _ = run(tmp_path, "ansible.builtin.ping:", hosts=f"localhost {here}\nn2 no value\n")

    assert result.status == "failed"
    assert "hosts.ini" in result.message


def test_importing_the_run_loads_neither_prefect_nor_ansible() -> None:
    script = "import sys, flows.runs.run; print({'prefect', 'ansible', 'ansible_runner'} & set(sys.modules))"

    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

    assert said.strip() == "set()"


def test_a_supervisor_that_waits_for_a_run_ends_with_its_parent() -> None:
    waits = "import os, signal\nfrom flows.runs.process.spare import supervisor\nprint(supervisor().pid, flush=True)\n"
    killed = "os.kill(os.getpid(), signal.SIGKILL)"
    done = subprocess.run([sys.executable, "-c", waits + killed], capture_output=True, text=True, check=False)

    started = [p for p in psutil.process_iter() if p.pid >= int(done.stdout) and is_supervisor(p)]
    _, left = psutil.wait_procs(started, timeout=15)

    assert done.returncode == -9
    assert left == []


def is_supervisor(process: psutil.Process) -> bool:
    """Say whether it waits for a run of a parent that is gone."""
    try:
        return process.cmdline()[-1:] == ["flows.runs.process.supervisor"] and process.ppid() == 1
    except psutil.NoSuchProcess:
        return False
