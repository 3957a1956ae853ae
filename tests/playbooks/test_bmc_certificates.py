"""Certificates of controllers, against the lab's simulated BMCs over TLS: made, renewed, read back, and refused where nobody is known."""

from __future__ import annotations

import json
import socketserver
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ledger.machine_time import machine_time
from tests.lab.sims.redfish import bmc as simulated
from tests.lab.sims.redfish.__main__ import server_of
from tests.needs import require
from tests.playbooks.scripts import script
from tests.playbooks.test_redfish_exporter import Switch
from tests.ports import free_port

PASSWORD = "a-password"
EC = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30")
DAY_S = 86400
AUTHORITY = """#!{python}
import sys
from pathlib import Path
sys.path.insert(0, {files!r})
import site_authority
site_authority.FOLDER, site_authority.AUTHORITY = Path({folder!r}), Path({authority!r})
site_authority.KEY = Path({key!r})
sys.exit(site_authority.main())
"""
"""The authority's own script, on a folder of the test's."""


class Site:
    """Two controllers with certificates of their factory, the site's authority, and the role's script."""

    def __init__(self, folder: Path, terms: dict[str, Any], certify: ModuleType) -> None:
        self.folder = folder
        self.terms = terms
        self._certify = certify

    def run(self, **changes: Any) -> int:
        """Do what the timer does; return the exit code."""
        self.terms |= changes
        (self.folder / "bmcs.json").write_text(json.dumps(self.terms), encoding="utf-8")
        return int(self._certify.main())

    def served(self, number: int, authority: str = "authority.pem") -> str:
        """Return the certificate that a controller serves to a client who knows an authority."""
        one, trust = self.terms["bmcs"][number], ssl.create_default_context(cafile=self.folder / authority)
        bmc = self._certify.Bmc(one, self.terms)
        return ssl.DER_cert_to_PEM_cert(bmc.served(trust)[0])

    def days_left(self, number: int) -> int:
        """Return the days that a controller's certificate has left."""
        end = openssl("x509", "-noout", "-enddate", text=self.served(number)).strip().removeprefix("notAfter=")
        return round((ssl.cert_time_to_seconds(end) - machine_time().timestamp()) / DAY_S)


def openssl(*arguments: str, text: str = "", folder: Path | None = None) -> str:
    """Return what openssl prints."""
    return subprocess.run(
        ["openssl", *arguments], input=text, cwd=folder, capture_output=True, text=True, check=True
    ).stdout


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Yield two controllers that serve."""
    require("openssl")
    for name in ("factory", "authority"):
        signs = ("-addext", "keyUsage=critical,keyCertSign,cRLSign")
        made = ("-subj", f"/CN={name}", *signs, "-keyout", f"{name}.key", "-out", f"{name}.pem")
        openssl("req", "-x509", *EC, *made, folder=tmp_path)
    signed = ("-CA", "factory.pem", "-CAkey", "factory.key", "-addext", "subjectAltName=IP:127.0.0.1")
    openssl("req", "-x509", *EC, "-subj", "/CN=bmc", *signed, "-keyout", "bmc.key", "-out", "bmc.pem", folder=tmp_path)
    for name in ("requests", "issued"):
        (tmp_path / "site" / name).mkdir(parents=True)
    files = str(Path(script("host_certificate", "site_authority").__file__ or "").parent)
    paths = {name: str(tmp_path / name) for name in ("site", "authority.pem", "authority.key")}
    text = AUTHORITY.format(
        python=sys.executable,
        files=files,
        folder=paths["site"],
        authority=paths["authority.pem"],
        key=paths["authority.key"],
    )
    (tmp_path / "sign").write_text(text, encoding="utf-8")
    (tmp_path / "sign").chmod(0o755)
    certify = script("bmc_certificate", "bmc_certificates")
    for name, path in {
        "TERMS": "bmcs.json", "AUTHORITY": "authority.pem", "EARLIER": "factory.pem", "SIGN": "sign", "SERIES": "series/bmc.prom",
        "REQUESTS": "site/requests", "ISSUED": "site/issued",
    }.items():  # fmt: skip
        monkeypatch.setattr(certify, name, tmp_path / path)
    shared = {"address": "127.0.0.1", "switch": str(tmp_path / "switch"), "memory": str(tmp_path)}
    made_up = {"host_address": "127.0.0.1", "mac": "02:00:00:00:00:01", "serial": "SIM", "uuid": "u", "ports": {}}
    ports = [free_port() for _ in range(2)]
    factory = tmp_path / "bmc.pem", tmp_path / "bmc.key"
    servers = [
        server_of({"host": f"node-{port}", "port": port, **shared, **made_up}, PASSWORD, factory) for port in ports
    ]
    switch = socketserver.ThreadingUnixStreamServer(str(tmp_path / "switch"), Switch)
    for server in (*servers, switch):
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    account = {"address": "127.0.0.1", "username": "admin", "password": PASSWORD}
    bmcs = [{"name": f"n{port}-bmc", "port": port, "names": ["127.0.0.1", f"n{port}-bmc"], **account} for port in ports]
    subject = {"Organization": "o", "OrganizationalUnit": "u", "City": "c", "State": "s", "Country": "DE"}
    yield Site(tmp_path, {"days": 90, "first_use": False, "subject": subject, "bmcs": bmcs}, certify)
    for server in (*servers, switch):
        server.shutdown()
        server.server_close()


def test_controllers_get_certificates_of_the_sites_authority_for_a_key_of_their_own(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    assert site.run() == 0

    first, second = site.served(0), site.served(1)
    said = openssl("x509", "-noout", "-ext", "subjectAltName,extendedKeyUsage,basicConstraints", text=first)
    assert f"IP Address:127.0.0.1, DNS:{site.terms['bmcs'][0]['name']}" in said
    assert "TLS Web Server Authentication\n" in said
    assert "CA:FALSE" in said
    keys = {openssl("x509", "-noout", "-pubkey", text=text) for text in (first, second)}
    assert len(keys) == 2
    assert capsys.readouterr().out.count("new certificate") == 2


def test_what_is_good_is_left_alone_and_what_ends_soon_is_renewed_with_another_key(site: Site) -> None:
    site.run(days=29)
    soon = site.served(0)
    assert site.run(days=40) == 0
    assert site.served(0) == soon

    assert site.run(days=90) == 0

    assert site.days_left(0) == 90
    keys = {openssl("x509", "-noout", "-pubkey", text=text) for text in (soon, site.served(0))}
    assert len(keys) == 2


def test_the_end_of_each_certificate_is_exported_for_the_alert(site: Site) -> None:
    site.run()

    lines = (site.folder / "series" / "bmc.prom").read_text(encoding="utf-8").splitlines()[1:]
    assert [line.split("{")[0] for line in lines] == ["certificate_not_after_seconds"] * 2
    left = {round((float(line.rpartition(" ")[2]) - time.time()) / DAY_S) for line in lines}
    assert left == {90}


def test_one_that_refuses_keeps_its_certificate_and_the_others_are_served(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.terms["bmcs"][0]["password"] = "another"

    assert site.run() == 1

    assert "HTTP 401" in capsys.readouterr().err
    site.served(0, "factory.pem")
    assert site.days_left(1) == 90


def test_the_account_is_not_sent_to_one_that_nobody_known_has_signed_unless_the_site_says_so(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    (site.folder / "factory.pem").rename(site.folder / "unknown.pem")

    assert site.run() == 1
    said = capsys.readouterr()
    assert said.err.count("no authority that is known here signed its certificate") == 2
    assert "/redfish" not in said.out

    assert site.run(first_use=True) == 0
    assert site.days_left(0) == 90


def test_one_that_takes_a_certificate_and_does_not_serve_it_is_named(
    site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(simulated.Bmc, "replace_certificate", lambda *_: None)
    monkeypatch.setattr(script("bmc_certificate", "bmc_certificates"), "SERVES_S", 0)

    assert site.run() == 1

    assert capsys.readouterr().err.count("it does not serve the new certificate") == 2
