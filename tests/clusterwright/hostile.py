"""One hostile case at a time: a fresh copy of a site, a mutated file or a hostile command line, and how that ended."""

from __future__ import annotations

import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from schedule.errors import ClusterwrightError
from tests.clusterwright.bounded_runs import CPU_SECONDS, MEMORY, Outcome, bounded
from tests.clusterwright.command_lines import commands
from tests.clusterwright.hostile_files import Subject, drawn, place
from tests.clusterwright.hostile_lines import line
from tests.clusterwright.mutations import mutated
from tests.commands import called

VARIES = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?\S*|/tmp/[^\s:'\"]+|[0-9a-f]{12,}|\d+\.\d+")
"""What differs between two runs of one command: times, folders, digests and measured seconds."""


class Trial(NamedTuple):
    """A case, how it ended, and what to do to see it again in a process of its own. `words` is empty for a function."""

    what: str
    outcome: Outcome
    words: Sequence[str] = ()
    prepare: Callable[[Path], object] = lambda _: None

    @classmethod
    def none(cls) -> Trial:
        """Return what every trial took more than."""
        return cls("nothing", Outcome(0, "", 0, 0))


def adopted_site(folder: Path) -> Path:
    """Return a new site with its first plan in force. Every command is imported then, for the copies of this process."""
    commands()
    for words in (
        ("init", "--preset", "superpod-1su", "--start", "2026-11-23", folder),
        ("plan", "adopt", "--as", "owner", "--yes"),
    ):
        done = called(words, cwd=folder if folder.exists() else folder.parent)
        assert done.returncode == 0, done.stderr
    return folder


def file_trial(site: Path, seed: int, number: int) -> Trial:
    """Mutate a file of the site, and let the program read it."""
    draw = random.Random(f"{seed} file {number}")
    subject = drawn(site, draw)
    content = mutated(subject.content, draw)
    return trial_of(site, subject, content, draw)


def trial_of(site: Path, subject: Subject, content: bytes, draw: random.Random) -> Trial:
    """Let the program read this content in place of a file."""
    choices = [*subject.lines, *([()] if subject.read else [])]
    words = list(draw.choice(choices))
    with tempfile.TemporaryDirectory() as scratch:
        folder = _copy(site, Path(scratch))
        path = place(subject, content, folder)
        work = _calling(words) if words else _reading(subject, path)
        outcome = bounded(work, folder)
    what = f"{subject.name}, {' '.join(words) or 'read by a function'}"
    return Trial(what, outcome, words, lambda folder: place(subject, content, folder))


def line_trial(site: Path, seed: int, number: int) -> Trial:
    """Call a hostile command line at the site."""
    draw = random.Random(f"{seed} line {number}")
    words = line(draw)
    with tempfile.TemporaryDirectory() as scratch:
        folder = _copy(site, Path(scratch))
        outcome = bounded(_calling(words), folder)
    return Trial(" ".join(word if len(word) < 60 else f"{word[:60]}..." for word in words), outcome, words)


def said_alike(site: Path, trial: Trial) -> bool:
    """Return whether a real process ends a trial with the same code and the same words."""
    if not trial.words:
        return True
    with tempfile.TemporaryDirectory() as scratch:
        folder = _copy(site, Path(scratch))
        trial.prepare(folder)
        ended = subprocess.run(
            [sys.executable, "-m", "clusterwright", *trial.words],
            cwd=folder,
            env=os.environ | {"NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=120,
            preexec_fn=_limit,
        )
    return ended.returncode == trial.outcome.code and _constant(ended.stdout.decode(errors="replace")) == _constant(
        trial.outcome.said
    )


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def _constant(said: str) -> list[str]:
    return sorted(VARIES.sub("", said.replace("python -m clusterwright", "clusterwright")).split())


def _copy(site: Path, scratch: Path) -> Path:
    folder = scratch / "site"
    shutil.copytree(site, folder)
    (folder / "nothing.txt").touch()
    (folder / "bytes.bin").write_bytes(bytes(range(256)) * 4)
    (folder / "text.txt").write_text("some words\n", encoding="utf-8")
    (folder / "broken-link").symlink_to("nowhere")
    (folder / "circle").symlink_to("circle")
    return folder


def _calling(words: Sequence[str]) -> Callable[[], int]:
    """Return work that calls a command and returns its exit code."""

    def work() -> int:
        from clusterwright.__main__ import main

        sys.argv = ["clusterwright", *words]
        os.environ["NO_COLOR"] = "1"
        vars(sys.modules["__main__"])["__package__"] = None  # else the command takes its name from the test
        try:
            main()
        except SystemExit as ended:
            return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        return 0

    return work


def _reading(subject: Subject, path: Path) -> Callable[[], int]:
    """Return work that reads a file by its function, and returns 2 if that refuses it."""

    def work() -> int:
        assert subject.read is not None
        try:
            subject.read(path)
        except ClusterwrightError as error:
            print(error)
            return 2
        return 0

    return work
