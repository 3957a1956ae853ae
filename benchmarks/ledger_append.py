"""Events appended a second, beside plain inserts of the same rows with the same durability: `ledger_append.py [ROUNDS]`.

Decisions ask every rule. `append` takes drafts whose rules were asked. Both hash, chain, and keep the projections. The
peer is SQLAlchemy inserting the very event rows into a table of the same columns and index, in a file of its own,
through the same engine settings: write-ahead log, synchronous=FULL, one transaction each or one for a hundred. A
second peer inserts the comments' projection rows too. All take turns in each round; the median round counts.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import count, islice
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, Table, insert, select
from sqlmodel import SQLModel

from ledger.log.chain import Draft
from ledger.machine_time import machine_time
from ledger.state.tables.event import EventTable
from ledger.state.tables.records import Comment
from ledger.stores.sqlite import file_engine
from ledger.subjects.work.decisions import comment, progress, start
from ledger.subjects.work.payloads import Commented, Progressed
from ledger.writing import Ledger
from tests.ledger.busy_site import create_busy_site
from tests.ledger.conftest import activity

NAMES = [f"{number}@site" for number in range(500, 600)]
"""Work that is done by turns. A signed site asks for everything that was recorded about an activity before."""

BATCH = 100
EACH = 300
"""Events of one kind of run in a round."""

Begin = Callable[[], AbstractContextManager[object]]
Row = tuple[Table, dict[str, Any]]
Run = Callable[[], None]
NamedRun = tuple[str, Run]


def recorded(ledger: Ledger, numbers: Iterator[int], transaction: Begin) -> None:
    """Comment and report progress through the decisions, in turns."""
    size = 1 if transaction is nullcontext else BATCH
    for _ in range(EACH // size):
        with transaction():
            for number in islice(numbers, size):
                if number % 2:
                    comment(ledger, "tech", name_of(number), f"what was seen at {number}")
                else:
                    progress(ledger, "tech", name_of(number), percent=number % 100, note=f"row {number}")


def drafted(ledger: Ledger, numbers: Iterator[int], size: int) -> None:
    """Append drafts of the same two kinds."""
    for _ in range(EACH // size):
        ledger.append(*(draft(next(numbers)) for _ in range(size)))


def draft(number: int) -> Draft:
    """Return a draft like the events of the decisions."""
    if number % 2:
        said: Any = Commented(text=f"what was seen at {number}")
    else:
        said = Progressed(items_done=None, percent=number % 100, note=f"row {number}")
    return Draft("tech", said, name_of(number), machine_time())


def name_of(number: int) -> str:
    """Return the activity that an event is about."""
    return NAMES[number // 2 % len(NAMES)]


def inserted(engine: Engine, rows: list[list[Row]], size: int) -> None:
    """Insert rows with SQLAlchemy alone, an event's rows one statement each as an append does."""
    for first in range(0, EACH, size):
        with engine.begin() as connection:
            for of_one_event in rows[first : first + size]:
                for table, row in of_one_event:
                    connection.execute(insert(table), row)


def last_rows(ledger: Ledger, *, projected: bool) -> list[list[Row]]:
    """Return the last events as rows of plain tables, oldest first, with their comments if asked."""
    events, comments = table_of(EventTable), table_of(Comment)
    last = select(events).order_by(events.c.seq.desc()).limit(EACH)
    with ledger.write() as writing:
        run = writing.projection.connection.execute
        found = run(last).mappings()
        rows = {row["seq"]: [(events, dict(row))] for row in found}
        for row in run(select(comments)).mappings() if projected else ():
            if row["seq"] in rows:
                rows[row["seq"]].append((comments, dict(row)))
    return [rows[seq] for seq in sorted(rows)]


def table_of(model: type[SQLModel]) -> Table:
    """Return a model's table."""
    return SQLModel.metadata.tables[str(model.__tablename__)]


def plain_file(path: Path) -> Engine:
    """Return a new file with the two tables and nothing else."""
    engine = file_engine(path)
    SQLModel.metadata.create_all(engine, tables=[table_of(EventTable), table_of(Comment)])
    return engine


def main() -> None:
    """Print events a second and the ratio to plain inserts, one transaction each and in hundreds."""
    given = dict(enumerate(sys.argv))
    rounds = int(given.get(1, 7))
    with tempfile.TemporaryDirectory(dir=given.get(2)) as scratch:
        folder = Path(scratch)
        create_busy_site(
            folder / "site",
            folder / "keys",
            activities=[activity(name) for name in NAMES],
            people={"tech": ("technician",)},
        )
        took = defaultdict[str, list[float]](list)
        with Ledger.open(folder / "site") as ledger:
            for name in NAMES:
                start(ledger, "tech", name)
            for number in range(rounds):
                for what, run in runs(ledger, folder, number):
                    began = time.perf_counter()
                    run()
                    took[what].append(EACH / (time.perf_counter() - began))
        rate = {name: statistics.median(found) for name, found in took.items()}
        print(f"{'events a second':34}{'one each':>12}{'in hundreds':>14}")
        for name in ("decisions", "append", "plain insert", "plain insert with comments"):
            print(f"{name:34}{rate[f'{name}, 1']:12.0f}{rate[f'{name}, 100']:14.0f}")
        for name in ("decisions", "append"):
            for peer in ("plain insert", "plain insert with comments"):
                ratios = [rate[f"{name}, {size}"] / rate[f"{peer}, {size}"] for size in (1, BATCH)]
                print(f"{f'{name} : {peer}':34}{ratios[0]:12.0%}{ratios[1]:14.0%}")


def runs(ledger: Ledger, folder: Path, number: int) -> Iterator[NamedRun]:
    """Return every run of a round, the plain ones with rows that the ledger has just recorded."""
    numbers = count(number * 10_000)
    yield "decisions, 1", lambda: recorded(ledger, numbers, nullcontext)
    for projected, name in ((False, "plain insert"), (True, "plain insert with comments")):
        rows = last_rows(ledger, projected=projected)
        for size in (1, BATCH):
            engine = plain_file(folder / f"plain-{number}-{projected}-{size}.db")
            yield f"{name}, {size}", lambda e=engine, r=rows, s=size: inserted(e, r, s)  # type: ignore[misc]
            engine.dispose()
    yield "append, 1", lambda: drafted(ledger, numbers, 1)
    yield "decisions, 100", lambda: recorded(ledger, numbers, ledger.batch)
    yield "append, 100", lambda: drafted(ledger, numbers, BATCH)


if __name__ == "__main__":
    main()
