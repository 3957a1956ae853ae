"""What the proof of homes makes of what it finds on a host. `tests/lab/test_homes.py` runs it on hosts."""

from __future__ import annotations

import pwd
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.playbooks.scripts import script

WELL = {"cat": "word", "sh": "mine", "ls": None}
"""What programs say of a home that is its owner's: a stranger's `ls` fails."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home with the right owner and mode."""
    folder = tmp_path / "ada"
    folder.mkdir(mode=0o700)
    person = SimpleNamespace(pw_dir=str(folder), pw_uid=folder.stat().st_uid)
    monkeypatch.setattr(pwd, "getpwnam", {"ada": person}.__getitem__)
    return folder


def faults(monkeypatch: pytest.MonkeyPatch, said: dict[str, str | None], account: str = "ada") -> list[str]:
    """Return what is wrong where programs say this."""
    proof = script("proof", "home_folders")
    monkeypatch.setattr(proof, "said", lambda _, program, *__: said[program])
    return list(proof.faults(account, "word"))


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ({}, None),
        ({"cat": None}, "lacks what another host wrote there: it is a folder of this host alone"),
        ({"sh": None}, "ada cannot write to"),
        ({"ls": ""}, "nobody looks into"),
    ],
)
def test_a_home_is_the_same_elsewhere_and_its_owners_alone(
    said: dict[str, str | None], fault: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = faults(monkeypatch, WELL | said)

    assert [fault in text for text in found if fault] == [True] * bool(fault)
    assert bool(found) == bool(fault)


def test_a_home_of_others_or_open_to_others_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.chmod(0o755)
    assert faults(monkeypatch, WELL) == [f"{home} has mode 0755"]

    home.rmdir()
    assert faults(monkeypatch, WELL) == [f"{home} is not there"]
    monkeypatch.setattr(pwd, "getpwnam", {}.__getitem__)
    assert faults(monkeypatch, WELL, "bob") == ["the account bob is not known"]
