"""Eight servers in mid-build, with an engine and its dashboard: a run that failed at one server, and a sign-off that is requested.

Usage: dashboard_site.py FOLDER PORT. The site is made anew in the folder, by commands; then `clusterwright up` runs until Ctrl-C.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from day_sites import WAY, engine, made, orders_of
from walk import CLUSTERWRIGHT, Rows, Site

from ledger.machine_time import machine_time

BEFORE = timedelta(days=276)
"""How long ago the site began: its servers are racked, and come up now."""

FIRMWARE = "007@pod-001"
"""What software reads first on the servers. Everything that was to be over when it begins is over."""

OPEN = {"107", "H23"}
"""Steps of people that are not over, though they were to be."""

PANELS = "106@pod-001"
"""What the operator finishes now. It has to be approved."""

NAMED = "inventory: inventory/hosts.yml"
PATIENCE_S = 600


def mid_build(folder: Path) -> Site:
    """Return a site whose servers are racked, with what was done until then imported."""
    if folder.exists():
        shutil.rmtree(folder)
    today = machine_time()
    site = made(folder, "h100-8-servers", {}, "--start", f"{today - BEFORE:%Y-%m-%d}")
    _name_hosts(folder)
    site.run("plan", "adopt", "--yes", who="owner")
    _import_what_was_done(site)
    _finish_panels(site)
    site.run("forecast")
    return site


@contextmanager
def failed_and_asked(site: Site, port: int) -> Iterator[None]:
    """Run the engine, and begin the block when the reading of the firmware has failed."""
    with engine(site, port):
        began = time.monotonic()
        while not any(row["id"] == FIRMWARE and row["state"] == "failed" for row in site.activities()):
            if time.monotonic() - began > PATIENCE_S:
                sys.exit(f"{FIRMWARE} has not failed after {PATIENCE_S} s; {site.folder / 'engine.log'} says more")
            time.sleep(1)
        yield


def _name_hosts(folder: Path) -> None:
    """Write an inventory of eight servers, all of them this machine. The way to the last one is closed."""
    way = (folder / "way" / "ssh").resolve()  # runs begin in a folder of their own
    way.parent.mkdir()
    way.write_text(WAY, encoding="utf-8")
    way.chmod(0o755)
    inventory = folder / "inventory"
    inventory.mkdir(exist_ok=True)
    here = "".join(f"    pod-001-n0{number}: {{ansible_connection: local}}\n" for number in range(1, 8))
    there = f"    pod-001-n08: {{ansible_ssh_executable: {way}}}\n"
    every = '  vars:\n    ansible_python_interpreter: "{{ ansible_playbook_python }}"\n'
    (inventory / "hosts.yml").write_text(f"all:\n  hosts:\n{here}{there}{every}", encoding="utf-8")
    site = folder / "site.yaml"
    site.write_text(site.read_text(encoding="utf-8").replace(f"# {NAMED}", NAMED, 1), encoding="utf-8")
    subprocess.run([*CLUSTERWRIGHT, "allow", "--yes", "--site", str(folder)], check=True)


def _import_what_was_done(site: Site) -> None:
    """Import what was to be over before software reads the servers, as it was planned, and the deliveries that it needed."""
    rows = {row["id"]: row for row in site.activities() if row["state"] != "not_applicable"}
    until = rows[FIRMWARE]["early_start"]
    over = [row for row in rows.values() if row["early_finish"] <= until and row["step"] not in {*OPEN, "106"}]
    done = [(row["early_finish"], row["id"], row["early_start"]) for row in over]
    for order in orders_of(site):
        placed, came = _dates(order, list(rows.values()))
        parts = [tranche["id"] for tranche in order["tranches"]]
        done += [(ended, name, placed) for ended, name in ((placed, order["id"]), *((came, part) for part in parts))]
    path = site.folder / "progress.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(["activity", "state", "started", "finished", "by"])
        lines.writerows(
            [name, "done", began, ended, "operator"] for ended, name, began in sorted(done) if ended <= until
        )
    site.run("import-progress", str(path), "--yes", who="owner")


def _dates(order: dict[str, Any], rows: Rows) -> tuple[str, str]:
    """Return when an order was placed and came: after the step that buys it, or so that the step that needs it could begin."""
    step = next(row for row in rows if row["step"] == order["step"])
    lead = timedelta(hours=order["lead_m_h"])
    if step["kind"] == "procure":
        placed = datetime.fromisoformat(step["early_finish"])
        return placed.isoformat(), (placed + lead).isoformat()
    came = datetime.fromisoformat(step["early_start"])
    return (came - lead).isoformat(), came.isoformat()


def _finish_panels(site: Site) -> None:
    """Let the operator close the racks' empty units, with the photograph and the count that the policy asks for."""
    site.run("start", PANELS, who="operator")
    site.run("attach", PANELS, "--file", str(site.evidence), "--kind", "photo-per-rack", who="operator")
    site.run("measure", PANELS, "rack.open_units", "0", "count", "--source", "photographs", who="operator")
    site.run("finish", PANELS, who="operator")


if __name__ == "__main__":
    with failed_and_asked(mid_build(Path(sys.argv[1])), int(sys.argv[2])):
        print("Ctrl-C stops the engine", flush=True)
        while True:
            time.sleep(60)
