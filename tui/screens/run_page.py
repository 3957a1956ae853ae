"""A run's page: how it ended, why hosts are not done, every host, what check mode had shown, and its output task by task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from rich.text import Text

from ledger.evidence.live_output import Tail, live_log
from ledger.questions.case import case_of
from ledger.questions.records import items, preview
from ledger.questions.run_list import RunListRow, output_of, run_list
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.subjects.runs.cause_rules import causes
from schedule.errors import ClusterwrightError, InputError
from steps.stamps import minute
from tui.acting.actions import About
from tui.keyline import Shown
from tui.looks import safe
from tui.screens.activity_approval import difference_lines
from tui.screens.activity_quality import cause_lines
from tui.screens.activity_record import run_words
from tui.screens.page import Page, PageScreen
from tui.screens.page_lines import PageLine, Target, said
from tui.screens.run_hosts import host_lines, hosts_of
from tui.screens.run_output import Output, is_failure, read_output

LOOK_S = 1.0
"""How often the page of a run that runs is read again."""

UNFOLDED = 100
"""With more lines about hosts than these, they are folded at first. The causes above them name those that are not done."""

FIRST = frozenset(f"act('activity.{name}')" for name in ("retry", "cancel", "release", "preview"))
"""What is done about runs, which comes first among the keys."""

RUN, PREVIEW, OUTPUT = "The run", "What check mode had shown", "Output before the first task"


class RunScreen(PageScreen):
    """One run. Its tasks are folded, except those that failed; `/` searches in all of the output."""

    TITLE = "Run"
    ABOUT: ClassVar[About] = "activity"

    def __init__(self, run: str) -> None:
        """Keep which run it is."""
        super().__init__()
        self.run = run
        self.record: RunListRow | None = None

    @property
    def chosen(self) -> Sequence[str]:
        """The activity of the run."""
        return () if self.record is None else (self.record.activity,)

    def keys(self) -> tuple[Shown, ...]:
        """Return the keys at the foot."""
        return runs_first(super().keys())

    def on_mount(self) -> None:
        """Follow the run while it runs."""
        super().on_mount()
        self.set_interval(LOOK_S, self.follow)

    def follow(self) -> None:
        """Read again while the run runs."""
        if self.is_current and self.record is not None and self.record.status == "running":
            self.load()

    def ask(self, snapshot: Snapshot) -> Page:
        """Return everything that is known of the run."""
        row = next(iter(run_list(snapshot, self.run)), None)
        if row is None:
            raise InputError(f"there is no run {self.run!r}")
        self.record = row
        zone = site_of(snapshot).time_zone
        output, where = output_lines(snapshot, row)
        found = read_output(output)
        results = items(snapshot, row.id)
        lines = [*_about(row, zone, where)]
        lines += cause_lines("Why hosts are not done", causes(results))
        hosts = list(host_lines(hosts_of(results, found.hosts)))
        lines += hosts
        seen = preview(snapshot, row.activity, row.attempt)
        if seen is not None:
            lines.append(said(PREVIEW, seen.summary, target=Target("evidence", seen.differences)))
            case = case_of(snapshot, row.activity, self.site.person or "")
            lines += difference_lines(case, PREVIEW, seen.differences)
        lines += task_lines(found)
        folded = {task.heading for task in found.tasks if not task.has_failed}
        if len(hosts) > UNFOLDED:
            folded |= {line.section for line in hosts}
        return Page(_head(row), lines, frozenset({*folded, PREVIEW}))


def runs_first(keys: Sequence[Shown]) -> tuple[Shown, ...]:
    """Return the keys at the foot with what is done about runs first, behind the key that shows all."""
    first, *others = keys
    return (first, *(key for key in others if key[2] in FIRST), *(key for key in others if key[2] not in FIRST))


def output_lines(snapshot: Snapshot, row: RunListRow) -> tuple[list[str], str]:
    """Return what a run printed, and where that is from: its file while it is there, else the evidence that it left."""
    tail = Tail(live_log(snapshot.site_dir, row.id))
    lines = tail.lines()
    if lines:
        return lines, f"{tail.log}{', of which this is the end' if tail.is_cut else ''}"
    digest = output_of(snapshot, row)
    if digest is None:
        nothing = "a rehearsed run plays no playbook and prints nothing" if row.simulated else "nothing was printed yet"
        return [], nothing
    from ledger.evidence.store import load  # pydantic, which takes as long to load as the first screen to be painted

    try:
        return load(snapshot.site_dir, digest).decode("utf-8", "replace").splitlines(), f"evidence {digest[:12]}"
    except ClusterwrightError as error:
        return [], str(error)


def _head(row: RunListRow) -> Text:
    text = Text().append(f"{row.id}  ", style="bold").append_text(safe(f"{row.activity} {row.title}"))
    words, _ = run_words(row.status)
    return text.append("\n").append_text(safe(f"{words}  {row.summary}"))


def _about(row: RunListRow, zone: str, where: str) -> Iterator[PageLine]:
    yield PageLine(
        RUN, (("of", "muted"), (row.activity, "ready"), (row.title, "text")), Target("activity", row.activity), "of"
    )
    until = f" to {minute(row.settled_at, zone)}" if row.settled_at else ", not ended yet"
    simulated = ", simulated" if row.simulated else ""
    yield said(RUN, f"attempt {row.attempt} on {row.host}, {minute(row.started_at, zone)}{until}{simulated}")
    yield said(RUN, f"output: {where}", "muted")


def task_lines(output: Output) -> Iterator[PageLine]:
    """Yield the output with a section for each task."""
    yield from (said(OUTPUT, line) for line in output.before)
    for task in output.tasks:
        for line in task.lines or [""]:
            yield said(task.heading, line, "bad" if is_failure(line) else "text")
