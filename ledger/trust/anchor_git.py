"""Anchors in a git repository: notes under `refs/notes/clusterwright`, and trailers of commit messages.

Push the notes with `git push origin refs/notes/clusterwright`. After other people have fetched them, nobody can change them
without those people noticing.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from ledger.trust.anchors import TRAILER, Anchor, text_anchors
from schedule.errors import UnreachableError

NOTES = "clusterwright"
TIMEOUT_S = 60
OF_A_HOOK = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY"})


def add_note(repository: Path, anchor: Anchor) -> bool:
    """Add an anchor to the note on HEAD. Return whether it was written: False if it is there already."""
    there = _git(repository, "notes", "--ref", NOTES, "list", "HEAD", missing_ok=True)
    if there and anchor.line in _git(repository, "notes", "--ref", NOTES, "show", "HEAD"):
        return False
    _git(repository, "notes", "--ref", NOTES, "append", "-m", anchor.line, "HEAD")
    return True


def git_anchors(repository: Path) -> list[Anchor]:
    """Return every anchor in a repository's notes and commit messages."""
    found: list[Anchor] = []
    for line in _git(repository, "notes", "--ref", NOTES, "list").splitlines():
        note, _, commit = line.partition(" ")
        found += text_anchors(_git(repository, "cat-file", "blob", note), f"note on {commit[:12]}")
    trailers = f"--format=%(trailers:key={TRAILER},valueonly)"
    found += text_anchors(_git(repository, "log", "--all", trailers, missing_ok=True), "commit messages")
    return found


def _git(repository: Path, *words: str, missing_ok: bool = False) -> str:
    """Run git and return what it prints. If git fails, raise UnreachableError, or return nothing with `missing_ok`."""
    try:
        done = subprocess.run(
            ["git", "-C", str(repository), *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
            stdin=subprocess.DEVNULL,
            env=_environment(),
        )
    except FileNotFoundError:
        raise UnreachableError("git is not installed", hint="install git, or anchor to a file") from None
    except subprocess.TimeoutExpired:
        raise UnreachableError(f"git has not answered for {TIMEOUT_S} s in {repository}") from None
    if done.returncode and not missing_ok:
        said = (done.stderr.strip() or "it said nothing").splitlines()[-1]
        raise UnreachableError(f"git in {repository}: {said}")
    return done.stdout if not done.returncode else ""


def _environment() -> dict[str, str]:
    """Return git's environment without the variables that a hook sets. They would make git use the hook's repository."""
    ours = {name: value for name, value in os.environ.items() if name not in OF_A_HOOK}
    return ours | {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
