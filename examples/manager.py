"""A manager's first three weeks on a site whose racks have come, by the commands a person would type; prints each of them.

Usage: manager.py FOLDER [PRESET]. The folder is made anew. After each step the views of the site are held against each other: one
that has another go-live, lateness or money ends the script with 1, and is named. `manager.md` in the folder is what it saw.
"""

from __future__ import annotations

import csv
import shutil
import sys
import time
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import walk
from openpyxl import load_workbook
from PIL import Image
from views import differences, views
from walk import Site

from ledger.account import machine_account
from ledger.project_time import project_now

RACKS, FIRST = "H08@*", "H08@pod-001"
SERVERS = "001@site#gpu-server"
IMAGE = "141@site"
RIGGERS = "Rack Works"
EIGHT_WEEKS = timedelta(weeks=8)
MONTH = 30
LATE = ("--late-because", "it was done before the record was opened")
PINNED = ("image.pinned_by_digest", "true", "bool")
BY_PEOPLE = {"field", "gate", "procure", "compute"}
SUPPLIED_LATER = {"103", "105"}
EVIDENCE = ("anchor-torque", "photo-per-rack")
MEASURED = (("rack.anchors_torqued_ratio", "1.0", "ratio"), ("rack.bond_resistance", "0.05", "ohm"))
PEOPLE = """\
id,name,roles,organisation,account
manager,Project manager,owner-pm scheduler data-owner,,{account}
sponsor,Sponsor,sponsor,,{account}
architect,Architect,architect network-engineer electrical-engineer mechanical-engineer building-designer,,{account}
buyer,Buyer,buyer receiving-clerk,,{account}
procurement,Procurement lead,procurement-lead,,{account}
facility,Facility lead,facility-lead safety-lead logistics-lead,,{account}
power,Electrical lead,electrical-lead controls-lead,,{account}
cooling,Mechanical lead,mechanical-lead assembly-lead,,{account}
network,Network lead,network-lead storage-lead,,{account}
provisioning,Provisioning lead,provisioning-lead ml-platform-lead performance-lead,,{account}
operations,Operations lead,operations-lead security-lead,,{account}
inspector,Inspector,authority-inspector quality-inspector commissioning-agent,,{account}
riggers,Foreman of the riggers,rigger rack-technician,Rack Works,{account}
"""


HEAD = """# A manager's first three weeks

Written by `make manager`: `examples/manager.py` on {preset}, {pods} pods whose racks are due. After each step go-live, lateness,
decisions and money are read from `status`, `report week` and its page, `orders`, `show`, `list`, the first screen and the status of the
dashboard. One that says something else ends the script with 1, and is named.
"""
TABLE = (
    "| step | go-live | past planned finish, forecast later | committed | cost of the delay | views that agree | the commands took |",
    "|---|---|---|---|---|---|---|",
)


class Weeks:
    """The site, and what was seen after each step."""

    def __init__(self, folder: Path, preset: str) -> None:
        """Make the site's file: it began when its racks are due now."""
        self.began = time.monotonic()
        self.site = begun(folder, preset)
        self.rows: list[tuple[str, dict[str, str], int, float]] = []

    def step(self, title: str, act: Callable[[Site], object]) -> None:
        """Take a step, and hold the views against each other."""
        print(f"\n## {title}", flush=True)
        began = time.monotonic()
        act(self.site)
        took = time.monotonic() - began
        found = views(self.site, self.site.folder / "week.html")
        if different := differences(found):
            sys.exit("\n".join(["", f"after this step ({title}) views differ:", *different]))
        said = {name: value for facts in reversed(found.values()) for name, value in facts.items()}
        self.rows.append((title, said, len(found), took))
        late = f"{said['past planned finish']} past their planned finish, {said['forecast later']} forecast later"
        money = f"{said['committed, in short']} committed, cost of the delay {said['cost of the delay, in short']}"
        print(
            f"\n{len(found)} views agree: go-live {said['go-live']}, {said['days later']}; {late}; {money}", flush=True
        )

    def write(self, path: Path) -> None:
        """Write down what was seen."""
        pods = len([row for row in self.site.activities() if row["step"] == "H08"])
        lines = [HEAD.format(preset=self.site.document("status")["site"]["preset"], pods=pods), *TABLE]
        for title, said, count, took in self.rows:
            late = f"{said['past planned finish']}, {said['forecast later']}"
            money = f"{said['committed, in short']} | {said['cost of the delay, in short']}"
            lines.append(f"| {title} | {said['go-live']} | {late} | {money} | {count} | {took:.1f} s |")
        minutes = (time.monotonic() - self.began) / 60
        lines += ["", f"{minutes:.1f} minutes in all; what is not the commands' is the reading of the views."]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def begun(folder: Path, preset: str) -> Site:
    """Return a site that began so long ago that its racks are due now. Its people are in people.csv."""
    site = Site(folder, waivers=(), by_hand_because="")
    said = walk.typed("init", "--preset", preset, "--start", f"{project_now():%Y-%m-%d}", str(folder))
    assert said.returncode == 0, said.stderr
    (folder / "people.csv").write_text(PEOPLE.format(account=machine_account()), encoding="utf-8")
    file = folder / "site.yaml"
    text = file.read_text(encoding="utf-8").partition("\npeople:\n")
    after = text[2].partition("\n\n")[2]
    file.write_text(f"{text[0]}\npeople: people.csv\n\n{after}", encoding="utf-8")
    plan = site.document("plan")
    racks = max(_day(row["dates"]["early_start"]) for row in plan["activities"] if row["step"] == "H08")
    start = _day(plan["start"])
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(f"start: {start}", f"start: {start - (racks - start)}"), encoding="utf-8")
    Image.new("L", (620, 877), color=255).save(site.evidence)
    return site


# The first week


def adopt(site: Site) -> None:
    """Put the plan in force. Its people come from people.csv."""
    site.run("plan")
    site.run("plan", "adopt", "--yes", who="manager")
    site.run("status")


def take_over(site: Site) -> None:
    """Take over what people had finished by now. What waits for racks, and the choice of the image, are left open."""
    now = project_now().isoformat()
    supplied = {row["id"].partition("#")[0] for row in site.document("orders") if row["step"].startswith("H")}
    rows = [
        row
        for row in site.activities()
        if row["state"] != "not_applicable"
        and row["kind"] in BY_PEOPLE
        and row["early_finish"] < now
        and row["id"] not in {IMAGE, *supplied}
        and row["step"] not in SUPPLIED_LATER
    ]
    path = site.folder / "progress.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(["activity", "state", "started", "finished", "by"])
        for row in sorted(rows, key=lambda row: str(row["early_finish"])):
            lines.writerow([row["id"], "done", row["early_start"], row["early_finish"], "riggers"])
    site.run("import-progress", str(path), "--yes", who="manager")


def order(site: Site) -> None:
    """Place the orders of racks, and all that were due by now, from a list; receive the racks."""
    path = site.folder / "orders.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(["order", "supplier", "reference", "value", "promised", "budget_line"])
        for number, row in enumerate(_to_order(site), start=1):
            promised = _day(row["need_by"])
            lines.writerow([row["id"], row["supplier"], f"PO-{number}", row["price_usd"], promised, row["item"]])
    site.run("orders", "--late")
    site.run("order", str(path), "--at", _ago(MONTH), *LATE, who="buyer")
    site.run("receive", f"{RACKS}#compute-rack/*", "--at", _ago(6), *LATE, who="buyer")
    site.run("orders", "--budget")


# The second week


def slip(site: Site) -> None:
    """Take down that the servers come eight weeks late, after a look at what that moves."""
    (row,) = (row for row in site.document("orders") if row["id"] == SERVERS)
    later = max(_day(row["need_by"]), project_now().date()) + EIGHT_WEEKS
    site.run("impact", SERVERS, "--days", str(EIGHT_WEEKS.days))
    site.run("promise", SERVERS, "--on", str(later), "--reason", "the maker's allocation slipped", who="buyer")
    site.run("slip")
    site.run("why", "195", "--chain")


def progress(site: Site) -> None:
    """Hand the riggers a sheet, and read it back: the racks of every pod are begun, and at 60 %."""
    sheet = site.folder / "racks.xlsx"
    site.run("assign", RACKS, "--organisation", RIGGERS, who="manager")
    site.run("export", "sheet", str(sheet), RACKS, "--organisation", RIGGERS)
    fill_in(sheet)
    site.run("import", "sheet", str(sheet), who="riggers")
    site.run("import", "sheet", str(sheet), "--record", who="riggers")
    at = [row for row in site.activities() if row["step"] == "H08" and row["percent"] is not None]
    print(f"{len(at)} pods are at 60 %", flush=True)


def fill_in(sheet: Path) -> None:
    """Fill in every line about work, as the foreman does."""
    book = load_workbook(sheet)
    head, *lines = book["Work"].iter_rows()
    columns = {str(cell.value): number for number, cell in enumerate(head)}
    for cells in lines:
        cells[columns["started"]].value = datetime.fromisoformat(f"{_ago(1)}T08:00")
        cells[columns["percent"]].value = 60
    book.save(sheet)


def reject(site: Site) -> None:
    """Let the riggers finish the first pod, and refuse it."""
    finish(site)
    site.run("inbox", who="facility", check=False)
    site.run("reject", FIRST, "--reason", "two anchors of rack 3 are not marked", who="facility")
    site.run("punch")


# The third week


def settle(site: Site) -> None:
    """Decide what is done about the non-conformance, have it done, close it, and approve the work."""
    (ncr,) = (one["id"] for one in site.document("show", FIRST)["ncrs"])
    due = str(project_now().date() + timedelta(days=7))
    site.run("ncr", "disposition", ncr, "rework", "--owner", "riggers", "--due", due, who="facility")
    finish(site)
    site.run("ncr", "close", ncr, who="facility")
    site.run("sign", FIRST, who="facility")


def finish(site: Site) -> None:
    """Finish the racks of the first pod, with what was measured and photographed."""
    for kind in EVIDENCE:
        site.run("attach", FIRST, "--file", str(site.evidence), "--kind", kind, who="riggers")
    for metric, value, unit in MEASURED:
        site.run("measure", FIRST, metric, value, unit, "--source", "torque wrench and meter", who="riggers")
    site.run("finish", FIRST, who="riggers")


def sign_twice(site: Site) -> None:
    """Decide on the image: the architect signs, then the lead of provisioning."""
    site.run("why", IMAGE, check=False)
    site.run("measure", IMAGE, *PINNED, "--source", "decision record", who="manager")
    site.run("attach", IMAGE, "--file", str(site.evidence), "--kind", "decision-record", who="architect")
    for person in ("architect", "provisioning"):
        site.run("sign", IMAGE, who=person)


def hand_on(site: Site) -> None:
    """Hand on the page of the week."""
    site.run("forecast", "--publish", who="manager")
    for form in ("html", "pdf"):
        site.run("report", "week", "--format", form, "--out", str(site.folder / f"week.{form}"))
    site.run("report", "week", "--organisation", RIGGERS, "--out", str(site.folder / "rack-works.html"))
    site.run("audit")


STEPS: dict[str, Callable[[Site], object]] = {
    "Plan and people": adopt,
    "What was done before": take_over,
    "Orders": order,
    "A delivery slips by eight weeks": slip,
    "Progress of all pods, from a sheet": progress,
    "A rejection": reject,
    "The non-conformance": settle,
    "Two signatures": sign_twice,
    "The page of the week": hand_on,
}


def main() -> None:
    """Live the three weeks, and write down what was seen."""
    folder = Path(sys.argv[1]).resolve()
    if folder.exists():
        if not (folder / "site.yaml").exists():
            sys.exit(f"{folder} is not a site; name another folder")
        shutil.rmtree(folder)
    weeks = Weeks(folder, sys.argv[2] if len(sys.argv) > 2 else "h100-10k")
    for title, act in STEPS.items():
        weeks.step(title, act)
    weeks.write(folder / "manager.md")


def _to_order(site: Site) -> list[dict[str, Any]]:
    """Return the racks, and what was due by now and could be placed a month ago."""
    now, then = project_now().isoformat(), _ago(MONTH)
    ready = [row for row in site.document("orders") if row["state"] == "planned" and (row["ready_from"] or now) < then]
    return [row for row in ready if row["item"] == "compute-rack" or row["order_by"] < now]


def _ago(days: int) -> str:
    return str(project_now().date() - timedelta(days=days))


def _day(moment: str) -> date:
    return date.fromisoformat(moment[:10])


if __name__ == "__main__":
    main()
