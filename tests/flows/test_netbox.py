"""An inventory that is in NetBox, read by pynetbox from a server that speaks NetBox's paging (simulated: it is not NetBox)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from flows.runs.allowing.asked import asked_by_netbox
from flows.runs.allowing.kept import keep_allowed
from flows.runs.inventory.hosts import inventory_nodes
from flows.runs.inventory.sources import current_inventory
from schedule.errors import ClusterwrightError, InputError, UnreachableError
from steps.design.site import Inventory
from tests.flows.netbox_server import TOKEN, NetBoxServer, running_netbox

WITH_TOKEN = {"NETBOX_TOKEN": TOKEN}


@pytest.fixture
def netbox() -> Iterator[NetBoxServer]:
    with running_netbox() as server:
        yield server


def kept_answer(folder: Path, inventory: Inventory, environment: dict[str, str]) -> Path:
    """Return what `current_inventory` does where the folder is allowed to send the token."""
    assert inventory.netbox is not None
    keep_allowed(folder, [asked_by_netbox(inventory.netbox).digest])
    with pytest.MonkeyPatch.context() as patched:
        for name, value in environment.items():
            patched.setenv(name, value)
        return current_inventory(folder, inventory)


def source(netbox: NetBoxServer, **more: object) -> Inventory:
    return Inventory.model_validate({"netbox": {"url": netbox.url, "site": "oslo", **more}})


def test_every_page_is_read_and_ansible_understands_what_is_kept(netbox: NetBoxServer, tmp_path: Path) -> None:
    for number in range(1, 9):
        netbox.add(f"gpu-{number}", primary_ip=f"10.1.0.{number}/24", oob_ip=f"10.2.0.{number}/24", serial=f"S{number}")
    netbox.add("leaf-1", role="leaf-switch", primary_ip="10.1.0.101/24")

    path = kept_answer(tmp_path, source(netbox, roles={"compute": "compute", "leaf-switch": "switches"}), WITH_TOKEN)

    nodes = inventory_nodes(path)
    assert [node.name for node in nodes] == [f"gpu-{number}" for number in range(1, 9)]
    assert (nodes[7].serial, nodes[7].bmc_address) == ("S8", "10.2.0.8")
    assert nodes[7].source == f"{netbox.url}/api/dcim/devices/8/"
    listed = subprocess.run(
        [sys.executable, "-m", "ansible", "inventory", "-i", path, "--list"], capture_output=True, text=True, check=True
    )
    hosts = json.loads(listed.stdout)
    assert hosts["switches"]["hosts"] == ["leaf-1"]
    assert hosts["_meta"]["hostvars"]["leaf-1"]["ansible_host"] == "10.1.0.101"
    assert len(netbox.asked) == 3


def test_only_devices_that_are_or_come_into_place_are_hosts(netbox: NetBoxServer, tmp_path: Path) -> None:
    netbox.add("here", status="active")
    netbox.add("soon", status="planned")
    netbox.add("gone", status="decommissioning")
    netbox.add("pdu-1", role="pdu")
    netbox.add(None)

    path = kept_answer(tmp_path, source(netbox, roles={"compute": "compute"}), WITH_TOKEN)

    assert [node.name for node in inventory_nodes(path)] == ["here", "soon"]


def test_the_token_is_kept_nowhere(netbox: NetBoxServer, tmp_path: Path) -> None:
    netbox.add("gpu-1")

    kept_answer(tmp_path, source(netbox), WITH_TOKEN)

    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if TOKEN in path.read_text(encoding="utf-8")]


def test_variables_beside_it_hold_for_its_hosts_and_outlast_it(netbox: NetBoxServer, tmp_path: Path) -> None:
    netbox.add("gpu-1")
    (tmp_path / "inventory" / "host_vars").mkdir(parents=True)
    (tmp_path / "inventory" / "host_vars" / "gpu-1.yml").write_text(yaml.safe_dump({"bmc_address": "10.9.9.9"}))

    path = kept_answer(tmp_path, source(netbox), WITH_TOKEN)

    assert inventory_nodes(path)[0].bmc_address == "10.9.9.9"


def test_a_template_is_no_statement_of_a_serial_number(tmp_path: Path) -> None:
    inventory = tmp_path / "hosts.yml"
    hosts = {"a": {"serial_number": "{{ 'x' }}", "bmc_address": "10.0.0.1"}, "b": {"serial_number": 1004}}
    inventory.write_text(yaml.safe_dump({"all": {"hosts": hosts}}), encoding="utf-8")

    assert [(node.serial, node.bmc_address) for node in inventory_nodes(inventory)] == [
        (None, "10.0.0.1"),
        ("1004", None),
    ]


def refused(netbox: NetBoxServer, folder: Path, token: str = TOKEN, **more: object) -> ClusterwrightError:
    with pytest.raises(ClusterwrightError) as caught:
        kept_answer(folder, source(netbox, **more), {"NETBOX_TOKEN": token})
    assert not (folder / "inventory" / "netbox.json").exists()
    assert TOKEN not in str(caught.value)
    return caught.value


def test_a_token_that_is_not_there_is_asked_for_by_the_name_of_its_variable(
    netbox: NetBoxServer, tmp_path: Path
) -> None:
    error = refused(netbox, tmp_path, token="")

    assert isinstance(error, InputError)
    assert "the environment has no NETBOX_TOKEN" in error.what
    assert not netbox.asked


def test_a_token_that_may_not_is_named_by_its_variable(netbox: NetBoxServer, tmp_path: Path) -> None:
    error = refused(netbox, tmp_path, token="wrong")

    assert isinstance(error, UnreachableError)
    assert "does not accept the token in NETBOX_TOKEN (403)" in error.what


def test_a_site_that_netbox_does_not_know_is_the_users_to_correct(netbox: NetBoxServer, tmp_path: Path) -> None:
    error = refused(netbox, tmp_path, site="bergen")

    assert isinstance(error, InputError)
    assert "no site 'bergen'" in error.what
    assert "inventory.netbox.site" in str(error)


def test_what_is_not_netbox_is_told_from_netbox_that_is_away(netbox: NetBoxServer, tmp_path: Path) -> None:
    netbox.broken = True
    assert "not as NetBox does" in refused(netbox, tmp_path).what

    netbox.shutdown()
    netbox.server_close()
    error = refused(netbox, tmp_path)
    assert isinstance(error, UnreachableError)
    assert "does not answer" in error.what


def test_an_answer_that_never_comes_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import socket

    monkeypatch.setattr("flows.runs.inventory.netbox.TIMEOUT_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(UnreachableError, match="does not answer: ReadTimeout"):
            kept_answer(tmp_path, Inventory.model_validate({"netbox": {"url": url, "site": "oslo"}}), WITH_TOKEN)


@pytest.mark.parametrize(
    ("device", "words"),
    [
        ({"name": "gpu 1"}, "is called 'gpu 1'"),
        ({"name": "all:!management"}, "is called 'all:!management'"),
        ({"name": "gpu-1", "serial": "{{ lookup('pipe', 'id') }}"}, "has the serial number"),
    ],
)
def test_a_name_or_value_that_ansible_would_act_on_is_refused(
    netbox: NetBoxServer, tmp_path: Path, device: dict[str, str], words: str
) -> None:
    netbox.add(**device)

    assert words in refused(netbox, tmp_path).what


def test_two_devices_of_one_name_are_both_named(netbox: NetBoxServer, tmp_path: Path) -> None:
    netbox.add("gpu-1")
    netbox.add("GPU-1")

    assert "devices/1/ and " in refused(netbox, tmp_path).what


def test_a_site_without_hosts_says_which_devices_would_be(netbox: NetBoxServer, tmp_path: Path) -> None:
    netbox.add("pdu-1", role="pdu")

    assert "of a role in `roles`" in refused(netbox, tmp_path, roles={"compute": "compute"}).hint


def test_a_netbox_that_is_away_leaves_what_was_read_last(netbox: NetBoxServer, tmp_path: Path) -> None:
    netbox.add("gpu-1")
    path = kept_answer(tmp_path, source(netbox), WITH_TOKEN)
    before = path.read_bytes()
    netbox.broken = True

    with pytest.raises(UnreachableError):
        kept_answer(tmp_path, source(netbox), WITH_TOKEN)

    assert path.read_bytes() == before
