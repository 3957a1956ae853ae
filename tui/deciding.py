"""Decisions from the screens: the keys, the question, the service, and its refusal shown as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import work
from textual.binding import Binding, BindingType
from textual.screen import Screen

from ledger.entries import ItemEntry, evidence_of, measurement_of, readings_of
from ledger.questions.case import require_activity
from ledger.questions.checks import checked_items, unchecked_items
from ledger.reading import open_snapshot
from steps.errors import ClusterwrightError
from tui.widgets.ask import Ask
from tui.widgets.check_item import CheckItem, Typed

if TYPE_CHECKING:
    from ledger.questions.snapshot import Snapshot
    from ledger.writing import Ledger
    from tui.app import ClusterwrightApp

Decision = Callable[["Ledger", str], object]


class Decisions(Screen[None]):
    """A mixin for screens with a chosen activity: start, finish, sign, reject, hold, attach, check, comment."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b", "begin", "Start", id="decide.start"),
        Binding("f", "finish", "Finish", id="decide.finish"),
        Binding("s", "sign", "Sign", id="decide.sign"),
        Binding("x", "reject", "Reject", id="decide.reject"),
        Binding("e", "attach", "Attach", id="decide.attach"),
        Binding("m", "measure", "Measure", id="decide.measure"),
        Binding("k", "check", "Check item", id="decide.check"),
        Binding("c", "comment", "Comment", id="decide.comment", show=False),
        Binding("h", "hold", "Hold", id="decide.hold", show=False),
        Binding("t", "retry", "Retry run", id="decide.retry", show=False),
    ]

    @property
    def chosen(self) -> str | None:
        """The activity the keys act on; a screen says which."""
        return None

    def action_begin(self) -> None:
        """Record that work has started."""
        self._decide("started", lambda ledger, me, a: _work().start(ledger, me, a))

    def action_finish(self) -> None:
        """Record that work is finished."""
        self._decide("finished", lambda ledger, me, a: _work().finish(ledger, me, a))

    def action_sign(self) -> None:
        """Approve; asks for a comment, which may stay empty."""
        self._ask(
            "Sign {}. Comment, or nothing:",
            "signed",
            lambda ledger, me, a, text: _signing().sign(ledger, me, a, comment=text),
            needs_text=False,
        )

    def action_reject(self) -> None:
        """Refuse, with the reason."""
        self._ask("Reject {}. Why?", "rejected", lambda ledger, me, a, text: _signing().reject(ledger, me, a, text))

    def action_hold(self) -> None:
        """Stop an activity, with the reason."""
        self._ask("Hold {}. Why?", "on hold", lambda ledger, me, a, text: _work().hold(ledger, me, a, text))

    def action_comment(self) -> None:
        """Write something down."""
        self._ask("Comment on {}:", "noted", lambda ledger, me, a, text: _work().comment(ledger, me, a, text))

    def action_attach(self) -> None:
        """Attach a file as a kind of evidence."""
        self._ask("Attach to {}: kind and file, as `scan-record /path/file.pdf`", "attached", _attach)

    def action_measure(self) -> None:
        """Record a measurement."""
        self._ask("Measure {}: metric (or metric@item), value, unit, source", "measured", _measure)

    def action_check(self) -> None:
        """Check an item: asks which, and how it was found."""
        if self.chosen:
            self._ask_item(self.chosen)

    @work(thread=True, group="decide")
    def _ask_item(self, activity: str) -> None:
        owner = cast("ClusterwrightApp", self.app)
        try:
            with open_snapshot(owner.site.folder) as snapshot:
                left, metrics = _checkable(snapshot, activity)
        except ClusterwrightError as error:
            owner.call_from_thread(self.notify, error.hint or " ", title=error.what, severity="error", markup=False)
            return

        def answered(typed: Typed | None) -> None:
            if typed is not None:
                self._record(activity, _found, lambda ledger, me: _check(ledger, me, activity, typed))

        owner.call_from_thread(owner.push_screen, CheckItem(activity, left, metrics), answered)

    def action_retry(self) -> None:
        """Ask the engine to run it again."""
        self._decide("retry asked for", lambda ledger, me, a: _runs().request_retry(ledger, me, a))

    def _decide(self, said: str, act: Callable[[Ledger, str, str], object]) -> None:
        if self.chosen:
            self._record(self.chosen, said, lambda ledger, me, a=self.chosen: act(ledger, me, a))

    def _ask(
        self, question: str, said: str, act: Callable[[Ledger, str, str, str], object], *, needs_text: bool = True
    ) -> None:
        activity = self.chosen
        if not activity:
            return

        def answered(text: str | None) -> None:
            if text is None or (needs_text and not text.strip()):
                return
            self._record(activity, said, lambda ledger, me: act(ledger, me, activity, text.strip()))

        self.app.push_screen(Ask(question.format(activity)), answered)

    @work(thread=True, group="decide")
    def _record(self, activity: str, said: str | Callable[[Any], str], decision: Decision) -> None:
        owner = cast("ClusterwrightApp", self.app)
        try:
            done = owner.site.act(decision)
        except ClusterwrightError as error:
            owner.call_from_thread(
                self.notify, error.hint or " ", title=error.what, severity="error", timeout=12, markup=False
            )
            return
        words = said if isinstance(said, str) else said(done)
        owner.call_from_thread(self.notify, f"{activity}: {words}", markup=False)
        owner.look()


def _attach(ledger: Ledger, me: str, activity: str, text: str) -> object:
    from ledger.decisions.evidence import attach

    kind, file = evidence_of(text)
    return attach(ledger, me, activity, file, kind)


def _measure(ledger: Ledger, me: str, activity: str, text: str) -> object:
    from ledger.decisions.work import measure

    typed = measurement_of(text)
    metric, value, unit = typed.reading.metric, typed.reading.value, typed.reading.unit
    return measure(ledger, me, activity, metric, value, unit, item=typed.item, source=typed.source)


def _checkable(snapshot: Snapshot, activity: str) -> tuple[list[str], list[str]]:
    """Return the items that are left, failed ones first, and what may be read at one."""
    row = require_activity(snapshot, activity)
    failed = [check.item for check in checked_items(snapshot, row) if check.failing]
    return [*failed, *unchecked_items(snapshot, row)], [c.metric for c in row.plan.criteria if c.each]


def _check(ledger: Ledger, me: str, activity: str, typed: Typed) -> object:
    from ledger.decisions.checklists import check

    readings = readings_of(typed.readings)
    return check(
        ledger, me, activity, [ItemEntry(typed.item, typed.passed, readings, typed.note, typed.serial or None)]
    )


def _found(done: Any) -> str:
    """Say how the item that was recorded was found."""
    (item,) = done.items
    how = f"failed ({item.ncr})" if item.failing else "passed"
    return "\n".join([f"{item.item} {how}", *map(str, item.verdicts)])


def _work() -> Any:
    from ledger.decisions import work

    return work


def _signing() -> Any:
    from ledger.decisions import sign_off

    return sign_off


def _runs() -> Any:
    from ledger.decisions import requests

    return requests
