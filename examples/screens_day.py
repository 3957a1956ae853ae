"""A morning and a day in the screens, in a real terminal, key by key: what each has done is read from the record.

Usage: screens_day.py FOLDER [PORT]. Both sites are made in the folder anew, and `screens-day.md` is written there. Needs tmux.
"""

from __future__ import annotations

import shutil
import sys
from datetime import date, timedelta
from pathlib import Path

from day_sites import FINISHED, RACKS, engine, finish_racks, forty_pods, orders_of, put_cable_back, two_servers
from terminal import Terminal
from walk import Site, asked, shown

from ledger.machine_time import machine_time

READ = "007@pod-001"
SPINE = "040@site#spine-switch"
FEW_KEYS = 10
HEAD = """# A morning and a day in the screens

`python examples/screens_day.py FOLDER` drives the screens in a real terminal (tmux, 120x40), waits until what a person looks for is
on the screen, and reads from the record what each decision has done. It ends at the first thing that is otherwise. The frames
below are of a run on {today}; lines with nothing on them are left out, and a text in quotes is typed.
"""


class Page:
    """What happened, as it is written down."""

    def __init__(self) -> None:
        """Begin with the head."""
        self.parts = [HEAD.format(today=machine_time().date())]

    def chapter(self, title: str, about: str) -> None:
        """Begin a chapter."""
        self.parts.append(f"## {title}\n\n{about}\n")

    def step(self, title: str, terminal: Terminal, frame: str, *, so: str) -> None:
        """Write down the keys since the last step, the frame, and what the record says."""
        keys, count = terminal.taken_keys()
        pressed = f"Keys: {' '.join(keys)} ({count})\n\n" if keys else ""
        self.parts.append(f"### {title}\n\n{pressed}```text\n{frame}\n```\n\nThe record: {so}\n")
        print(f"{title}: {so}", flush=True)

    def write(self, path: Path) -> None:
        """Write the page."""
        path.write_text("\n".join(self.parts), encoding="utf-8")


def become_owner(terminal: Terminal) -> None:
    """Act as the second of the three people whom this account may act as."""
    terminal.see("acting as operator")
    terminal.press("@")
    terminal.see("Who acts", "owner")
    terminal.press("Down", "Enter")
    terminal.see("acting as owner")


def state_of(site: Site, name: str) -> str:
    """Return the state of an activity as the record has it."""
    return str(asked(site, name)["state"])


def filtered(terminal: Terminal, words: str, *seen: str) -> None:
    """Filter the list that is shown."""
    terminal.press("/")
    terminal.type(words)
    terminal.press("Enter")
    terminal.see(f"/ {words}", *seen)


def morning(site: Site, page: Page) -> None:
    """From the first screen to a playbook that runs, in under ten keys; then a host that did not answer is tried again."""
    page.chapter(
        "The morning",
        "Two servers. Their firmware can be read once the secrets store is approved. The engine (`clusterwright up`) runs.",
    )
    terminal = Terminal(site.folder)
    try:
        terminal.see("for operator")
        become_owner(terminal)
        terminal.press("3")
        frame = terminal.see("H16@site", "3/3", "recovery-record")
        page_keys, count = list(terminal.keys), terminal.count
        page.step(
            "The inbox, what unblocks most on top", terminal, frame, so=f"H16@site is {state_of(site, 'H16@site')}"
        )
        terminal.press("s")
        terminal.see("$ clusterwright sign H16@site")
        terminal.press("Enter")
        terminal.see("H16@site: signed")
        terminal.press("5")
        frame = terminal.see("running", READ)
        count += terminal.count
        assert count < FEW_KEYS, [*page_keys, *terminal.keys]
        assert state_of(site, "H16@site") == "done"
        so = f"H16@site is done, {READ} is {state_of(site, READ)}; {count} keys from the first screen"
        page.step("Signed, unblocked, running", terminal, frame, so=so)
        frame = terminal.see("✘ failed", "unreachable")
        (failed,) = (run for run in shown(site, READ)["runs"])
        assert state_of(site, READ) == "failed"
        page.step("The second server does not answer", terminal, frame, so=f"{failed['id']} is {failed['status']}")
        put_cable_back(site)
        terminal.press("t")
        terminal.see(f"$ clusterwright retry {READ}")
        terminal.press("Enter")
        frame = terminal.see("run-0002", "✔ ok")
        first, second = sorted(shown(site, READ)["runs"], key=lambda run: str(run["id"]))
        assert (first["status"], second["status"]) == ("failed", "ok")
        so = f"{first['id']} is failed, {second['id']} is ok: {second['summary']}"
        page.step("Its cable is put back, and it is tried again", terminal, frame, so=so)
    finally:
        terminal.close()


def place_three(site: Site, terminal: Terminal, page: Page) -> None:
    """Place three orders at once."""
    terminal.press("4")
    terminal.see("order by", "promised")
    terminal.press("d")
    filtered(terminal, "rear-door", "40 of")
    terminal.press("Space", "Space", "Space")
    terminal.see("3 marked")
    terminal.press("o")
    terminal.see("$ clusterwright order")
    terminal.type("Door maker")
    terminal.press("Tab")
    terminal.type("PO-7")
    frame = terminal.see("--reference=PO-7")
    terminal.press("Enter")
    terminal.see(": placed", gone="$ clusterwright")
    placed = sorted(o["id"] for o in orders_of(site) if o["supplier_name"] == "Door maker" and o["placed_at"])
    assert len(placed) == 3, placed
    page.step("Three orders are placed", terminal, frame, so=f"{', '.join(placed)} are placed")
    terminal.see("40 of 190", gone="marked")
    terminal.press("Escape")
    terminal.see("/   190")


def answer_promise(site: Site, terminal: Terminal, page: Page) -> None:
    """Look at what a later delivery moves, then take the supplier's word down."""
    (order,) = (order for order in orders_of(site) if order["id"] == SPINE)
    later = date.fromisoformat(str(order["need_by"])[:10]) + timedelta(days=60)
    filtered(terminal, "spine-switch", SPINE)
    terminal.press("p")
    terminal.see("$ clusterwright promise")
    terminal.type(f"{later}")
    terminal.press("Tab")
    terminal.type("no chassis before")
    terminal.see(f"--on={later}")
    terminal.press("F2")
    frame = terminal.see("go-live", gone="at work")
    assert not any(o["promised"] for o in orders_of(site) if o["id"] == SPINE), "it was only asked"
    page.step("A supplier asks for sixty days: what would that do?", terminal, frame, so=f"{SPINE} has no promise yet")
    terminal.press("Enter")
    frame = terminal.see(gone="$ clusterwright promise")
    (order,) = (order for order in orders_of(site) if order["id"] == SPINE)
    assert str(order["promised"])[:10] == str(later), order["promised"]
    page.step("It is taken down", terminal, frame, so=f"{SPINE} is promised for {later}")


def progress_forty(site: Site, terminal: Terminal, page: Page) -> None:
    """Say how far the work of forty pods is, at once."""
    terminal.press("2")
    terminal.see("pod-001")
    filtered(terminal, "id:H08 state:progress", "40 of")
    terminal.press("*", "p")
    terminal.see("$ clusterwright progress")
    terminal.press("Tab")
    terminal.type("60")
    frame = terminal.see("--percent=60")
    terminal.press("Enter")
    terminal.see(gone="$ clusterwright progress")
    at = [row["id"] for row in site.activities() if row["step"] == "H08" and row["percent"] is not None]
    assert len(at) == 40, at
    page.step("Forty pods make progress", terminal, frame, so=f"{len(at)} of {RACKS} are at 60 %")


def sign_two_and_reject_one(site: Site, terminal: Terminal, page: Page) -> None:
    """Approve two alike at once, and refuse the third."""
    finish_racks(site)
    become_owner(terminal)
    terminal.press("3")
    terminal.see(*FINISHED, "2/2")
    terminal.press("Space", "Space")
    terminal.see("2 marked")
    terminal.press("s")
    frame = terminal.see("$ clusterwright sign")
    terminal.press("Enter")
    terminal.see(": signed", gone="$ clusterwright sign")
    states = {name: state_of(site, name) for name in FINISHED}
    done = [name for name, state in states.items() if state == "done"]
    (left,) = (name for name in FINISHED if name not in done)
    page.step("Two alike are signed at once", terminal, frame, so=f"{' and '.join(done)} are done, {left} waits")
    terminal.see(left, gone=done[0] + " ")
    terminal.press("x")
    terminal.see("$ clusterwright reject")
    terminal.type("two anchors of rack 3 are not marked")
    frame = terminal.see("are not marked")
    terminal.press("Enter")
    terminal.see("NCR-0001", gone="$ clusterwright reject")
    assert state_of(site, left) == "in_progress"
    page.step("The third is refused", terminal, frame, so=f"{left} is in progress again, NCR-0001 is open")


def close_ncr(site: Site, terminal: Terminal, page: Page) -> None:
    """Decide what is done about the refusal, and close it."""
    terminal.press("-")
    terminal.see("decided", "✘ open", "NCR-0001")
    terminal.press("d")
    terminal.see("$ clusterwright ncr disposition")
    terminal.type("rework")
    frame = terminal.see("NCR-0001 rework")
    terminal.press("Enter")
    terminal.see("NCR-0001: rework", gone="$ clusterwright ncr")
    page.step("Decided: rework", terminal, frame, so=ncr_of(site))
    assert "decided as rework, open" in ncr_of(site)
    terminal.press("f")
    terminal.see("$ clusterwright ncr close")
    terminal.press("Enter")
    frame = terminal.see("NCR-0001: closed", gone="$ clusterwright ncr")
    assert "closed on" in ncr_of(site)
    page.step("Closed", terminal, frame, so=ncr_of(site))


def ncr_of(site: Site) -> str:
    """Return what the record says of the first non-conformance, in words."""
    (ncr,) = (ncr for name in FINISHED for ncr in shown(site, name)["ncrs"])
    closed = f", closed on {str(ncr['closed_at'])[:10]}" if ncr["closed_at"] else ", open"
    return f"{ncr['id']} is decided as {ncr['decided'] or 'nothing yet'}{closed}"


def day(site: Site, page: Page) -> None:
    """Live a day on a site of 40 pods."""
    page.chapter(
        "The day", "10,000 GPUs in 40 pods, in mid-build. The racks came last week and are being set in all pods."
    )
    terminal = Terminal(site.folder)
    try:
        frame = terminal.see("for operator", "DRIVES GO-LIVE", "by now")
        page.step("The first look", terminal, frame, so="nothing is decided yet")
        place_three(site, terminal, page)
        answer_promise(site, terminal, page)
        progress_forty(site, terminal, page)
        sign_two_and_reject_one(site, terminal, page)
        close_ncr(site, terminal, page)
    finally:
        terminal.close()
    audit = site.run("audit")
    page.parts.append(f"## The record afterwards\n\n```text\n{audit.stdout.strip()}\n```\n")


def main() -> None:
    """Make both sites, live the day, and write it down."""
    folder = Path(sys.argv[1]).resolve()
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 4220
    sites = folder / "two-servers", folder / "forty-pods"
    for old in sites:
        shutil.rmtree(old, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    page = Page()
    small = two_servers(sites[0])
    with engine(small, port):
        morning(small, page)
    day(forty_pods(sites[1]), page)
    page.write(folder / "screens-day.md")


if __name__ == "__main__":
    main()
