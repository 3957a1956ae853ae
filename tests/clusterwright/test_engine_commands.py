"""The engine without its terminal: `up --detach`, `logs`, `doctor --engine`, `down`, and the unit of systemd."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clusterwright.engine_health import dispatcher, serves
from flows.dashboard.site_lock import lock_file, locked, noted_holder
from flows.engine.log_file import log_file
from ledger.machine_processes import is_alive
from ledger.questions.engines import EngineRow
from tests.conftest import Command, Ended
from tests.dashboard import give_dashboard
from tests.flows.test_engine import until
from tests.ledger.conftest import share
from tests.needs import needs
from tests.once import Once
from tests.ports import free_port

KEEPS_LOCK = """
import sys, time
from pathlib import Path
from flows.dashboard.site_lock import locked
lock = locked(Path(sys.argv[1]), 4200, sys.argv[2])
print("locked", flush=True)
time.sleep(300)
"""


@contextmanager
def holding(site: Path, role: str) -> Iterator[subprocess.Popen[str]]:
    """Let another process have a site's lock."""
    process = subprocess.Popen([sys.executable, "-c", KEEPS_LOCK, site, role], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        assert process.stdout.readline() == "locked\n"
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def followed(site: Path, out: Path) -> Iterator[None]:
    """Let `logs --follow` write to a file."""
    words = [sys.executable, "-m", "clusterwright", "logs", "--follow", "--json", "--site", site]
    with out.open("wb") as printed:
        process = subprocess.Popen([*map(str, words)], stdout=printed)
    try:
        yield
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_detached_engine_is_seen_by_every_command_and_stopped_by_down(
    adopted: Path, process: Command, tmp_path: Path, once: Once
) -> None:
    site, port = give_dashboard(adopted, once), free_port()
    started = process("up", "--detach", "--hands-off", "--port", port, "--site", site)
    holder = noted_holder(site)
    assert started.returncode == 0, started.stderr
    assert holder
    try:
        assert f"process {holder.pid}" in started.stdout
        assert f"http://127.0.0.1:{port}" in started.stdout
        second = process("up", "--detach", "--port", free_port(), "--site", site)
        until(lambda: "hands off" in process("logs", "--site", site).stdout, seconds=120)
        looks: list[Ended] = []

        def is_well() -> bool:
            looks.append(process("doctor", "--engine", "--json", "--site", site))
            return looks[-1].returncode == 0

        until(is_well, seconds=120)
        health = json.loads(looks[-1].stdout)
        with followed(site, tmp_path / "followed"):
            until((tmp_path / "followed").read_text, seconds=60)
            stopped = process("down", "--site", site)
            until(lambda: "stopping:" in (tmp_path / "followed").read_text(), seconds=60)
    finally:
        if is_alive(holder.pid):
            os.kill(holder.pid, 9)

    assert second.returncode == 3
    assert "another engine or dashboard of this site runs" in second.stderr
    assert {check["name"]: check["state"] for check in health["checks"]} == dict.fromkeys(
        ("engine", "runs", "dashboard"), "ok"
    ), health["checks"]
    assert health["serving"] == {"port": port, "pid": holder.pid, "role": holder.role}
    assert [engine["pid"] for engine in health["engines"]] == [holder.pid]
    assert stopped.returncode == 0, stopped.stderr
    assert f"stopped {holder.role}, process {holder.pid}" in stopped.stdout
    said = [json.loads(line)["text"] for line in (tmp_path / "followed").read_text().splitlines()]
    assert any(text.startswith("dashboard on") for text in said), "what was said before it was followed"
    assert any(text.startswith("stopping:") for text in said)


def test_what_up_refuses_is_refused_with_the_same_code_and_words_where_it_is_detached(
    site: Path, process: Command
) -> None:
    refused = process("up", "--site", site)
    detached = process("up", "--detach", "--site", site)

    assert (detached.returncode, detached.stderr) == (refused.returncode, refused.stderr)
    assert refused.returncode == 3
    assert "plan adopt" in detached.stderr


def test_where_no_engine_runs_down_says_so(site: Path, command: Command) -> None:
    found = command("down", "--site", site)

    assert found.returncode == 1
    assert "no engine of this site runs here" in found.stderr


@pytest.mark.slow
def test_a_dashboard_alone_is_no_engine_and_goes_on(site: Path, command: Command) -> None:
    with holding(site, "dashboard") as dashboard:
        found = command("down", "--site", site)
        assert dashboard.poll() is None

    assert found.returncode == 1
    assert f"process {dashboard.pid} is its dashboard" in found.stderr


def test_a_process_that_does_not_have_the_lock_is_never_stopped(site: Path, command: Command) -> None:
    """The number in the file may be that of a stranger: an engine in another container has noted its own."""
    with locked(site, 4200, "engine 1"):
        stranger = subprocess.Popen(["sleep", "300"])
        try:
            lock_file(site).write_text(f"4200 {stranger.pid} engine 1\n", encoding="ascii")
            found = command("down", "--site", site)
            assert stranger.poll() is None
        finally:
            stranger.kill()
            stranger.wait()

    assert found.returncode == 3
    assert "no process that can be seen from here" in found.stderr


def test_a_lock_of_an_earlier_release_has_its_port_alone(site: Path, command: Command) -> None:
    """It is upgraded while its engine runs."""
    with locked(site, 4200, "engine 1"):
        lock_file(site).write_text("4321\n", encoding="ascii")
        page = json.loads(command("dashboard", "--json", "--site", site).stdout)
        found = command("down", "--site", site)

    assert page["address"] == "http://127.0.0.1:4321"
    assert found.returncode == 3
    assert "earlier release" in found.stderr


def test_before_the_first_start_logs_are_empty(site: Path, command: Command) -> None:
    assert json.loads(command("logs", "--json", "--site", site).stdout) == []
    assert "no engine has said anything yet" in command("logs", "--site", site).stderr


def test_a_run_that_nobody_is_at_work_on_is_a_fault_for_doctor(adopted: Path, command: Command) -> None:
    health = json.loads(command("doctor", "--engine", "--json", "--site", adopted).stdout)

    assert {check["name"]: check["state"] for check in health["checks"]} == {
        "engine": "advice",
        "runs": "ok",
        "dashboard": "advice",
    }
    assert health["engines"] == []


def test_a_database_that_is_away_is_a_fault_for_doctor(adopted: Path, command: Command) -> None:
    """Nothing is recorded then, and what is shown is an older state."""
    share(adopted, f"postgresql://nobody@127.0.0.1:{free_port()}/site")

    done = command("doctor", "--engine", "--json", "--site", adopted)

    (database,) = (check for check in json.loads(done.stdout)["checks"] if check["name"] == "database")
    assert done.returncode == 1
    assert database["state"] == "fault"
    assert "does not answer" in database["found"]


@pytest.mark.slow
def test_an_engine_does_not_begin_while_its_database_is_away(adopted: Path, process: Command) -> None:
    """Its dashboard answered first, `--detach` said that it runs, and then it ended."""
    share(adopted, f"postgresql://nobody@127.0.0.1:{free_port()}/site")

    started = process("up", "--detach", "--port", free_port(), "--site", adopted)

    assert (started.returncode, started.stdout) == (3, "")
    assert "the database site at 127.0.0.1 does not answer" in started.stderr
    assert "the dashboard is starting" not in started.stderr


def test_a_database_that_is_away_is_no_fault_of_ready_work(adopted: Path, command: Command) -> None:
    """What an engine has asked is in the database too: each ready activity had to be put right."""
    log_file(adopted).parent.mkdir(parents=True, exist_ok=True)
    log_file(adopted).touch()
    ready = json.loads(command("list", "--state", "ready", "--json", "--site", adopted).stdout)[0]["id"]
    share(adopted, f"postgresql://nobody@127.0.0.1:{free_port()}/site")

    done = command("why", ready, "--site", adopted)

    assert "as this folder last saw it" in done.stderr
    assert "put right" not in done.stdout


def test_a_dispatcher_is_at_its_own_host_and_not_at_the_pool_of_its_claims() -> None:
    """The pool was shown as the machine of the engine."""
    claimed = EngineRow("66c0", "clusterwright-site-b", 1, has_ended=False, leases=(), reservations=())
    alone = claimed._replace(host="node-9")

    leads, lost = (dispatcher(claimed, "clusterwright-site-b", f"engine {one} of node-7") for one in ("66c0", "77d1"))

    assert serves(None, [leads]).found == "none in this folder; elsewhere 66c0 of node-7"
    assert serves(None, [lost]).found == "none in this folder; elsewhere 66c0"
    assert dispatcher(alone, "clusterwright-site-b", "engine 66c0 of node-7") == alone


@needs("systemd-analyze")
def test_a_unit_of_a_team_says_where_its_logins_are(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without them systemd's dispatcher ended at once, and was not started again: a person had to change something first."""
    folder, unit, logins = tmp_path / "site", tmp_path / "clusterwright-site.service", tmp_path / '100% of "$HOME"'
    assert command("init", folder).returncode == 0
    monkeypatch.setenv("PREFECT_API_AUTH_STRING", "team:a-secret-of-this-test")
    monkeypatch.setenv("PREFECT_API_AUTH_STRING_FILE", str(logins))
    monkeypatch.setenv("PGPASSFILE", "pgpass")

    unit.write_text(command("up", "--systemd", "--team", "--site", folder).stdout, encoding="utf-8")

    lines = [line for line in unit.read_text(encoding="utf-8").splitlines() if line.startswith("Environment=")]
    stated = '100%% of \\"$HOME\\"'
    assert lines == [
        f'Environment="PREFECT_API_AUTH_STRING_FILE={tmp_path}/{stated}"',
        f'Environment="PGPASSFILE={tmp_path}/pgpass"',
    ]
    verified = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert (verified.returncode, verified.stderr) == (0, "")


@needs("systemd-analyze")
def test_systemd_takes_the_unit_of_any_folder(tmp_path: Path, command: Command) -> None:
    """Spaces, quotes and what systemd replaces are in the names of folders too."""
    folder = tmp_path / 'a site of 100% "ours" $HOME'
    assert command("init", folder).returncode == 0  # without an inventory: Ansible takes $HOME for a variable
    printed = command("up", "--systemd", "--hands-off", "--port", "4300", "--site", folder).stdout
    unit = tmp_path / "clusterwright-site.service"
    unit.write_text(printed, encoding="utf-8")

    verified = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)

    assert (verified.returncode, verified.stderr) == (0, "")
    name = "clusterwright-a-site-of-100-ours-HOME"
    assert f"/etc/systemd/system/{name}.service, then: systemctl enable --now {name}\n" in printed
    (line,) = (line for line in printed.splitlines() if line.startswith("ExecStart="))
    assert not {"%", "$"} & set(line.replace("%%", "").replace("$$", "")), "systemd would replace it"
    words = shlex.split(line.removeprefix("ExecStart=").replace("%%", "%").replace("$$", "$"))
    assert words[-6:] == ["up", "--site", str(folder), "--port", "4300", "--hands-off"]
