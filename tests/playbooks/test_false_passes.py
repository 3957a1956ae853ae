"""What a proof says where nothing was tried, or where something else than what it proves refuses: it is not measured, and no pass."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.lab.playing import FOLDER
from tests.playbooks.scripts import script
from tests.playbooks.several_hosts import play


def printed(capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch, name: str, *arguments: object) -> Any:
    """Return what a proof prints with these arguments."""
    patch.setattr(sys, "argv", [name, *map(str, arguments)])
    script("proof", name).main()
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("sets", [[], ["one"], ["empty"], ["one", "empty"]])
def test_sets_of_which_no_version_was_restored_are_not_measured(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sets: list[str]
) -> None:
    """As where the file system is not mounted: then no set is there, not even the proof's own sample."""
    subprocess.run(["git", "init", "-q", tmp_path / "empty"], check=True)

    found = printed(capsys, monkeypatch, "dataset_versions", tmp_path, *sets)["dataset.restored_digest_match"]

    assert found["value"] is (False if "one" in sets else None)
    assert ("one: it is not there" in found["note"]) == ("one" in sets)


@pytest.mark.parametrize(("number", "value"), [(errno.EDQUOT, True), (errno.ENOTCONN, None), (errno.ENOSPC, None)])
def test_a_write_that_another_fault_refuses_says_nothing_of_a_limit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, number: int, value: bool | None
) -> None:
    space = script("proof", "shared_space")

    def refuse(_: int) -> None:
        raise OSError(number, "refused")

    monkeypatch.setattr(space.os, "fsync", refuse)

    assert space.refused(tmp_path, 1 << 20)[0] is value


def test_a_server_that_refuses_for_a_moment_was_not_cut_off() -> None:
    """A port on which nobody listens refuses at once; clients wait ten seconds for a silent server."""
    loss = script("proof", "server_loss")

    assert {value for value, _ in loss.judged(0.4, [], 0.02, 100).values()} == {None}
    assert {value for value, _ in loss.judged(12.0, [], 16.0, 100).values()} == {12.0, 0}


def test_no_framework_is_no_framework_that_works(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = printed(capsys, monkeypatch, "frameworks", tmp_path)

    assert [one["value"] for one in found.values()] == [None, None]


def test_a_set_is_read_by_its_list_and_an_empty_list_is_no_set(tmp_path: Path) -> None:
    ingest = script("proof", "data_ingest")
    (tmp_path / "a b").write_text("a\n", encoding="utf-8")
    (tmp_path / "SHA256SUMS").write_text("", encoding="utf-8")
    assert len(ingest.differing(tmp_path)) == 1

    summed = subprocess.run(["sha256sum", "a b"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    (tmp_path / "SHA256SUMS").write_text(summed, encoding="utf-8")
    assert ingest.differing(tmp_path) == []

    (tmp_path / "SHA256SUMS").write_text(summed + summed.replace("a b", "./c"), encoding="utf-8")
    (tmp_path / "a b").write_text("b\n", encoding="utf-8")
    assert ingest.differing(tmp_path) == ["a b", "./c"]


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2])
def test_a_storage_server_does_not_send_to_itself(tmp_path: Path, count: int) -> None:
    """What it sends to itself never leaves the server, so it says nothing of a port."""
    _, rates = yaml.safe_load((FOLDER / "storage/125_storage_network.yml").read_text(encoding="utf-8"))
    send = next(task for task in rates["tasks"] if task["name"] == "Send to the next server")
    member = {"name": "Be a storage server", "ansible.builtin.group_by": {"key": "storage_servers"}}
    tried = {"name": "Send", "when": send["when"], "ansible.builtin.debug": {"msg": "sent"}}

    said = play(tmp_path, {f"storage-{place}": {} for place in range(count)}, {"tasks": [member, tried]})

    assert (said("storage-0", "Send") == "sent") == (count > 1)
