"""A site walked through by the commands a person would type: what the engine leaves to people is decided, each command printed."""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw
from waivers import Waiver, chosen, met_all_the_same

CLUSTERWRIGHT = [sys.executable, "-m", "clusterwright"]
SIGNERS = ("owner", "reviewer")
PATIENCE_S = 240
DUE = "2027-12-31"

Rows = list[dict[str, Any]]
"""Activities as `list --json` prints them."""


def typed(*words: str) -> subprocess.CompletedProcess[str]:
    """Run one command as a shell would. Return what it printed and its exit code."""
    command = [*CLUSTERWRIGHT, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


@dataclass(frozen=True)
class Site:
    """A site's folder, driven from the command line; what may be waived there, and what people say when they attest."""

    folder: Path
    waivers: tuple[Waiver, ...]
    by_hand_because: str

    @property
    def evidence(self) -> Path:
        """The note that people attach."""
        return self.folder / "note.pdf"

    def run(self, *arguments: str, who: str | None = None, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run one command, showing it and what it says."""
        acting = ["--as", who] if who else []
        shown = shlex.join([*arguments, *acting])
        print(f"\n$ clusterwright {shown if len(shown) < 400 else shown[:400] + ' ...'}", flush=True)
        result = typed(*arguments, *acting, "--site", str(self.folder))
        said = (result.stdout + result.stderr).strip()
        print("\n".join(said.splitlines()[:14]), flush=True)
        if check and result.returncode != 0:
            sys.exit(f"exit code {result.returncode}\n{said}")
        return result

    def quietly(self, *arguments: str) -> str:
        """Return what a command that reads says, without showing it."""
        result = typed(*arguments, "--site", str(self.folder))
        if result.returncode != 0:
            sys.exit(f"{shlex.join(arguments)}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
        return result.stdout

    def document(self, *arguments: str) -> Any:
        """Return what a command prints as JSON, without showing it."""
        return json.loads(self.quietly(*arguments, "--json"))

    def activities(self) -> Rows:
        """Return every activity as `show` prints it, read in one snapshot."""
        rows: Rows = self.document("list")
        return rows


def in_state(rows: Rows, *states: str) -> Rows:
    """Return the activities in one of these states."""
    return [row for row in rows if row["state"] in states]


def settle(site: Site, rows: Rows) -> bool:
    """Do everything that people can do about these activities. Return whether there was anything."""
    for row in in_state(rows, "checked_not_met", "failed"):
        settle_unmet(site, row)
        return True
    ready = in_state(rows, "ready")
    changing = [r["id"] for r in ready if r["playbook"] and r["effect"] != "read"]
    for name in changing:
        if not released(site, name):
            site.run("release", name, "--yes", who="owner")
            return True
    if by_hand := [
        r["id"]
        for r in ready
        if r["kind"] in {"automate", "verify", "compute"} and not r["completed_by"] and is_left_to_people(site, r)
    ]:
        site.run(
            "attest",
            *by_hand,
            "--reason",
            site.by_hand_because,
            "--evidence",
            str(site.evidence),
            who="operator",
        )
        return True
    worked = False
    for row in ready:
        if row["kind"] in {"field", "procure", "gate"}:
            do_by_hand(site, row)
            worked = True
    for row in in_state(rows, "in_progress"):
        worked |= finished(site, row)
    for row in in_state(rows, "awaiting_sign_off"):
        approve(site, row)
        worked = True
    return worked


def settle_unmet(site: Site, row: dict[str, Any]) -> None:
    """Waive what the list names. Read anything else once more, as a machine may have been busy; then it ends the walk."""
    choice = chosen(shown(site, row["id"]), site.waivers)
    if choice.left and row["attempt"] == 1:
        site.run("retry", row["id"], who="operator")
        return
    if choice.left:
        sys.exit("\n  ".join([f"{row['id']} is not met, and nothing allows to waive it:", *choice.left]))
    for waiver in choice.waived:
        due = ("--metric", waiver.metric, "--due", DUE)
        site.run("waive", row["id"], *due, "--reason", waiver.because, who="owner")


def report_met(site: Site) -> None:
    """Say which criteria of the list were met all the same."""
    steps = {waiver.step for waiver in site.waivers}
    rows = [row for row in in_state(site.activities(), "done") if row["step"] in steps]
    for waiver in met_all_the_same([shown(site, row["id"]) for row in rows], site.waivers):
        print(f"\n{waiver} is on the list of what cannot be shown here, and was met: take it off", flush=True)


def is_left_to_people(site: Site, row: dict[str, Any]) -> bool:
    """Say whether software does not do a ready activity here: it has no playbook, or its playbook no host."""
    return not row["playbook"] or any(need.startswith("hosts:") for need in asked(site, row["id"])["needs"])


def released(site: Site, name: str) -> bool:
    """Return whether an activity has a release already."""
    return not any("release" in need for need in asked(site, name)["needs"])


def asked(site: Site, name: str) -> dict[str, Any]:
    """Return what `why` prints about an activity."""
    answer: dict[str, Any] = json.loads(site.run("why", name, "--json", check=False).stdout)
    return answer


def shown(site: Site, name: str) -> dict[str, Any]:
    """Return what `show` prints about an activity."""
    document: dict[str, Any] = json.loads(site.run("show", name, "--json").stdout)
    return document


def do_by_hand(site: Site, row: dict[str, Any]) -> None:
    """Start, measure and finish what people do; a gate is measured and then signed."""
    if row["kind"] != "gate":
        site.run("start", row["id"], who="operator")
    for criterion in shown(site, row["id"])["criteria"]:
        value = str(criterion["value"]).lower() if isinstance(criterion["value"], bool) else str(criterion["value"])
        site.run(
            "measure",
            row["id"],
            criterion["metric"],
            value,
            criterion["unit"],
            "--source",
            "inspection",
            who="operator",
        )
    if row["kind"] == "gate" or finished(site, row):
        approve(site, row)


def finished(site: Site, row: dict[str, Any]) -> bool:
    """Finish work, and return whether that was possible. Some work cannot finish before software that runs beside it."""
    return site.run("finish", row["id"], who="operator", check=False).returncode == 0


def approve(site: Site, row: dict[str, Any]) -> None:
    """Decide about what holds it back, attach what the policy asks for, and sign with as many people as the quorum asks."""
    reasons = [waiver.because for waiver in site.waivers if waiver.step == row["step"]]
    for ncr in shown(site, row["id"])["ncrs"]:
        if ncr["closed_at"] is None and ncr["ncr_class"] == "A":
            because = "; ".join(reasons) or "another attempt has met it"
            why = ("--owner", "operator", "--due", DUE, "--reason", because)
            site.run("ncr", "disposition", ncr["id"], "use-as-is", *why, who="owner")
            site.run("ncr", "close", ncr["id"], who="owner")
    for kind in row["evidence"]:
        site.run("attach", row["id"], "--file", str(site.evidence), "--kind", kind, who="operator")
    for person in SIGNERS[: row["quorum"]]:
        site.run("sign", row["id"], who=person)


def drive(site: Site, is_over: Callable[[Rows], bool]) -> None:
    """Answer whatever waits for people until it is over."""
    quiet_since = time.monotonic()
    while not is_over(rows := site.activities()):
        if settle(site, rows):
            quiet_since = time.monotonic()
            continue
        if in_state(rows, "running"):
            quiet_since = time.monotonic()
        if time.monotonic() - quiet_since > PATIENCE_S:
            site.run("status")
            sys.exit("nothing has happened for a long time")
        time.sleep(4)  # each look asks about every activity that is ready


def make(site: Site, preset: str) -> None:
    """Make the site anew from a preset, and the note that people attach."""
    if site.folder.exists():
        shutil.rmtree(site.folder)
    subprocess.run([*CLUSTERWRIGHT, "init", "--preset", preset, str(site.folder)], check=True)
    page = Image.new("L", (620, 877), color=255)
    ImageDraw.Draw(page).text((60, 60), "Looked at; nothing to attach beyond this note.")
    page.save(site.evidence)


@contextmanager
def engine(site: Site, port: str) -> Iterator[None]:
    """Adopt the site's plan, and run its engine for as long as the with block lasts."""
    site.run("plan", "adopt", "--yes", who="owner")
    running = subprocess.Popen([*CLUSTERWRIGHT, "up", "--port", port, "--site", str(site.folder)])
    try:
        yield
    finally:
        running.send_signal(signal.SIGINT)
        running.wait(90)
