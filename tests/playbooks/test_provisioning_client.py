"""The proof of the provisioning service: a server of addresses is asked for all but its own, which none offers."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest

from tests.playbooks.scripts import script

SERVER = {"mac": "02:00:00:00:00:11", "address": "10.78.0.11"}
NODE = {"mac": "02:00:00:00:00:21", "address": "10.78.0.21"}
OFFERS = {NODE["mac"]: (NODE["address"], "lpxelinux.0")}


@pytest.mark.parametrize(
    ("hosts", "value", "said"),
    [
        ({"mgmt": SERVER, "node-01": NODE}, 1, "2 offers and 1 files"),
        ({"mgmt": SERVER}, None, "no other host of the inventory has a boot_mac"),
    ],
    ids=["with a node", "alone"],
)
def test_the_servers_own_address_is_not_asked_for(
    hosts: dict[str, dict[str, str]],
    value: int | None,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    client = script("proof", "provisioning_client")
    files = {"tftp:lpxelinux.0": sha256(b"").hexdigest()}
    manifest = {"address": SERVER["address"], "hosts": hosts, "files": files, "records": {}}
    monkeypatch.setattr(client, "_discover", lambda mac, _: OFFERS.get(mac, ("", "")))
    monkeypatch.setattr(client, "_tftp", lambda *_: b"")
    monkeypatch.setattr("sys.argv", ["provisioning_client", json.dumps(manifest)])

    client.main()

    found = json.loads(capsys.readouterr().out)["provision.served_ratio"]
    assert found["value"] == value, found["note"]
    assert found["note"].startswith(said)
