"""The floor: every rack of every hall at its place, by how far it is or by its planned power."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from ledger.questions.floor import INFRASTRUCTURE_STEP, PLANNED, SIGNS, STAGES, TROUBLE_SIGN, RackRow, floor
from ledger.questions.listing import ListRow
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import State
from steps.amount import counted
from tui.acting.actions import About
from tui.keyline import KeyLine, Shown
from tui.lists.column import Span
from tui.looks import Role, safe
from tui.screens.base import SiteScreen
from tui.screens.floor_map import FloorMap

ROLES: dict[str, Role] = {
    PLANNED: "muted",
    "set": "text",
    "racked": "ready",
    "powered": "active",
    "burnt in": "attention",
    "accepted": "good",
}
LOOKS: dict[str, tuple[str, Role]] = {stage: (SIGNS[stage], role) for stage, role in ROLES.items()}
"""By stage: its glyph and its colour role."""

TROUBLE: tuple[str, Role] = (TROUBLE_SIGN, "bad")

TELLING = (
    State.FAILED,
    State.CHECKED_NOT_MET,
    State.AWAITING_SIGN_OFF,
    State.RUNNING,
    State.IN_PROGRESS,
    State.ON_HOLD,
    State.READY,
    State.OPEN,
    State.BLOCKED,
)
"""Which state of an activity says most about its pod, the first most."""

NEVER = datetime.max.replace(tzinfo=UTC)


def most_telling(rows: Iterable[ListRow]) -> ListRow | None:
    """Return the activity that says most about a pod: what failed, else what waits or goes on, else what comes next or was last."""
    listed = [row for row in rows if row.state is not State.NOT_APPLICABLE]
    going = [row for row in listed if row.state in TELLING]
    if going:
        return min(going, key=lambda row: (TELLING.index(row.state), row.planned_start or NEVER))
    return max(listed, key=lambda row: row.planned_finish or NEVER, default=None)


class FloorScreen(SiteScreen):
    """`M` switches between how far racks are and their power. Enter opens the activity that says most about the pod."""

    TITLE = "Floor"
    ABOUT: ClassVar[About] = "activity"
    OWN_KEYS: ClassVar[tuple[Shown, ...]] = (("M", "State or power", "mode"),)
    BINDINGS: ClassVar[list[BindingType]] = [Binding("M", "mode", "State or power", id="floor.mode")]
    DEFAULT_CSS = """
    FloorScreen #legend { height: auto; color: $text-muted; }
    FloorScreen #rack { height: 2; background: $panel; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self) -> None:
        """Begin with how far racks are."""
        super().__init__()
        self.by_power = False
        self.telling: dict[str, ListRow] = {}

    def body(self) -> ComposeResult:
        """Return the legend, the map, and the lines about the rack under the cursor."""
        yield Static("", id="legend")
        yield FloorMap(self._paint, empty="the adopted design draws no racks")
        yield Static("", id="rack")

    def on_mount(self) -> None:
        """Let keys go to the map."""
        self.set_focus(self.map)

    @property
    def map(self) -> FloorMap:
        """The map."""
        return self.query_one(FloorMap)

    @property
    def chosen(self) -> Sequence[str]:
        """The activity that says most about the pod of the rack under the cursor."""
        row = self._of(self.map.rack)
        return [] if row is None else [row.id]

    def ask(self, snapshot: Snapshot) -> list[RackRow]:
        """Return the racks; the activities are as the site has just read them."""
        return floor(snapshot)

    def show(self, answer: Any) -> None:
        """Show the racks."""
        units: dict[str, list[ListRow]] = {}
        for row in self.site.rows:
            if row.unit != "site" or row.step == INFRASTRUCTURE_STEP:
                units.setdefault(row.unit, []).append(row)
        found = {unit: most_telling(rows) for unit, rows in units.items()}
        self.telling = {unit: row for unit, row in found.items() if row is not None}
        self.map.show_racks(answer)
        self.query_one("#legend", Static).update(safe(self._legend(answer)))

    def _legend(self, racks: Sequence[RackRow]) -> str:
        if self.by_power:
            halls: dict[str, float] = defaultdict(float)
            for rack in racks:
                halls[f"hall-{rack.spot.hall}"] += rack.spot.kw
            return "planned kW of the servers · " + " · ".join(f"{hall} {kw:,.0f} kW" for hall, kw in halls.items())
        counts = Counter(rack.stage for rack in racks)
        parts = [f"{LOOKS[name][0]} {name} {counts[name]:,}" for name in (PLANNED, *(stage for stage, _ in STAGES))]
        trouble = sum(bool(rack.trouble) for rack in racks)
        return " · ".join([*parts, f"{TROUBLE[0]} trouble {trouble:,}"])

    def _paint(self, rack: RackRow, cells: int) -> Span:
        glyph, role = TROUBLE if rack.trouble else LOOKS[rack.stage]
        if self.by_power:
            kw = f"{rack.spot.kw:.0f}" if rack.spot.kw else "–"
            return (kw if len(kw) <= cells else glyph), role
        pod = rack.spot.unit.removeprefix("pod-").lstrip("0") if rack.spot.unit != "site" else "i"
        return (f"{glyph}{pod}" if len(pod) < cells - 1 else glyph), role

    def _of(self, rack: RackRow | None) -> ListRow | None:
        return None if rack is None else self.telling.get(rack.spot.unit)

    @on(FloorMap.Moved)
    def _moved(self) -> None:
        """Say what is under the cursor."""
        rack = self.map.rack
        if rack is None:
            return
        spot, row = rack.spot, self._of(rack)
        what = f"{counted(len(spot.servers), 'server')}, {spot.kw:.1f} kW planned" if spot.servers else "infrastructure"
        trouble = f"  ✘ {rack.trouble}" if rack.trouble else ""
        line = f"{rack.id}  {spot.unit}  {LOOKS[rack.stage][0]} {rack.stage}  {what}{trouble}"
        said = "" if row is None else f"{row.state.glyph} {row.state.words}: {row.id} {row.title}"
        self.query_one("#rack", Static).update(safe(line).append("\n").append_text(safe(said)))
        self.query_one(KeyLine).show(self.keys())

    @on(FloorMap.Opened)
    def _opened(self) -> None:
        row = self._of(self.map.rack)
        if row is not None:
            self.owner.open_activity(row.id)

    def action_mode(self) -> None:
        """Switch between how far racks are and their power."""
        self.by_power = not self.by_power
        self.query_one("#legend", Static).update(safe(self._legend(list(self.map.racks.values()))))
        self.map.refresh()
