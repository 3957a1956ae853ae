"""The engine's log as a file: what an engine said, and its warnings and errors. One for all engines of a site, the newest last."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from flows.engine.state_folder import log_folder

FORM = "%(asctime)s %(levelname)s %(name)s %(message)s"
HEAD = re.compile(r"(\d{4}-\d\d-\d\dT[\d:.]+Z) ([A-Z]+) (\S+) (.*)")
"""How an entry begins. Lines that begin otherwise go on with the one before, as those of a traceback."""


class Entry(NamedTuple):
    """An entry of the log: when, in UTC, how bad, by whom, and the text. Of lines without a beginning only the text is known."""

    at: str
    level: str
    source: str
    text: str


def log_file(site_dir: Path) -> Path:
    """Return the path of a site's engine log."""
    return site_dir / ".clusterwright" / "log" / "engine.log"


def file_handler(site_dir: Path) -> logging.FileHandler:
    """Return what writes to the engine's log, in UTC. Make its folder."""
    log_folder(site_dir)
    form = logging.Formatter(FORM)
    form.converter = time.gmtime
    form.default_time_format, form.default_msec_format = "%Y-%m-%dT%H:%M:%S", "%s.%03dZ"
    handler = logging.FileHandler(log_file(site_dir), encoding="utf-8")
    handler.setFormatter(form)
    return handler


@contextmanager
def kept(site_dir: Path, say: Callable[[str], None]) -> Iterator[Callable[[str], None]]:
    """Return what says a sentence and keeps it in the log, while the block lasts. An error that ends the block is kept too."""
    handler = file_handler(site_dir)

    def keep(level: str, text: str) -> None:
        handler.emit(logging.makeLogRecord({"name": "clusterwright", "levelname": level, "msg": text}))

    def say_and_keep(text: str) -> None:
        say(text)
        keep("INFO", text)

    try:
        yield say_and_keep
    except Exception as error:
        keep("ERROR", str(error))
        raise
    finally:
        handler.close()


def entries(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield the entries that lines of the log are."""
    last: Entry | None = None
    for line in lines:
        text = line.rstrip("\n")
        if head := HEAD.fullmatch(text):
            if last is not None:
                yield last
            last = Entry(*head.groups())
        else:
            last = last._replace(text=f"{last.text}\n{text}") if last else Entry("", "", "", text)
    if last is not None:
        yield last
