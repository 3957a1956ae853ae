"""Passwords of controllers, against the lab's simulated BMCs over TLS: changed, kept where one is refused, and factory accounts found."""

from __future__ import annotations

import io
import json
import os
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import redirect_stdout
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from tests.lab.playing import FOLDER, RECAP
from tests.lab.sims.redfish.__main__ import server_of
from tests.lab.sims.redfish.accounts import Accounts
from tests.needs import require
from tests.playbooks.scripts import script
from tests.playbooks.test_redfish_exporter import Switch
from tests.ports import free_port

OWN = "an-own-password-1"
FACTORY = yaml.safe_load((FOLDER / "roles/bmc_accounts/defaults/main.yml").read_text(encoding="utf-8"))[
    "bmc_accounts_factory"
]
KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")


class Controllers:
    """Simulated controllers that serve, and the role's script."""

    def __init__(self, folder: Path, module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.module = module
        self.servers: list[ThreadingHTTPServer] = []
        self._monkeypatch = monkeypatch

    def started(self, accounts: dict[str, str], **terms: Any) -> Any:
        """Return the simulator of a controller with a factory's accounts, which serves: `bmc`, `accounts`, `sessions`."""
        port = free_port()
        shared = {
            "address": "127.0.0.1",
            "port": port,
            "switch": str(self.folder / "switch"),
            "memory": str(self.folder),
        }
        made_up = {
            "host": f"n{port}",
            "host_address": "127.0.0.1",
            "mac": "02:00:00:00:00:01",
            "serial": "SIM",
            "uuid": "u",
        }
        stated = {**shared, **made_up, "ports": {}, "accounts": accounts, **terms}
        self.servers.append(server_of(stated, "", (self.folder / "bmc.pem", self.folder / "bmc.key")))
        threading.Thread(target=self.servers[-1].serve_forever, args=(0.02,), daemon=True).start()
        return self.servers[-1].RequestHandlerClass

    def terms(self, controller: Any, **changes: Any) -> dict[str, Any]:
        """Return what the role knows of a controller."""
        return {
            "address": f"127.0.0.1:{controller.bmc.terms['port']}",
            "authority": str(self.folder / "authority.pem"),
            "first_use": False,
            "username": "admin",
            "password": OWN,
            "former_username": "admin",
            "former_password": "",
            "factory": FACTORY,
            "tries": 2,
        } | changes

    def ask(self, task: str, controller: Any, **changes: Any) -> dict[str, Any]:
        """Do what the role does; return what was printed."""
        self._monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(self.terms(controller, **changes))))
        self._monkeypatch.setattr(sys, "argv", ["bmc_accounts.py", task])
        with redirect_stdout(io.StringIO()) as printed:
            assert self.module.main() == 0
        assert controller.sessions == {}
        # the simulator writes its journal there too
        said: dict[str, Any] = json.loads(printed.getvalue().splitlines()[-1])
        return said

    def lets_in(self, controller: Any, username: str, password: str) -> bool:
        """Return whether a controller lets somebody in."""
        client = self.module.Controller(self.terms(controller))
        client.meet()
        return bool(client.lets_in(username, password))


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the certificate of controllers, and the authority that signed it."""
    require("openssl")
    folder = tmp_path_factory.mktemp("certificates")
    signed = ("-CA", "authority.pem", "-CAkey", "ca.key", "-addext", "subjectAltName=IP:127.0.0.1")
    for name, more in {
        "ca": ("-keyout", "ca.key", "-out", "authority.pem"),
        "other": ("-keyout", "other.key", "-out", "other.pem"),
        "bmc": (*signed, "-keyout", "bmc.key", "-out", "bmc.pem"),
    }.items():
        made = ["openssl", "req", "-x509", *KEY, "-subj", f"/CN={name}", *more]
        subprocess.run(made, cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
def controllers(certificates: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Controllers]:
    """Yield what starts controllers. They end with the test."""
    for file in certificates.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    module = script("bmc_accounts", "bmc_accounts")
    monkeypatch.setattr(module, "COUNTS_S", 0)
    switch = socketserver.ThreadingUnixStreamServer(str(tmp_path / "switch"), Switch)
    threading.Thread(target=switch.serve_forever, args=(0.02,), daemon=True).start()
    made = Controllers(tmp_path, module, monkeypatch)
    yield made
    for server in (*made.servers, switch):
        server.shutdown()
        server.server_close()


def test_a_factory_password_is_replaced_and_another_run_changes_nothing(controllers: Controllers) -> None:
    one = controllers.started({"admin": "admin"})

    first, again = (controllers.ask("settle", one) for _ in range(2))

    assert (first["changed"], first["failed"], again["changed"]) == (True, False, False), first
    assert controllers.lets_in(one, "admin", OWN)
    assert not controllers.lets_in(one, "admin", "admin")
    assert controllers.ask("look", one)["lets_in"] == []


def test_the_password_outlives_a_restart_of_the_controller(controllers: Controllers) -> None:
    """It is in the controller's memory, as a certificate is."""
    one = controllers.started({"admin": "admin"})
    controllers.ask("settle", one)

    kept = json.loads((controllers.folder / f"bmc-{one.bmc.terms['host']}.json").read_text(encoding="utf-8"))

    assert kept["accounts"]["admin"]["password"] == OWN


def test_a_password_of_the_label_or_of_before_a_rotation_is_replaced(controllers: Controllers) -> None:
    one = controllers.started({"admin": "on-the-label"})

    refused = controllers.ask("settle", one)
    said = controllers.ask("settle", one, former_password="on-the-label")

    assert refused["failed"]
    assert "for fear of a lock-out not tried" in refused["says"]
    assert said["changed"], said
    assert controllers.lets_in(one, "admin", OWN)


def test_check_mode_says_what_would_be_done_and_changes_nothing(controllers: Controllers) -> None:
    one = controllers.started({"admin": "admin"})

    said = controllers.ask("check", one)

    assert said["changed"]
    assert "would get its own password" in said["says"]
    assert controllers.lets_in(one, "admin", "admin")
    assert not controllers.lets_in(one, "admin", OWN)


def test_who_must_change_the_password_first_gets_it_changed_and_counts_as_open_until_then(
    controllers: Controllers,
) -> None:
    """Such a session sees nothing but its own account: the refusal says where that is."""
    one = controllers.started({"root": "0penBmc"}, must_change=["root"])

    open_ = controllers.ask("look", one, username="root", tries=3)
    said = controllers.ask("settle", one, username="root", former_username="root", former_password="0penBmc")

    assert len(open_["lets_in"]) == 1
    assert said["changed"], said
    assert controllers.ask("look", one, username="root")["lets_in"] == []


def test_a_controller_that_refuses_the_password_keeps_its_own_and_says_why_without_it(controllers: Controllers) -> None:
    one = controllers.started({"admin": "admin"}, MinPasswordLength=30)

    said = controllers.ask("settle", one)

    assert (said["failed"], said["changed"]) == (True, False)
    assert "it refuses the new password, and admin of NVIDIA" in said["says"]
    assert "still lets in" in said["says"]
    assert "The value '[secret]' for the property Password is of a different format" in said["says"]
    assert "a password has 30 to 40 characters" in said["says"]
    assert OWN not in said["says"]
    assert controllers.lets_in(one, "admin", "admin")


def test_a_controller_that_takes_the_password_and_forgets_it_is_found(controllers: Controllers) -> None:
    one = controllers.started({"admin": "admin"})
    one.bmc.break_("accounts")

    said = controllers.ask("settle", one)

    assert said["failed"]
    assert "it took the new password and does not let it in; admin of NVIDIA" in said["says"]
    assert "still lets in" in said["says"]
    assert len(controllers.ask("look", one)["lets_in"]) == 1


def test_where_neither_password_lets_in_the_former_one_is_set_again(
    controllers: Controllers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some controllers cut what is too long for them, and do not say so."""
    one = controllers.started({"admin": "on-the-label"})
    change = Accounts.change
    monkeypatch.setattr(
        Accounts, "change", lambda self, number, password, version: change(self, number, password[:12], version)
    )

    said = controllers.ask("settle", one, former_password="on-the-label")

    assert said["failed"]
    assert "admin of bmc_former_password still lets in" in said["says"]
    assert controllers.lets_in(one, "admin", "on-the-label")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"password": "calvin"}, "bmc_password is empty or a factory's"),
        ({"password": ""}, "bmc_password is empty or a factory's"),
        (
            {"username": "cluster", "former_password": "admin"},
            "it has no enabled account cluster (bmc_username), but admin",
        ),
    ],
)
def test_what_cannot_be_done_is_said_and_the_factory_password_stays(
    controllers: Controllers, changes: dict[str, str], words: str
) -> None:
    one = controllers.started({"admin": "admin"})

    said = controllers.ask("settle", one, **changes)

    assert said["failed"]
    assert words in said["says"]
    assert controllers.lets_in(one, "admin", "admin")


def test_no_password_is_sent_where_nobody_known_signed_unless_the_site_says_so(
    controllers: Controllers, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = controllers.started({"admin": "admin"})
    seen: list[str] = []
    real = Accounts.is_right

    def noted(accounts: Accounts, user: str, password: str) -> bool:
        seen.append(user)
        return real(accounts, user, password)

    monkeypatch.setattr(Accounts, "is_right", noted)
    unknown = {"authority": str(controllers.folder / "other.pem")}

    refused = controllers.ask("settle", one, **unknown)

    assert "no authority that is known here signed its certificate" in refused["says"]
    assert (refused["failed"], seen) == (True, [])
    assert controllers.ask("settle", one, **unknown, first_use=True)["changed"]


class TestLooking:
    """Which factory accounts let somebody in."""

    def test_one_left_with_its_factory_password_is_found(self, controllers: Controllers) -> None:
        said = controllers.ask("look", controllers.started({"admin": "admin"}))

        assert len(said["lets_in"]) == 1
        assert "lets in admin of NVIDIA" in said["says"]

    def test_another_account_beside_the_own_is_found(self, controllers: Controllers) -> None:
        said = controllers.ask("look", controllers.started({"admin": OWN, "ADMIN": "ADMIN"}))

        assert said["lets_in"] == ["ADMIN of Supermicro, IPMI before November 2019"]

    def test_a_password_of_the_inventory_that_is_a_factorys_is_found(self, controllers: Controllers) -> None:
        said = controllers.ask("look", controllers.started({"root": "calvin"}), username="root", password="calvin")

        assert len(said["lets_in"]) == 1

    def test_no_account_is_locked_by_the_tries_and_what_was_not_tried_is_said(self, controllers: Controllers) -> None:
        one = controllers.started({"admin": OWN, "root": "unknown"}, AccountLockoutThreshold=3)

        said = controllers.ask("look", one)

        assert said["lets_in"] is None
        assert said["says"].startswith("for fear of a lock-out not tried: root of Dell")
        assert said["says"].count(" of ") >= 2
        assert not one.accounts.is_locked("root")
        assert not one.accounts.is_locked("admin")

    def test_a_threshold_that_allows_it_has_all_of_its_accounts_tried(self, controllers: Controllers) -> None:
        one = controllers.started({"admin": OWN, "root": "unknown"}, AccountLockoutThreshold=8)

        said = controllers.ask("look", one)

        assert said["lets_in"] == []
        assert said["says"] == "refuses 7 factory accounts, and has no account for the other 1"
        assert not one.accounts.is_locked("root")

    def test_refusals_of_one_that_refuses_everybody_say_nothing(
        self, controllers: Controllers, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A controller may shut out an address after a failure, whatever its threshold says of accounts."""
        real = Accounts.is_right
        failed: list[str] = []

        def limited(accounts: Accounts, user: str, password: str) -> bool:
            if failed or not real(accounts, user, password):
                failed.append(user)
                return False
            return True

        monkeypatch.setattr(Accounts, "is_right", limited)

        said = controllers.ask("look", controllers.started({"admin": OWN}))

        assert said["lets_in"] is None
        assert "something is locked" in said["says"]

    def test_one_that_has_neither_password_is_not_measured(self, controllers: Controllers) -> None:
        said = controllers.ask("look", controllers.started({"admin": "unknown"}))

        assert said["lets_in"] is None
        assert said["says"] == f"its own password is refused, and 1 of {len(FACTORY)} factory accounts"

    def test_one_that_does_not_answer_is_not_measured(self, controllers: Controllers) -> None:
        one = controllers.started({"admin": OWN})
        one.bmc.break_("unreachable")

        assert controllers.ask("look", one)["lets_in"] is None


def test_each_factory_account_says_where_it_is_published() -> None:
    pairs = [(one["username"], one["password"]) for one in FACTORY]

    assert all(one["source"] for one in FACTORY)
    assert len(pairs) == len(set(pairs))


@pytest.mark.slow
@pytest.mark.long
class TestPlaying:
    """The playbooks, on three controllers of which one refuses its password."""

    def test_from_factory_passwords_to_none(self, controllers: Controllers) -> None:
        simulated = {
            "n1": controllers.started({"admin": "admin"}),
            "n2": controllers.started({"admin": "admin"}, MinPasswordLength=30),
            "n3": controllers.started({"admin": "admin"}),
        }
        site = Site(controllers, {name: (one, f"{OWN}-{name}") for name, one in simulated.items()})
        before = site.play("H16_factory_passwords.yml")
        assert site.play("H16_bmc_passwords.yml", "--check").changed == {"n1": 1, "n2": 1, "n3": 1, "mgmt": 0}
        assert controllers.lets_in(simulated["n1"], "admin", "admin")

        changed = site.play("H16_bmc_passwords.yml")

        assert "secrets.factory_passwords_left: 3; 3 controllers were asked" in before.said
        assert changed.rc != 0
        assert changed.changed == {"n1": 1, "n2": 0, "n3": 1, "mgmt": 0}
        assert "the controller of n2: it refuses the new password, and admin of NVIDIA" in changed.said
        after = site.play("H16_factory_passwords.yml")
        assert "secrets.factory_passwords_left: 1; 3 controllers were asked. Let somebody in: n2" in after.said
        simulated["n2"].accounts.policy["MinPasswordLength"] = 8
        assert site.play("H16_bmc_passwords.yml").changed == {"n1": 0, "n2": 1, "n3": 0, "mgmt": 0}
        assert site.play("H16_bmc_passwords.yml").changed == {"n1": 0, "n2": 0, "n3": 0, "mgmt": 0}
        assert "secrets.factory_passwords_left: 0; 3 controllers" in site.play("H16_factory_passwords.yml").said
        simulated["n3"].bmc.break_("unreachable")
        last = site.play("H16_factory_passwords.yml")
        assert "secrets.factory_passwords_left: not measured" in last.said
        assert "Not known of: n3" in last.said

    def test_the_first_that_refuses_ends_it_and_a_password_that_two_share_is_not_set(
        self, controllers: Controllers
    ) -> None:
        first = controllers.started({"admin": "admin"}, MinPasswordLength=30)
        second = controllers.started({"admin": "admin"})

        ended = Site(controllers, {"n1": (first, f"{OWN}-a"), "n2": (second, f"{OWN}-b")}).play("H16_bmc_passwords.yml")
        shared = Site(controllers, {"n1": (first, OWN), "n2": (second, OWN)}).play("H16_bmc_passwords.yml")

        assert (ended.rc, shared.rc) == (2, 2)
        assert "bmc_password is the same for n1, n2: nothing was changed" in shared.said
        assert controllers.lets_in(second, "admin", "admin")


class Played:
    """How a run ended."""

    def __init__(self, rc: int, said: str) -> None:
        self.rc = rc
        self.said = " ".join(said.split())
        self.changed = {host: int(count) for host, count in RECAP.findall(said)}


class Site:
    """An inventory with controllers and their own passwords, and a host that has none."""

    def __init__(self, controllers: Controllers, hosts: dict[str, tuple[Any, str]]) -> None:
        self._folder = controllers.folder
        self._secrets = [password for _, password in hosts.values()]
        stated = {
            name: {"bmc_address": f"127.0.0.1:{one.bmc.terms['port']}", "bmc_password": password}
            for name, (one, password) in hosts.items()
        }
        shared = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable, "bmc_username": "admin"}
        variables = shared | {"bmc_ca_path": str(self._folder / "authority.pem")}
        text = yaml.safe_dump({"all": {"hosts": {"mgmt": {}, **stated}, "vars": variables}})
        (self._folder / "hosts.yml").write_text(text, encoding="utf-8")

    def play(self, playbook: str, *options: str) -> Played:
        """Run a playbook with all that Ansible says. No password is in it."""
        ran = subprocess.run(
            ["ansible-playbook", "-vvv", "-i", "hosts.yml", *options, str(FOLDER / "networking" / playbook)],
            cwd=self._folder,
            env=os.environ
            | {
                "ANSIBLE_ROLES_PATH": str(FOLDER / "roles"),
                "ANSIBLE_NOCOLOR": "1",
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        said = ran.stdout + ran.stderr
        assert [secret for secret in self._secrets if secret in said] == []
        return Played(ran.returncode, said)
