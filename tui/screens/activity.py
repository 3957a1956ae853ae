"""An activity's page: why it waits as a chain that a key follows, who can sign, what was measured, what ran, what happened."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import ClassVar

from ledger.questions.case import LookedUp, case_of
from ledger.questions.snapshot import Snapshot
from tui.acting.actions import ACTIONS, About
from tui.screens.activity_approval import approval, check_mode, pieces
from tui.screens.activity_quality import checked, faults, measured, not_done
from tui.screens.activity_record import HISTORY, TAKES_BACK, history, links, notes, ordered, ran
from tui.screens.activity_state import CHAIN, WAITS, chain, dates, facts, head, waits
from tui.screens.page import Page, PageScreen
from tui.screens.page_lines import PageLine

PARTS: tuple[Callable[[LookedUp], Iterator[PageLine]], ...] = (
    waits,
    chain,
    dates,
    not_done,
    approval,
    pieces,
    facts,
    measured,
    checked,
    check_mode,
    faults,
    ordered,
    ran,
    notes,
    links,
    history,
)
"""The sections in the order in which a signer reads them."""


class ActivityScreen(PageScreen):
    """One activity. `w` follows the chain of what it waits for, `z` takes an entry back, Esc comes back."""

    TITLE = "Activity"
    ABOUT: ClassVar[About] = "activity"

    def __init__(self, activity: str) -> None:
        """Keep which activity it is."""
        super().__init__()
        self.activity = activity

    @property
    def chosen(self) -> Sequence[str]:
        """The activity of the page."""
        return (self.activity,)

    def ask(self, snapshot: Snapshot) -> Page:
        """Return every part of the page."""
        case = case_of(snapshot, self.activity, self.site.person or "")
        lapsed = self.site.lapsed(snapshot)
        lines: list[PageLine] = []
        for part in PARTS:
            made = partial(waits, lapsed=lapsed) if part is waits else part
            lines += made(case)
        return Page(head(case), lines, frozenset({HISTORY}))

    def action_act(self, name: str) -> None:
        """Follow the chain, or take an entry back; any other action is a command about the activity."""
        if name == "activity.why":
            self.follow_chain()
        elif name == "site.correct":
            self.take_back()
        else:
            super().action_act(name)

    def follow_chain(self) -> None:
        """Open what the activity under the cursor is, else what this one waits for first."""
        row = self.row
        here = None if row is None or row.section not in {WAITS, CHAIN} else row.target
        target = here or next((line.target for line in self.lines if line.section == CHAIN and line.target), None)
        if target is None:
            self.notify(f"{self.activity} waits for nothing before it")
        else:
            self.open_target(target)

    def take_back(self) -> None:
        """Ask to take back the entry under the cursor, else the last one that can be taken back."""
        if not self.owner.may_record():
            return
        row = self.row
        here = row.target if row is not None else None
        if here is not None and here.kind == "event":
            self.notify(f"event {here.id} cannot be taken back by you now: `clusterwright correct` says why")
            return
        entries = [line for line in self.lines if line.target is not None and line.target.kind == "entry"]
        line = next((one for one in entries if one.target == here), entries[0] if entries else None)
        if line is None or line.target is None:
            self.notify(f"no entry about {self.activity} can be taken back by you now")
            return
        said = " ".join(text for text, _ in line.pieces).removesuffix(TAKES_BACK)
        correct = next(action for action in ACTIONS if action.id == "site.correct")
        self.owner.act(correct, (line.target.id,), warnings=lambda: [f"event {said}"])
