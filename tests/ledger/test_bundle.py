"""The turnover package, verified by its own script with ssh-keygen and coreutils and nothing else."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, start
from ledger.subjects.work.evidence_decisions import attach
from ledger.trust.package import write_package
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError
from tests.ledger.test_signed import Keys, forge, keys, put_name, signed, worked
from tests.needs import needs

pytestmark = needs("ssh-keygen")

__all__ = ["keys", "signed"]

COREUTILS = (
    *("base64", "cat", "comm", "cut", "date", "dirname", "env", "head", "ls", "mktemp", "mv"),
    *("rm", "sha256sum", "sort", "tail", "tr", "uniq", "wc"),
)
TOOLS = ("sh", "ssh-keygen", *COREUTILS)


@pytest.fixture
def bundle(signed: Ledger, keys: Keys, tmp_path: Path) -> Path:
    worked(signed)
    put_name(signed, keys["lead"], lambda: sign(signed, "lead", "001@site", comment="seen — ä"))
    for number in range(3):
        attach(signed, "tech", "001@site", f"page {number}".encode(), "note", name=f"{number}.txt")
    write_package(signed.site_dir, tmp_path / "bundle", keys["pm"])
    return tmp_path / "bundle"


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH on which there is only OpenSSH and coreutils."""
    folder = tmp_path_factory.mktemp("bin")
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found
        (folder / tool).symlink_to(found)
    return str(folder)


def verify(bundle: Path, bare: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [bundle / "verify.sh"],
        env={"PATH": bare, "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )


def test_the_script_verifies_the_package_with_stock_tools_only(bundle: Path, bare: str) -> None:
    result = verify(bundle, bare)

    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stderr == ""
    assert "2 signatures of people" in result.stdout
    assert "pm, the owner, signed it" in result.stdout
    assert (bundle / "README.md").read_text(encoding="utf-8").count("SHA256:") == 1


@pytest.mark.own_file  # a package is files, wherever the ledger is
@pytest.mark.slow
def test_any_changed_byte_fails(bundle: Path, bare: str) -> None:
    chance = random.Random(4)
    for path in sorted(p for p in bundle.rglob("*") if p.is_file() and p.name != "verify.sh"):
        held = path.read_bytes()
        for _ in range(2):
            at = chance.randrange(len(held)) if held else 0
            changed = bytes([held[at] ^ (1 << chance.randrange(8))]) if held else b"2\tactivity.signed\tlead\n"
            path.write_bytes(held[:at] + changed + held[at + 1 :])
            result = verify(bundle, bare)
            assert result.returncode == 1, f"{path.name} byte {at}: {result.stdout}"
            assert "is NOT valid" in result.stdout
        path.write_bytes(held)
    assert verify(bundle, bare).returncode == 0


def test_a_consistent_forgery_without_the_key_fails(bundle: Path, bare: str) -> None:
    """Somebody who changes a statement can correct every digest, and still not the signature."""
    statement = next((bundle / "statements").glob("*-approved.json"))
    statement.write_text(statement.read_text(encoding="utf-8").replace("seen", "good"), encoding="utf-8")
    sums = [
        subprocess.run(
            ["sha256sum", line.split("  ", 1)[1]], cwd=bundle, capture_output=True, text=True, check=True
        ).stdout
        for line in (bundle / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    ]
    (bundle / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    result = verify(bundle, bare)

    assert result.returncode == 1
    assert "the signature of lead is invalid" in result.stdout
    assert "is not the statement of event 5" in result.stdout


def test_an_added_or_missing_file_fails(bundle: Path, bare: str) -> None:
    (bundle / "evidence" / "extra").write_text("x", encoding="utf-8")
    assert verify(bundle, bare).returncode == 1
    (bundle / "evidence" / "extra").unlink()
    next((bundle / "evidence").iterdir()).unlink()
    assert verify(bundle, bare).returncode == 1


def test_events_cut_off_at_the_end_fail(bundle: Path, bare: str) -> None:
    for name in ("events.jsonl", "hashes"):
        lines = (bundle / name).read_text(encoding="utf-8").splitlines(keepends=True)
        (bundle / name).write_text("".join(lines[:-1]), encoding="utf-8")
    assert verify(bundle, bare).returncode == 1


def test_without_the_owners_signature_only_the_chain_is_proven(bundle: Path, keys: Keys, bare: str) -> None:
    """A script that asks for exit code 0 does not take it, and the owner can sign it later with OpenSSH alone."""
    (bundle / "manifest.sig").unlink()
    alone = verify(bundle, bare)
    subprocess.run(
        ["ssh-keygen", "-q", "-Y", "sign", "-n", "clusterwright", "-f", keys["pm"], bundle / "manifest"],
        check=True,
        capture_output=True,
    )

    assert alone.returncode == 4
    assert "CHAIN ONLY" in alone.stdout
    assert verify(bundle, bare).returncode == 0


def test_nobody_but_the_owner_signs_a_package(signed: Ledger, keys: Keys, tmp_path: Path) -> None:
    for person in ("lead", "stranger"):
        with pytest.raises(NotSatisfiedError, match="is not the key of pm, the owner"):
            write_package(signed.site_dir, tmp_path / person, keys[person])
        assert not (tmp_path / person / "manifest.sig").exists()


def test_no_package_is_made_of_a_ledger_with_faults_or_over_other_files(signed: Ledger, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match="not empty"):
        write_package(signed.site_dir, tmp_path / "full")
    start(signed, "tech", "001@site")
    finish(signed, "tech", "001@site")
    forge(signed.site_dir, "UPDATE event SET actor = 'lead' WHERE seq = 3")
    with pytest.raises(NotSatisfiedError, match="faults"):
        write_package(signed.site_dir, tmp_path / "bundle")
