"""Anchors in a git repository: notes under `refs/notes/clusterwright`, and trailers of commit messages.

Push the notes with `git push origin refs/notes/clusterwright`. After other people have fetched them, nobody can change them
without those people noticing.

Who wrote a repository wrote its configuration and hooks too, and git runs programs that they name. So a repository is read from a
copy that git makes without them: git's own manual says that for repositories of others. A note is added with git's hooks off.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote

from ledger.trust.anchors import TRAILER, Anchor, text_anchors
from schedule.errors import UnreachableError

NOTES = "clusterwright"
TIMEOUT_S = 60
OF_A_HOOK = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY"})

SERVED = "git -c uploadpack.allowFilter=true upload-pack"
"""How a repository is asked for commits and notes alone: a project's files have no anchors."""

NO_PROGRAMS = (
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "log.showSignature=false"),
    *("-c", "protocol.allow=never"),
)
"""What is set against a repository's own configuration where a note is written into it."""


def add_note(repository: Path, anchor: Anchor) -> bool:
    """Add an anchor to the note on HEAD. Return whether it was written: False if it is there already."""
    if not _git(repository, *NO_PROGRAMS, "rev-list", "--max-count=1", "--all"):
        first = f"git -C {quote(str(repository))} commit --allow-empty --message first"
        raise UnreachableError(f"{repository} has no commit to note it on", hint=f"make one: {first}")
    notes = (*NO_PROGRAMS, "notes", "--ref", NOTES)
    there = _git(repository, *notes, "list", "HEAD", missing_ok=True)
    if there and anchor.line in _git(repository, *notes, "show", "HEAD"):
        return False
    _git(repository, *notes, "append", "-m", anchor.line, "HEAD")
    return True


def git_anchors(repository: Path) -> list[Anchor]:
    """Return every anchor in a repository's notes and commit messages."""
    found: list[Anchor] = []
    with _copy(repository) as copy:
        for line in _git(copy, "notes", "--ref", NOTES, "list").splitlines():
            note, _, commit = line.partition(" ")
            text = _git(copy, "cat-file", "blob", note)
            found += text_anchors(text, f"note on {commit[:12]}")
        trailers = f"--format=%(trailers:key={TRAILER},valueonly)"
        found += text_anchors(_git(copy, "log", "--all", trailers, missing_ok=True), "commit messages")
    return found


@contextmanager
def _copy(repository: Path) -> Iterator[Path]:
    """Yield a copy of a repository's commits and anchor notes, without its configuration and hooks."""
    here = repository.resolve()
    around = (here, *here.parents)
    top = next((one for one in around if (one / ".git").exists()), here)
    with tempfile.TemporaryDirectory() as made:
        copy = Path(made, "copy")
        kind = _git(top, "rev-parse", "--show-object-format").strip()
        init = ("init", "--quiet", "--bare", "--template=")
        _git(Path(made), *init, f"--object-format={kind}", str(copy))
        fetch = ("fetch", "--quiet", "--no-tags", "--no-auto-gc", "--upload-pack", SERVED)
        _git(copy, *fetch, str(top), "+refs/notes/*:refs/notes/*")
        _git(copy, *fetch, "--filter=tree:0", str(top), "+refs/*:refs/*")
        _git(copy, *fetch, "--filter=tree:0", str(top), "+HEAD:refs/heads/HEAD", missing_ok=True)  # it may have no name
        yield copy


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
    return ours | {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
