"""`clusterwright` as tests call it: in the test's own process, where only its output and exit code matter, or in another."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest


def called(
    words: Sequence[object], *, cwd: Path | None = None, env: Mapping[str, str] | None = None, typed: str = ""
) -> subprocess.CompletedProcess[str]:
    """Return the output and exit code of a command that is called in this process: no start of Python, no imports."""
    argv = ["clusterwright", *map(str, words)]
    out, err = Printed(), Printed()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        patch.setattr(sys, "argv", argv)
        # else the command takes its name from pytest
        patch.setattr(sys.modules["__main__"], "__package__", None, raising=False)
        patch.setattr(sys, "stdin", io.StringIO(typed))
        patch.setenv("NO_COLOR", "1")
        for name, value in (env or {}).items():
            patch.setenv(name, value)
        if cwd is not None:
            patch.chdir(cwd)
        code = _exit_code()
    return subprocess.CompletedProcess(argv, code, out.text, err.text)


def at(site: Path, *words: object, rc: int = 0) -> subprocess.CompletedProcess[str]:
    """Return the output of a command at a site, which ends with this exit code."""
    done = called([*words, "--site", site], cwd=site.parent)
    assert done.returncode == rc, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def json_of(site: Path, *words: object) -> Any:
    """Return what a command at a site prints as JSON."""
    return json.loads(at(site, *words, "--json").stdout)


def run(
    words: Sequence[object], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Return the output and exit code of a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "clusterwright", *map(str, words)],
        cwd=cwd,
        env=os.environ | {"NO_COLOR": "1"} | dict(env or {}),
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
        stdin=subprocess.DEVNULL,
    )


class Printed(io.TextIOWrapper):
    """A stream that keeps what is printed to it, text or bytes, as a pipe would."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", newline="", write_through=True)

    @property
    def text(self) -> str:
        """What was printed, with the line ends that `subprocess` makes of any."""
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode().replace("\r\n", "\n").replace("\r", "\n")


def _exit_code() -> int:
    from clusterwright.__main__ import main

    try:
        main()
    except SystemExit as stopped:
        return stopped.code if isinstance(stopped.code, int) else int(stopped.code is not None)
    return 0
