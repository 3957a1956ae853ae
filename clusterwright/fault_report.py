"""A fault of ours: an error that nobody expected is written to a report file, and a message names the file.

The report names code and versions. It holds no argument, no environment and no message of an exception, since any of them may
be a secret. The terminal shows the message, to the person who typed.
"""

import os
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path

from clusterwright.output import clean
from clusterwright.tree import every_command
from clusterwright.where import site_if_any
from ledger.machine_time import machine_time

STATE_FOLDER = ".clusterwright"
LIBRARIES = ("prefect", "ansible-core", "sqlmodel", "pydantic", "textual", "typer")
SHOWN = 300
"""How many characters of an exception's own words the terminal shows."""

FRAMES = 60
"""How many calls of each exception a report lists: a recursion has a thousand of the same."""


def explained(error: BaseException, words: Sequence[str]) -> str:
    """Write the report of an exception, and return what to say to the person."""
    says = clean(" ".join(str(error).split()))[:SHOWN]
    what = f"{type(error).__name__}: {says}" if says else type(error).__name__
    lines = [f"clusterwright: a fault of ours, not of yours: {what}"]
    try:
        path = _written(report(error, words))
    except OSError as unwritten:
        lines.append(f"  its report cannot be written: {unwritten.strerror}")
    else:
        lines.append(f"  the report is in {path}; it holds no argument and no message, only code and versions")
    lines.append("  what was recorded before is kept: `clusterwright audit` says so. Please send us the report")
    return "\n".join(lines)


def report(error: BaseException, words: Sequence[str]) -> str:
    """Return the text of a report: command, versions, and where in the code each exception of the chain was raised."""
    lines = [
        f"time      {machine_time():%Y-%m-%dT%H:%M:%SZ}",
        f"command   clusterwright {command_of(words)}".rstrip(),
        f"version   {version('clusterwright')}",
        f"python    {'.'.join(map(str, sys.version_info[:3]))} on {sys.platform}",
        *(f"library   {name} {version(name)}" for name in LIBRARIES),
        "",
    ]
    for one in _chain(error):
        frames = traceback.extract_tb(one.__traceback__)
        left_out = [f"  ... {len(frames) - FRAMES} more calls"] if len(frames) > FRAMES else []
        lines += [f"  {frame.filename}:{frame.lineno} in {frame.name}: {frame.line}" for frame in frames[:FRAMES]]
        lines += [*left_out, f"{type(one).__module__}.{type(one).__qualname__}", ""]
    return "\n".join(lines)


def command_of(words: Sequence[str]) -> str:
    """Return the command and its verb among the words of a command line. All other words are left out."""
    known = every_command()
    first = [" ".join(words[:number]) for number in (2, 1)]
    return next((name for name in first if name in known), "")


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions that led to one, the first cause first."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        yield from _chain(cause)
    yield error


def _written(text: str) -> Path:
    """Write a report for its owner alone, in the site's state folder or else in the temporary one. Return its path."""
    handle, path = tempfile.mkstemp(".txt", "clusterwright-fault-", _folder())
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    return Path(path)


def _folder() -> Path | None:
    """Return the state folder of the site in which the command runs. None where there is none to write to."""
    words = sys.argv[1:]
    given = [Path(after) for word, after in pairwise(words) if word == "--site"]
    given += [Path(word.removeprefix("--site=")) for word in words if word.startswith("--site=")]
    try:
        site = site_if_any(given[-1] if given else None)
    except Exception:  # noqa: BLE001  the report is written whatever else is wrong
        return None
    state = site / STATE_FOLDER if site is not None else None
    return state if state is not None and os.access(state, os.W_OK) else None
