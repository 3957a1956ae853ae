"""What a manager looks at first: go-live, what moved and why, what is mine, what is late, what comes, what runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical, VerticalScroll
from textual.widgets import Static

from ledger.machine_time import machine_time
from ledger.questions.counts import counts, phases
from ledger.questions.crews_today import crews_today
from ledger.questions.decisions_needed import everybody
from ledger.questions.halls import halls
from ledger.questions.headlines import Headlines, headlines
from ledger.questions.moved import moved
from ledger.questions.open_links import OpenLinks
from ledger.questions.orders import budget
from ledger.questions.progress_curve import Curve, progress_curve
from ledger.questions.run_list import automation_now
from ledger.questions.site import head, site_of
from ledger.questions.snapshot import Snapshot
from ledger.questions.supplies import supplies
from ledger.questions.waiting import waiting
from ledger.rules.rows import OrderRow
from steps.stamps import minute
from tui.acting.actions import About
from tui.last_look import Look, looked
from tui.leaving import is_open
from tui.lists.grid import Grid
from tui.screens.base import SiteScreen
from tui.screens.morning_head import POINTS, curve_text, head_text
from tui.screens.morning_late import late_rows
from tui.screens.morning_means import PlanMeans, facts, plan_means, supply_rows
from tui.screens.morning_panels import LEFT, RIGHT
from tui.screens.morning_rows import chain, mine, news, phase_rows, run_rows
from tui.screens.panel import Panel, PanelRow
from tui.site import STRANGER


class Morning(NamedTuple):
    """What the morning shows, ready to paint."""

    head: Text
    curve: Curve | None
    zone: str
    panels: dict[str, tuple[Sequence[PanelRow], str]]


class MorningScreen(SiteScreen):
    """Tab goes to the next panel, Enter opens what is under the cursor, and its keys decide about it."""

    TITLE = "Morning"
    ABOUT: ClassVar[About] = "site"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-two")]  # noqa: RUF012  as Textual declares it
    DEFAULT_CSS = """
    MorningScreen #head { height: auto; padding: 0 1; }
    MorningScreen #curve { height: 2; padding: 0 1; }
    MorningScreen #morning { height: 1fr; }
    MorningScreen #panels { height: auto; }
    MorningScreen Panel { height: 7; }
    MorningScreen #mine, MorningScreen #late { height: 9; }
    MorningScreen #phases { height: 11; }
    MorningScreen.-two #panels { layout: horizontal; height: 1fr; min-height: 28; }
    MorningScreen.-two .column { width: 1fr; height: 100%; }
    MorningScreen.-two Panel { height: 1fr; min-height: 4; }
    MorningScreen.-two #phases { height: 11; }
    MorningScreen.-two #late { height: 1.4fr; }
    MorningScreen.-two #left { margin-right: 1; }
    MorningScreen.-narrow .column { height: auto; }
    """

    def __init__(self) -> None:
        """Begin with nothing read."""
        super().__init__()
        self.means: PlanMeans | None = None
        self.morning: Morning | None = None

    def body(self) -> ComposeResult:
        """Return go-live, the panels in two columns, and the S-curve."""
        with VerticalScroll(id="morning", can_focus=False):
            yield Static("", id="head")
            with Container(id="panels"):
                for side, of in (("left", LEFT), ("right", RIGHT)):
                    with Vertical(id=side, classes="column"):
                        for name, (title, shapes, empty) in of.items():
                            yield Panel(name, title, shapes, empty=empty)
            yield Static("", id="curve")

    def on_mount(self) -> None:
        """Let keys go to what is mine."""
        self.set_focus(self.query_one("#mine"), scroll_visible=False)

    # What is read

    def ask(self, snapshot: Snapshot) -> Morning:
        """Return everything that the morning shows, from one snapshot and the forecast that the site keeps."""
        owner, site, now = self.site, site_of(snapshot), snapshot.now
        lapsed = owner.lapsed(snapshot)
        top = headlines(snapshot, lapsed)
        head = head_text(site, top, counts(snapshot) if top.went_live else None)
        if self.morning is None:  # go-live is what one opens the screens for; the rest takes a second on a large site
            self.app.call_from_thread(self._show_head, head)
        links, bought = OpenLinks(snapshot), supplies(snapshot)
        orders = [one.order for one in bought if one.delivery is None]
        forecast, zone = top.fresh.forecast if top.fresh else None, site.time_zone
        self.means = plan_means(snapshot, self.means)
        waits = waiting(snapshot, owner.person, lapsed, links) if owner.person else []
        found = phases(snapshot)
        behind = late_rows(owner.rows, orders, forecast, now, zone)
        later = "" if top.late.forecast_later is None else f", {top.late.forecast_later:,} forecast later"
        of_phases = phase_rows(found, links.waits_of_phases(forecast.nodes if forecast else {}), forecast)
        panels: dict[str, tuple[Sequence[PanelRow], str]] = {
            "mine": (mine(waits, now), f"{len(waits)} for {owner.person}" if owner.person else STRANGER),
            "moved": self._moved(snapshot, top, zone),
            "phases": (of_phases, ""),
            "late": (behind, f"{top.late.past_planned_finish:,} past their planned finish{later}"),
            "chain": (chain(forecast, {row.id: row for row in owner.rows}, zone) if forecast else [], ""),
            "supplies": (supply_rows(bought, now), ""),
            "runs": (run_rows(automation_now(snapshot), now), ""),
            "facts": (self._facts(snapshot, top, orders, zone) if found else [], ""),
        }
        return Morning(head, progress_curve(snapshot, POINTS), zone, panels)

    def _facts(self, snapshot: Snapshot, top: Headlines, orders: Sequence[OrderRow], zone: str) -> list[PanelRow]:
        """Return decisions, halls, money and crews."""
        found = halls(snapshot, top.fresh.forecast if top.fresh else None)
        money, crews = budget(snapshot), crews_today(snapshot)
        return list(facts(top.decisions, everybody(snapshot), found, money, orders, crews, self.means, zone))

    def _moved(self, snapshot: Snapshot, top: Headlines, zone: str) -> tuple[Sequence[PanelRow], str]:
        """Return what moved since the person's last sitting, and since when that is. This look is kept for the next one."""
        site, forecast = self.site, top.fresh.forecast if top.fresh else None
        if site.read_only:
            return [], "read-only screens keep no look"
        slip = {one.id: one.minutes for one in forecast.slip} if forecast else {}
        look = Look(machine_time(), head(snapshot).seq, forecast.finish if forecast else None, slip)
        before = looked(site.folder, site.person or "", look)
        if before is None:
            return [], "this is your first look; the next one says what moved since"
        rows = list(news(before, moved(snapshot, before.seq), forecast, zone))
        return rows, f"since your last look, {minute(before.at, zone)}"

    # What is shown

    def show(self, answer: Any) -> None:
        """Paint what was read; at first with the top in sight, whatever has the keys."""
        if self.morning is None:
            self.call_after_refresh(self.query_one("#morning").scroll_home, animate=False)
        self.morning = answer
        self._show_head(answer.head)
        for name, (rows, note) in answer.panels.items():
            self.query_one(f"#{name}", Panel).show_panel(rows, note)
        self._paint_curve()

    def _show_head(self, head: Text) -> None:
        if is_open(self):
            self.query_one("#head", Static).update(head)

    def on_resize(self) -> None:
        """Paint the S-curve in the width that there is."""
        self._paint_curve()

    def _paint_curve(self) -> None:
        if self.morning is not None:
            width = max(self.size.width - 2, 0)
            self.query_one("#curve", Static).update(curve_text(self.morning.curve, width, self.morning.zone))

    # What is chosen

    @property
    def row(self) -> PanelRow | None:
        """The row under the cursor of the panel that has the keys."""
        return self.focused.row if isinstance(self.focused, Panel) else None

    @property
    def about(self) -> About:
        """What the row under the cursor is about."""
        return self.ABOUT if self.row is None else self.row.about

    @property
    def chosen(self) -> Sequence[str]:
        """The id that the row under the cursor is about."""
        return [self.row.subject] if self.row is not None and self.row.subject else []

    def on_descendant_focus(self) -> None:
        """Show the keys of the panel that has them."""
        self.show_keys()

    @on(Grid.Moved)
    def _row_moved(self, event: Grid.Moved) -> None:
        if event.grid is self.focused:
            self.show_keys()

    @on(Grid.Opened)
    async def _opened(self) -> None:
        row = self.row
        if row is None:
            return
        if row.steps:
            from tui.screens.steps import StepsScreen  # the first screen is painted without

            self.app.push_screen(StepsScreen(row.steps))
        elif row.opens in self.app.MODES:
            await self.app.switch_mode(row.opens)
        elif row.opens:
            self.owner.open_activity(row.opens)
