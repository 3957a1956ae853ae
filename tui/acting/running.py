"""Run a command in a process of its own, so that the screen never waits for it, and a person can stop it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

LONGEST_LINE = 2**20
"""The longest line of output, in bytes."""

ALONE = {"SSH_ASKPASS_REQUIRE": "never", "NO_COLOR": "1", "TERM": "dumb"}
"""No command asks anything: it has no terminal. A key that wants a passphrase is refused, and the refusal says so."""


REFUSED = "clusterwright: "
"""What a refusal begins with. Before it, a command may have said how far it is."""


UNREACHABLE = 3
"""The code of a command that could not reach something."""


class Done(NamedTuple):
    """How a command ended, and what it said: `answer` on the standard output, `talk` on the other, as a refusal."""

    code: int
    answer: str
    talk: str

    @property
    def is_done(self) -> bool:
        """Whether it did what it was asked for."""
        return self.code == 0

    @property
    def document(self) -> Any:
        """What it answered with `--json`. None where it did not, and `refusal` says why."""
        try:
            return json.loads(self.answer) if self.is_done else None
        except json.JSONDecodeError:
            return None

    @property
    def refusal(self) -> str:
        """Why it did not do what it was asked for, in one line; stopped, if a person did that."""
        if self.is_done:
            return "its answer is not JSON; run it in a terminal to see what it says"
        if self.code in {-signal.SIGINT, 128 + signal.SIGINT}:
            return "stopped"
        said = (self.talk or self.answer or f"exit code {self.code}").rpartition(REFUSED)[2]
        return "; ".join(line.strip() for line in said.strip().splitlines())


@dataclass
class Running:
    """A command at a site, as a person. `heard` gets each line of its answer as it comes."""

    folder: Path
    words: Sequence[str]
    heard: Callable[[str], None] = lambda _: None
    columns: int = 120
    process: asyncio.subprocess.Process | None = None

    async def done(self) -> Done:
        """Run it to its end. Its process has no terminal, and a session of its own."""
        environment = os.environ | ALONE | {"COLUMNS": str(self.columns)}
        try:
            self.process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "clusterwright", *self.words),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=self.folder,
                env=environment,
                start_new_session=True,
                limit=LONGEST_LINE,
            )
        except OSError as error:
            return Done(UNREACHABLE, "", f"{REFUSED}nothing can be run in {self.folder}: {error.strerror}")
        except ValueError as error:  # a character that no argument can have
            return Done(UNREACHABLE, "", f"{REFUSED}this cannot be run: {error}")
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        talk = asyncio.create_task(self.process.stderr.read())
        lines = []
        async for line in self.process.stdout:
            lines.append(line.decode("utf-8", "replace"))
            self.heard(lines[-1].rstrip("\n"))
        said = (await talk).decode("utf-8", "replace")
        return Done(await self.process.wait(), "".join(lines), said)

    def stop(self) -> None:
        """Stop it with all that it started, as Ctrl-C does. Do nothing if it has ended."""
        if self.process is not None and self.process.returncode is None:
            os.killpg(self.process.pid, signal.SIGINT)
