"""What goes wrong at a site's first hosts, on real hosts through the engine: it is said in clear words, nobody is locked out, nothing is lost.

One site, one engine, hosts that are administered by an account with sudo. The tests build on each other in their order.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from ansible.parsing.vault import VaultLib, VaultSecret
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization

from ledger.questions.site import head
from ledger.reading import open_snapshot
from ledger.trust.audit import audit
from tests.lab.bare_site import OWNER, make_site
from tests.lab.conftest import made
from tests.lab.lab import Lab
from tests.lab.lifecycle import ssh_command
from tests.lab.playing import find, played
from tests.lab.reaching import ssh, until
from tests.lab.running_site import RunningSite
from tests.lab.test_ssh_access import ACCOUNT, MAKE_ACCOUNT
from tests.ports import free_port

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(1800)]

STEPS = ("143", "144", "145", "146", "H38", "147")
TIME, JOIN, ACCESS = "144@pod-001", "H38@pod-001", "147@pod-001"
HOSTS = ("mgmt", "login", "storage", "node-01", "node-02", "node-03")
FULL, OTHER_KEY, HANGS = "node-01", "node-02", "node-03"
CERTIFICATE = "/etc/clusterwright/host.pem"
PASSWORD = "the right one"
HOST_KEY = "/etc/ssh/ssh_host_ed25519_key"
RUNS = "\nruns: {hang_after_s: 15, vault: [{file: vault-password}]}\n"


class Red(NamedTuple):
    """A lab, and a site over it."""

    lab: Lab
    folder: Path


@pytest.fixture(scope="module")
def red(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Red]:
    """Yield a site whose automation is an account with sudo. Something in its inventory is in a vault."""
    for lab in made("cwred", "full", "10.78.16.0/22"):
        folder = tmp_path_factory.mktemp("red") / "site"
        for host in HOSTS:
            ssh(lab, host, MAKE_ACCOUNT)
        make_site(folder, lab, STEPS, lambda _: {"criteria": ()})
        inventory = folder / "inventory" / "hosts.yml"
        data = yaml.safe_load(inventory.read_text(encoding="utf-8"))
        data["all"]["vars"] |= {"ansible_user": ACCOUNT, "ansible_become": True}
        inventory.write_text(yaml.safe_dump(data), encoding="utf-8")
        (inventory.parent / "group_vars").mkdir()
        vault = VaultLib([("default", VaultSecret(PASSWORD.encode()))]).encrypt("console_password: hidden-word\n")
        (inventory.parent / "group_vars" / "all.yml").write_bytes(vault)
        with (folder / "site.yaml").open("a", encoding="utf-8") as file:
            file.write(RUNS)
        allowed = [sys.executable, "-m", "clusterwright", "allow", "--yes", "--site", str(folder)]
        subprocess.run(allowed, check=True, capture_output=True)
        yield Red(lab, folder)


@pytest.fixture(scope="module")
def engine(red: Red) -> Iterator[RunningSite]:
    """Start the engine, with the right password."""
    (red.folder / "vault-password").write_text(PASSWORD, encoding="utf-8")
    site = RunningSite(red.folder)
    yield site
    site.stop()


@pytest.fixture(autouse=True)
def nobody_is_locked_out(red: Red) -> Iterator[None]:
    """Log in to every host as the automation and as root, after each test."""
    yield
    for host in HOSTS:
        for account in (ACCOUNT, "root"):
            assert lets_in(red.lab, host, account), f"{account} cannot log in to {host}"


def lets_in(lab: Lab, host: str, account: str) -> bool:
    """Return whether a host lets an account in."""
    *options, address = ssh_command(lab, host)
    command = [*options, f"{account}@{address.partition('@')[2]}", "true"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_a_wrong_password_of_a_vault_stops_the_engine_before_anything_runs(red: Red) -> None:
    (red.folder / "vault-password").write_text("another one", encoding="utf-8")
    with open_snapshot(red.folder) as snapshot:
        before = head(snapshot)

    words = ["up", "--until-idle", "--port", str(free_port()), "--site", str(red.folder)]
    done = subprocess.run(
        [sys.executable, "-m", "clusterwright", *words],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )

    assert done.returncode == 2
    assert "group_vars/all.yml" in done.stderr
    assert "Traceback" not in done.stderr
    with open_snapshot(red.folder) as snapshot:
        assert head(snapshot) == before


def test_a_full_disk_is_named_and_stops_the_first_wave(red: Red, engine: RunningSite) -> None:
    assert engine.play("143@site") == "done", engine.log()[-2000:]
    ssh(red.lab, FULL, "mount -t tmpfs -o size=64k full /var/cache/apt; cat /dev/zero >/var/cache/apt/fill || true")

    assert engine.play(TIME) == "failed"

    assert "1 failed at 'Install with apt': node-01\n    a disk of it is full: make room there" in engine.say(
        "show", TIME
    )
    assert engine.results(TIME) == {FULL: "failed"} | {host: "skipped" for host in HOSTS if host != FULL}
    ssh(red.lab, FULL, "umount /var/cache/apt")


def test_a_host_with_another_key_and_a_host_that_hangs_are_named_and_hold_nobody(red: Red, engine: RunningSite) -> None:
    lab = red.lab
    known = lab.known_hosts.read_text(encoding="utf-8")
    ssh(
        lab,
        OTHER_KEY,
        f"cp -p {HOST_KEY} {HOST_KEY}.pub /root; rm {HOST_KEY}*; ssh-keygen -qt ed25519 -N '' -f {HOST_KEY}",
    )
    ssh(
        lab,
        HANGS,
        "mv /usr/bin/apt-get /root; printf '#!/bin/sh\\nexec sleep 7391\\n' >/usr/bin/apt-get; chmod +x /usr/bin/apt-get",
    )

    engine.say("retry", TIME, "--as", OWNER)
    ended = engine.play(TIME)

    assert ended == "failed"
    shown = engine.say("show", TIME)
    assert "1 failed at 'Install with apt': node-03\n    it hung, and was given up" in shown
    assert "unreachable" in shown
    assert "node-02\n    its host key is another than before" in shown
    told = engine.results(TIME)
    assert (told.pop(HANGS), told.pop(OTHER_KEY)) == ("failed", "unreachable")
    assert set(told.values()) <= {"ok", "changed"}

    ssh(lab, HANGS, "pkill -x sleep; mv /root/apt-get /usr/bin/apt-get")
    lab.known_hosts.write_text(known.replace(*_keys_of(lab, OTHER_KEY, known)), encoding="utf-8")
    engine.say("retry", TIME, "--as", OWNER)
    released = engine.say("release", TIME, "--yes", "--as", OWNER)
    until(lambda: engine.state(TIME), "done".__eq__, seconds=300)
    assert engine.state(TIME) == "done"
    assert "on 2 hosts: node-02, node-03" in released
    assert sorted(host for host, status in engine.results(TIME).items() if status != "kept") == [OTHER_KEY, HANGS]


def test_an_expired_certificate_is_named_keeps_nobody_out_and_is_renewed(red: Red, engine: RunningSite) -> None:
    for name in ("145@site", "146@site", JOIN):
        assert engine.play(name) == "done", engine.log()[-2000:]
    expire(red.lab, "node-01")

    looked = played(red.lab, find("H38"), "--tags", "proof", "-v", inventory=_without_vault(red))

    assert "its certificate ended" in looked.said
    assert "its line is not in the log store" in looked.said

    engine.say("reopen", JOIN, "--reason", "a certificate had ended", "--as", OWNER)
    assert engine.play(JOIN) == "done", engine.log()[-2000:]
    ssh(red.lab, "node-01", f"openssl x509 -in {CERTIFICATE} -noout -checkend 86400")


def test_settings_of_log_ins_keep_another_administrator_in(red: Red, engine: RunningSite) -> None:
    assert engine.play(ACCESS) == "done", engine.log()[-2000:]

    for host in HOSTS:
        assert f"Match User {ACCOUNT}" in ssh(red.lab, host, "cat /etc/ssh/sshd_config.d/10-access.conf")
    engine.stop()
    assert audit(red.folder) == []


def expire(lab: Lab, host: str) -> None:
    """Let a host have a certificate of the site's own authority that ended yesterday."""
    key = serialization.load_pem_private_key(
        ssh(lab, "mgmt", "cat /etc/clusterwright/secrets/authority.key").encode() + b"\n", None
    )
    signer = x509.load_pem_x509_certificate(ssh(lab, "mgmt", "cat /etc/clusterwright/authority.pem").encode() + b"\n")
    old = x509.load_pem_x509_certificate(ssh(lab, host, f"cat {CERTIFICATE}").encode() + b"\n")
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(signer.subject, old.subject, old.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=91)).not_valid_after(now - timedelta(days=1))
    for extension in old.extensions:
        builder = builder.add_extension(extension.value, extension.critical)
    ended = builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()  # type: ignore[arg-type]  # RSA, as the authority made it
    ssh(lab, host, f"cat >{CERTIFICATE} <<'END'\n{ended}END\nsystemctl restart rsyslog")


def _keys_of(lab: Lab, host: str, known: str) -> tuple[str, str]:
    """Return the line of a host among the known ones, and as it should be now."""
    address = str(lab.addresses.of(lab.topology.host(host).number))
    line = next(line for line in known.splitlines() if f",{address} " in line)
    scanned = subprocess.run(
        ["ssh-keyscan", "-t", "ed25519", address], capture_output=True, text=True, check=True
    ).stdout
    return line, f"{line.split()[0]} {scanned.split(maxsplit=1)[1].strip()}"


def _without_vault(red: Red) -> Path:
    """Return the inventory beside no vault, as somebody without its password has it."""
    file = red.folder.parent / "hosts.yml"
    file.write_bytes((red.folder / "inventory" / "hosts.yml").read_bytes())
    return file
