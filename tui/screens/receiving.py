"""Receive one delivery with a scanner: each line is judged at once, and at the end the form of `receive` is filled in.

What is scanned is in a file of the site from the first line on, so that a terminal that ends loses nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static

from ledger.questions.receiving import Awaited, Scan, awaited, judged, missing
from ledger.questions.snapshot import Snapshot
from ledger.subjects.orders.manifest_rules import ManifestEntry, read_manifest
from steps.amount import counted
from tui.acting.actions import ACTIONS, About, Action
from tui.acting.command import path_of
from tui.lists.column import Column
from tui.lists.grid import Grid
from tui.lists.view import View
from tui.looks import Role, safe
from tui.screens.base import SiteScreen
from tui.screens.choose import Choice

if TYPE_CHECKING:
    from tui.keyline import Shown

FOLDER = Path(".clusterwright") / "scans"
"""Where scans are kept, in the site's folder."""

RECEIVE = next(action for action in ACTIONS if action.command == "receive")


def _role(scan: Scan) -> Role:
    return "good" if scan.counts else "bad"


COLUMNS = (
    Column[Scan]("number", "line", 5, lambda scan: str(scan.number), lambda scan: scan.number, right=True),
    Column[Scan]("serial", "serial number", 0, lambda scan: scan.serial),
    Column[Scan]("said", "", 44, lambda scan: f"{'✔' if scan.counts else '✘'} {scan.said}", role=_role),
)


class ReceivingScreen(SiteScreen):
    """A scanner types a serial number and Enter. The newest line is on top."""

    ABOUT: ClassVar[About] = "site"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "receive", "Receive what counts", id="receiving.receive"),
        Binding("f3", "take_back", "Take the last line back", id="receiving.take-back"),
        Binding("f4", "manifest", "Manifest", id="receiving.manifest"),
    ]
    DEFAULT_CSS = """
    ReceivingScreen Horizontal { height: 1; }
    ReceivingScreen .label { width: 12; color: $text-muted; }
    ReceivingScreen Input { width: 1fr; background: $boost; }
    ReceivingScreen #counted { height: auto; }
    """

    def __init__(self, delivery: str) -> None:
        """Take the id of a delivery."""
        super().__init__()
        self.delivery = delivery
        self.awaited: Awaited | None = None
        self.scanned: list[str] = []
        self.manifest: Mapping[str, ManifestEntry] | None = None

    def body(self) -> ComposeResult:
        """Return the counts, the two lines to type in, and what was scanned."""
        yield Static("", id="counted")
        with Horizontal():
            yield Static("scan", classes="label")
            yield Input(placeholder="scan a serial number, or type it and press Enter", id="scan", compact=True)
        with Horizontal():
            yield Static("manifest", classes="label")
            yield Input(placeholder="the supplier's CSV, if there is one", id="manifest", compact=True)
        yield Grid(View(COLUMNS, lambda scan: str(scan.number)), id="grid", empty="nothing is scanned yet")

    def on_mount(self) -> None:
        """Let the scanner type, and never into the list, where letters are keys."""
        self.query_one(Grid).can_focus = False
        self.query_one("#scan", Input).focus()

    @property
    def file(self) -> Path:
        """What was scanned of this delivery, a serial number a line."""
        return self.site.folder / FOLDER / f"{self.delivery.replace('/', '_')}.txt"

    @property
    def chosen(self) -> Sequence[str]:
        """The delivery."""
        return [self.delivery]

    def keys(self) -> tuple[Shown, ...]:
        """Return the keys of scanning; letters are typed here."""
        own = (("F2", "Receive", "receive"), ("F3", "Take the last back", "take_back"), ("F4", "Manifest", "manifest"))
        return (*own, ("Esc", "Back", "back"))

    def ask(self, snapshot: Snapshot) -> Awaited:
        """Return what is expected, and what was received."""
        return awaited(snapshot, self.delivery)

    def show(self, answer: Any) -> None:
        """Show what was scanned and is not received yet."""
        self.awaited = answer
        self._read_scans()
        self.show_scans()

    @property
    def scans(self) -> list[Scan]:
        """What each scanned line is."""
        return [] if self.awaited is None else judged(self.scanned, self.awaited, self.manifest)

    def show_scans(self) -> None:
        """Show the lines, newest first, and how many of what is expected are here."""
        of, scans = self.awaited, self.scans
        if of is None:
            return
        self.query_one(Grid).show_rows(scans[::-1])
        self.query_one(Grid).action_to(0)
        came = sum(scan.counts for scan in scans)
        wrong = len(scans) - came
        left = missing(scans, self.manifest) if self.manifest is not None else None
        listed = f" · manifest: {len(self.manifest or ())} listed, {len(left)} not scanned" if left is not None else ""
        serial = "" if of.serialised else "; its pieces have no serial numbers, so `receive` needs none"
        head = f"{of.delivery}: {of.title}, {counted(of.outstanding, of.unit_of_measure)} outstanding{serial}"
        self.query_one("#counted", Static).update(
            safe(head)
            .append("\n")
            .append_text(safe(f"{came} scanned · {wrong} {'does' if wrong == 1 else 'do'} not count{listed}"))
        )

    @on(Input.Submitted, "#scan")
    def _scan(self, event: Input.Submitted) -> None:
        serial = event.value.strip()
        event.input.value = ""
        if not serial:
            return
        self._read_scans()
        self.scanned.append(serial)
        self._keep()
        self.show_scans()
        for last in self.scans[-1:]:
            if not last.counts:
                self.app.bell()
                self.notify(f"{serial}: {last.said}", severity="warning", markup=False)

    @on(Input.Submitted, "#manifest")
    def _read_manifest(self, event: Input.Submitted) -> None:
        path = self.site.folder / path_of(event.value.strip())
        with self.owner.saying():
            self.manifest = read_manifest(path.read_bytes(), path.name) if event.value.strip() else None
            self.show_scans()
            self.query_one("#scan", Input).focus()

    def _read_scans(self) -> None:
        """Read what the file has and is not received yet: at another terminal, somebody may scan the same delivery."""
        with suppress(OSError):
            self.scanned = self.file.read_text(encoding="utf-8").splitlines()
        received = {} if self.awaited is None else self.awaited.received
        here = {key for key, (_, where) in received.items() if where == self.delivery}
        self.scanned = [line for line in self.scanned if line and line.casefold() not in here]

    def _keep(self) -> None:
        with self.owner.saying():
            self._write(self.file, self.scanned)

    def _write(self, path: Path, lines: Sequence[str]) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        fresh.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        fresh.replace(path)

    def action_take_back(self) -> None:
        """Take the last line back."""
        self._read_scans()
        if self.scanned:
            self.scanned.pop()
            self._keep()
            self.show_scans()

    def action_manifest(self) -> None:
        """Type the manifest's path."""
        self.query_one("#manifest", Input).focus()

    def action_receive(self) -> None:
        """Open the form of `receive` with what was scanned."""
        if not any(scan.counts for scan in self.scans):
            self.notify("nothing that counts is scanned")
            return
        with self.owner.saying():
            self.owner.act(RECEIVE, [self.delivery], values=self.values(RECEIVE, [self.delivery]))

    def values(self, _action: Action, _subjects: Sequence[str]) -> Mapping[str, str]:
        """Return the files that `receive` reads: the scan beside its manifest, else the serial numbers that count."""
        if self.manifest is not None:
            listed = self.query_one("#manifest", Input).value.strip()
            whole = self.site.folder / path_of(listed)
            return {"manifest": str(whole), "scanned": str(self.file), "serials": "", "quantity": ""}
        numbers = [scan.serial for scan in self.scans if scan.counts]
        came = self.file.with_name(f"{self.file.stem}-serials.txt")
        self._write(came, numbers)
        assert self.awaited is not None
        is_all = len(numbers) == self.awaited.outstanding
        return {
            "serials": str(came),
            "quantity": "" if is_all else str(len(numbers)),
            "manifest": "",
            "scanned": "",
        }


def receive_by_scanner(screen: SiteScreen, deliveries: Sequence[str]) -> None:
    """Show the scanner's screen of a delivery, which keeps every scan. Ask which one where there are several."""
    if not screen.owner.may_record():
        return
    if len(deliveries) == 1:
        screen.app.push_screen(ReceivingScreen(deliveries[0]))
    elif deliveries:
        choices = [Choice(name, "", name) for name in deliveries]
        screen.owner.choose("Which delivery", choices, lambda name: screen.app.push_screen(ReceivingScreen(name)))
