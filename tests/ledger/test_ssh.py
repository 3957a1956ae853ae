"""Signatures by OpenSSH: whose, in which namespace, and when they hold."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ledger.rules.rows import SignerKey
from ledger.trust.ssh import allowed_signers, find_key, plain_key, refusal, sign
from schedule.errors import InputError, NotSatisfiedError, UnreachableError
from tests.needs import needs

pytestmark = [needs("ssh-keygen"), pytest.mark.own_file]  # no ledger at all: once is enough

NOW = datetime(2027, 1, 4, 9, 0, tzinfo=UTC)
TEXT = '{"a":1}'


def new_key(path: Path, kind: str = "ed25519") -> str:
    subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-f", str(path)], check=True, stdin=subprocess.DEVNULL)
    return plain_key(path.with_name(path.name + ".pub").read_text(encoding="utf-8"))


def signers(key: str, since: datetime = NOW, until: datetime | None = None) -> str:
    return allowed_signers([SignerKey("lead-1", key, since, until)], "clusterwright")


@pytest.mark.parametrize("kind", ["ed25519", "ecdsa", "rsa"])
def test_a_signature_holds_for_each_type_of_key(tmp_path: Path, kind: str) -> None:
    key = new_key(tmp_path / "id", kind)
    made = sign(TEXT, tmp_path / "id", "clusterwright")

    assert refusal(TEXT, made, "lead-1", signers(key), "clusterwright", NOW) is None


def test_a_changed_text_another_person_namespace_or_key_is_refused(tmp_path: Path) -> None:
    key, other = new_key(tmp_path / "id"), new_key(tmp_path / "other")
    made = sign(TEXT, tmp_path / "id", "clusterwright")
    elsewhere = sign(TEXT, tmp_path / "id", "clusterwright-rehearsal")

    assert refusal(TEXT + " ", made, "lead-1", signers(key), "clusterwright", NOW)
    assert refusal(TEXT, made, "lead-2", signers(key), "clusterwright", NOW)
    assert refusal(TEXT, elsewhere, "lead-1", signers(key), "clusterwright", NOW)
    assert refusal(TEXT, made, "lead-1", signers(other), "clusterwright", NOW)
    assert refusal(TEXT, "garbage", "lead-1", signers(key), "clusterwright", NOW)


def test_a_key_counts_from_its_enrolment_until_it_is_revoked(tmp_path: Path) -> None:
    key = new_key(tmp_path / "id")
    made = sign(TEXT, tmp_path / "id", "clusterwright")
    held = signers(key, NOW, NOW + timedelta(days=1))

    assert refusal(TEXT, made, "lead-1", held, "clusterwright", NOW + timedelta(hours=1)) is None
    assert refusal(TEXT, made, "lead-1", held, "clusterwright", NOW - timedelta(hours=1))
    assert refusal(TEXT, made, "lead-1", held, "clusterwright", NOW + timedelta(days=2))


def test_what_is_no_public_key_is_refused() -> None:
    for text in ("hello", "ssh-dss AAAAB3NzaC1kc3MAAACBAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "ssh-ed25519 short"):
        with pytest.raises(InputError):
            plain_key(text)


def test_the_key_is_found_by_what_the_site_knows(tmp_path: Path) -> None:
    (tmp_path / ".ssh").mkdir()
    key = new_key(tmp_path / ".ssh" / "id_work")
    new_key(tmp_path / ".ssh" / "id_home")

    assert find_key(key, None, {"HOME": str(tmp_path)}).name == "id_work"
    assert find_key(key, None, {"CLUSTERWRIGHT_KEY": str(tmp_path / ".ssh" / "id_home")}).name == "id_home"
    with pytest.raises(UnreachableError, match="none of the keys"):
        find_key(key, None, {"HOME": str(tmp_path / "nowhere")})


def test_a_key_that_others_can_read_does_not_sign(tmp_path: Path) -> None:
    new_key(tmp_path / "id")
    (tmp_path / "id").chmod(0o644)

    with pytest.raises(NotSatisfiedError, match="did not sign"):
        sign(TEXT, tmp_path / "id", "clusterwright")


def test_an_agent_signs_for_a_public_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = new_key(tmp_path / "id")
    agent = subprocess.Popen(["ssh-agent", "-D", "-a", str(tmp_path / "agent")], stdout=subprocess.DEVNULL)
    try:
        monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "agent"))
        for _ in range(50):
            added = subprocess.run(["ssh-add", "-q", str(tmp_path / "id")], capture_output=True, check=False)
            if added.returncode == 0:
                break
        (tmp_path / "id").unlink()
        made = sign(TEXT, tmp_path / "id.pub", "clusterwright")
    finally:
        agent.terminate()
        agent.wait()

    assert refusal(TEXT, made, "lead-1", signers(key), "clusterwright", NOW) is None
