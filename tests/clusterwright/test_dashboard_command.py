"""How a person learns where the dashboard is and what its page asks for, also beside a running engine."""

from __future__ import annotations

import json
from pathlib import Path

from clusterwright.health import LOGIN, checks, fixed
from clusterwright.health_check import FAULT, OK, Check
from flows.dashboard.login import login_file, login_of
from flows.dashboard.site_lock import locked
from tests.conftest import Command


def test_the_login_and_the_address_are_shown_beside_an_engine_that_runs(site: Path, command: Command) -> None:
    with locked(site, 4321, "engine 1"):
        shown = command("dashboard", "--login", "--site", site)
        said = json.loads(command("dashboard", "--json", "--site", site).stdout)

    assert shown.stdout.split() == ["http://127.0.0.1:4321", "log", "in", "with", login_of(site)]
    assert said == {
        "address": "http://127.0.0.1:4321",
        "login": login_of(site),
        "login_file": str(login_file(site)),
        "is_running": True,
    }


def test_a_new_login_is_made_on_request_and_says_what_a_running_server_does(site: Path, command: Command) -> None:
    before = login_of(site)
    with locked(site, 4321, "engine 1"):
        shown = command("dashboard", "--new-login", "--site", site)

    assert login_of(site) != before
    assert login_of(site) in shown.stdout
    assert "takes the old login" in shown.stderr


def test_doctor_finds_a_login_that_others_may_read_and_makes_a_new_one(site: Path) -> None:
    before = login_of(site)
    login_file(site).chmod(0o640)
    found = checked(site)

    done = fixed(found, site)

    assert found.state == FAULT
    assert "a new one was made" in done
    assert checked(site).state == OK
    assert login_of(site) != before


def checked(site: Path) -> Check:
    """Return what doctor says about the login."""
    return next(check for check in checks(site) if check.name == LOGIN)


def test_the_dashboard_of_a_team_is_that_of_its_server(site: Path, command: Command) -> None:
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAyDF9Brg5kzO26K/OgtdZVF6GnGSDTmlibdDDgai0qw"
    team = f"\nteam:\n  prefect: https://prefect.example.org/api\n  exchange: /srv\n  workers: {{worker-1: {key}}}\n"
    with (site / "site.yaml").open("a") as file:
        file.write(team)

    for words in ((), ("--login",), ("--json",)):
        done = command("dashboard", *words, "--site", site)
        assert done.returncode == 1
        assert "this site's team has a dashboard: https://prefect.example.org\n" in done.stderr
        assert done.stdout == "", "the login of this folder's own server would be refused there"
