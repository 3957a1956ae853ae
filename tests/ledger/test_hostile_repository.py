"""A repository of somebody else, with anchors in it: its configuration and its hooks name programs, and none of them runs."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from ledger.trust.anchor_git import add_note, git_anchors
from ledger.trust.anchors import head_anchor
from ledger.writing import Ledger
from tests.needs import require

pytestmark = pytest.mark.own_file


@pytest.fixture
def site(ledger: Ledger) -> Path:
    ledger.close()
    return ledger.site_dir


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """Return the file that each program of the repository makes."""
    return tmp_path / "ran"


@pytest.fixture
def repository(tmp_path: Path, ran: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with a signed commit, whose configuration and hooks start a program wherever git would let them."""
    require("git")
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "tester")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "tester@example.com")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $@" >> {ran}\ncat > /dev/null\nexit 1\n', encoding="utf-8")
    program.chmod(0o755)
    folder = tmp_path / "repository"
    git(tmp_path, "init", "-q", str(folder))
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    sign = (
        "-c",
        "gpg.format=ssh",
        "-c",
        f"user.signingKey={key}",
        "commit",
        "-q",
        "--allow-empty",
        "-S",
        "-m",
        "first",
    )
    git(folder, *sign)
    for name in ("gpg.program", "gpg.ssh.program", "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand",
                 "core.alternateRefsCommand", "uploadpack.packObjectsHook", "credential.helper", "pager.log", "pager.notes"):  # fmt: skip
        git(folder, "config", name, str(program))
    git(folder, "config", "gpg.ssh.allowedSignersFile", str(key))
    for name, value in (
        ("log.showSignature", "true"),
        ("gpg.format", "ssh"),
        ("core.hooksPath", str(tmp_path / "hooks")),
    ):
        git(folder, "config", name, value)
    (tmp_path / "hooks").mkdir()
    for hook in ("reference-transaction", "post-index-change", "post-checkout", "pre-auto-gc", "post-update"):
        (tmp_path / "hooks" / hook).symlink_to(program)
    assert program.stat().st_mode & stat.S_IXUSR
    return folder


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True, text=True).stdout


def test_its_programs_would_run_by_themselves(repository: Path, ran: Path) -> None:
    git(repository, "log", "--all")

    assert ran.exists()


def test_reading_its_anchors_runs_none_of_them(site: Path, repository: Path, ran: Path) -> None:
    head = head_anchor(site)
    git(
        repository,
        "-c",
        "core.hooksPath=/dev/null",
        "notes",
        "--ref",
        "clusterwright",
        "append",
        "-m",
        head.line,
        "HEAD",
    )
    ran.unlink(missing_ok=True)

    assert [anchor.hash for anchor in git_anchors(repository)] == [head.hash]
    assert not ran.exists()


def test_a_note_is_added_and_runs_none_of_them(site: Path, repository: Path, ran: Path) -> None:
    assert add_note(repository, head_anchor(site))
    assert not add_note(repository, head_anchor(site))

    assert not ran.exists(), ran.read_text()
    assert [anchor.hash for anchor in git_anchors(repository)] == [head_anchor(site).hash]


def test_a_folder_of_the_repository_and_a_commit_without_a_branch_are_read(
    site: Path, repository: Path, ran: Path
) -> None:
    head = head_anchor(site)
    quiet = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")
    git(repository, *quiet, "checkout", "-q", "--detach")
    git(repository, *quiet, "commit", "-q", "--allow-empty", "-m", f"second\n\n{head.trailer}")
    (repository / "inside").mkdir()

    ran.unlink(missing_ok=True)

    assert [anchor.hash for anchor in git_anchors(repository / "inside")] == [head.hash]
    assert not ran.exists()
