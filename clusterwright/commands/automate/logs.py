"""Show what the engine of this site said, and its warnings and errors, the newest last.

With --follow it goes on until Ctrl-C, and --json then prints one document a line. Times are UTC.

Example:
    clusterwright logs --limit 20
    clusterwright logs --follow

"""

import json
import time
from collections import deque
from pathlib import Path
from typing import Annotated

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.output import clean, plain, print_json, say
from flows.engine.log_file import Entry, entries, log_file

LOOK_S = 0.2


def logs(
    ask: Asking,
    follow: Annotated[bool, Option("--follow", help="Go on with what comes.")] = False,
    limit: Annotated[int, Option(min=0, help="How many entries of those there are.")] = 100,
) -> None:
    path = log_file(ask.folder)
    if follow:
        _follow(path, limit, as_json=ask.as_json)
        return
    found: deque[Entry] = deque(maxlen=limit)
    if path.exists():
        with path.open(encoding="utf-8", errors="replace") as lines:
            found.extend(entries(lines))
    if ask.as_json:
        print_json(list(found))
        return
    for entry in found:
        _print(entry)
    if not path.exists():
        say("no engine has said anything yet; `clusterwright up` starts one")


def _follow(path: Path, limit: int, *, as_json: bool) -> None:
    while not path.exists():
        time.sleep(LOOK_S)
    with path.open(encoding="utf-8", errors="replace") as lines:
        found = deque(entries(lines), limit)
        while True:
            for entry in found:
                if as_json:
                    print(json.dumps(plain(entry)), flush=True)
                else:
                    _print(entry)
            time.sleep(LOOK_S)
            found = deque(entries(lines.readlines()))


def _print(entry: Entry) -> None:
    print(clean(f"{entry.at} {entry.level} {entry.text}".strip()), flush=True)
