"""The tornado of go-live: by how many days each cause of delay makes it later. A command works it out while one waits or goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, ClassVar, NamedTuple

from textual import work
from textual.binding import Binding, BindingType

from ledger.questions.snapshot import Snapshot
from steps.stamps import moment
from tui.keyline import Shown
from tui.leaving import is_open
from tui.lists.bars import BLOCKS
from tui.lists.column import Column, Span
from tui.lists.timescale import EIGHTHS
from tui.lists.view import View
from tui.looks import day_text
from tui.screens.output import RunningScreen

WORDS = ("picture", "--json", "tornado")


class Cause(NamedTuple):
    """A cause of delay. Days are by how much later go-live is with it: at P80, and on average with the standard error."""

    name: str
    title: str
    days_p80: float
    days_mean: float
    error_days: float


@dataclass
class Tornado:
    """What was worked out last, kept while the screens are open. `said` is what it is of, or why there is none."""

    causes: list[Cause] = field(default_factory=list)
    said: str = ""


class TornadoScreen(RunningScreen[Cause]):
    """The greatest first. Esc stops the command while it runs, then goes back; `f` works it out again."""

    TITLE = "Tornado"
    EMPTY = "each cause of delay is left out in turn; that takes a second or more a cause"
    FIRST_KEYS: ClassVar[tuple[Shown, ...]] = (("f", "Work it out again", "again"),)
    BINDINGS: ClassVar[list[BindingType]] = [Binding("f", "again", "Work it out again", id="tornado.again")]

    def __init__(self, kept: Tornado) -> None:
        """Take what was worked out before, which is shown until it is worked out again."""
        super().__init__()
        self.kept = kept
        self._since = 0.0

    def made(self) -> View[Cause]:
        """Return the list of causes."""
        columns = [
            Column[Cause]("cause", "later because of", 26, lambda cause: cause.name),
            Column[Cause]("p80", "P80 days", 9, _p80, lambda c: c.days_p80, right=True),
            Column[Cause]("bar", "", 0, lambda _: "", spans=self._bar),
            Column[Cause]("mean", "mean", 14, _mean, lambda cause: cause.days_mean, right=True, rank=1),
            Column[Cause]("what", "what", 44, lambda cause: cause.title, rank=2),
        ]
        return View(columns, lambda cause: cause.name)

    def _bar(self, cause: Cause, width: int) -> Sequence[Span]:
        """Return a bar for the days that go-live is later, or with a minus in front for those that it is earlier."""
        most = max(abs(one.days_p80) for one in self.view.rows)
        whole, part = divmod(round(abs(cause.days_p80) / most * (width - 1) * EIGHTHS) if most else 0, EIGHTHS)
        bar = BLOCKS[-1] * whole + (BLOCKS[part] if part else "")
        is_later = cause.days_p80 >= 0
        return [((bar if is_later or not bar else f"-{bar}").ljust(width), "bad" if is_later else "good")]

    def ask(self, _snapshot: Snapshot) -> None:
        """Ask the record nothing."""

    def show(self, _answer: Any = None) -> None:
        """Show what was worked out: also where that came while the record was being read."""
        super().show(self.kept.causes)

    def on_mount(self) -> None:
        """Work it out, if it was not yet."""
        super().on_mount()
        self.set_interval(1, self.count)
        if not self.kept.causes:
            self.work_out()

    def count(self) -> None:
        """Say for how long it is at work, or what is shown."""
        super().count()
        is_at_work = self.running is not None
        said = f"at work, {monotonic() - self._since:.0f} s; Esc stops it" if is_at_work else self.kept.said
        if said and self.view.wrong is None:
            self.prompt.say(f"{self.prompt.note} · {said}")

    @work(group="tornado", exclusive=True)
    async def work_out(self) -> None:
        """Run the command and show its answer. A refusal is shown where the answer would be."""
        self.running, self._since = self.site.running(WORDS), monotonic()
        done = await self.running.done()
        self.running = None
        document = done.document
        if document is not None:
            self.kept.causes = [Cause(**bar) for bar in document["bars"]]
            left_out = f", {document['left_out']} smaller ones are left out" if document["left_out"] else ""
            day = day_text(moment(document["as_of"]), self.site.zone)
            self.kept.said = f"of {document['samples']:,} samples, as of {day}{left_out}"
        else:
            self.kept.said = f"{done.refusal}; f works it out again"
        if is_open(self):
            self.show()

    def action_again(self) -> None:
        """Work it out again."""
        if self.running is None:
            self.work_out()


def _p80(cause: Cause) -> str:
    return f"{cause.days_p80:+z.1f}"


def _mean(cause: Cause) -> str:
    return f"{cause.days_mean:+z.1f} ± {cause.error_days:.1f}"
