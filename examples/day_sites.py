"""The two sites of the scripted day: two servers that software reads, and 40 pods whose racks are being set.

Everything is done by commands, as people would do it. The second site came to Clusterwright in the middle of its build.
"""

from __future__ import annotations

import csv
import json
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw
from walk import CLUSTERWRIGHT, Site

from ledger.machine_time import machine_time

NODES = """\
all:
  hosts:
    node-1:
      ansible_connection: local
      ansible_python_interpreter: "{{{{ ansible_playbook_python }}}}"
    node-2:
      ansible_connection: ssh
      ansible_ssh_executable: {way}
      ansible_pipelining: true
      ansible_python_interpreter: "{{{{ ansible_playbook_python }}}}"
"""
WAY = """\
#!/bin/sh
# The way to node-2, which is this machine too. It is closed until its cable is put back.
if [ ! -e "$(dirname "$0")/plugged-in" ]; then
    echo "ssh: connect to host node-2 port 22: No route to host" >&2
    exit 255
fi
for last; do :; done
exec sh -c "$last"
"""
BEFORE = timedelta(days=130)
"""How long ago the site of 40 pods began: its racks are due now."""

OWN_PRESET = Path(__file__).with_name("two-servers.yaml")
FINISHED = ("H08@pod-001", "H08@pod-002", "H08@pod-003")
RACKS = "H08@*"
LATE = ("--late-because", "it was done before the record was opened")
BY_PEOPLE = {"field", "gate", "procure", "compute"}


def two_servers(folder: Path) -> Site:
    """Return a site of two servers whose secrets store waits for a sign-off. Nothing before that can be read there."""
    preset, inventory = f"preset: {OWN_PRESET.stem}", "inventory: inventory/hosts.yml"
    site = made(folder, "superpod-1su", {"preset: superpod-1su": preset, f"# {inventory}": inventory})
    shutil.copy(OWN_PRESET, folder)
    way = folder / "way" / "ssh"
    way.parent.mkdir()
    way.write_text(WAY, encoding="utf-8")
    way.chmod(0o755)
    (folder / "inventory").mkdir(exist_ok=True)
    (folder / "inventory" / "hosts.yml").write_text(NODES.format(way=way), encoding="utf-8")
    subprocess.run([*CLUSTERWRIGHT, "allow", "--yes", "--site", str(folder)], check=True)
    site.run("plan", "adopt", "--yes", who="owner")
    evidence = ("--evidence", str(site.evidence))
    site.run("attest", "H16@site", "--reason", "the store was set up by hand", *evidence, who="operator")
    for kind in ("run-record", "key-holder-list", "recovery-record"):
        site.run("attach", "H16@site", "--file", str(site.evidence), "--kind", kind, who="operator")
    return site


def put_cable_back(site: Site) -> None:
    """Let the second server answer."""
    (site.folder / "way" / "plugged-in").touch()


@contextmanager
def engine(site: Site, port: int) -> Iterator[None]:
    """Run the engine of a site for as long as the with block lasts."""
    command = [*CLUSTERWRIGHT, "up", "--port", str(port), "--site", str(site.folder)]
    with (site.folder / "engine.log").open("w", encoding="utf-8") as log:
        running = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        try:
            yield
        finally:
            running.send_signal(signal.SIGINT)
            running.wait(90)


def forty_pods(folder: Path) -> Site:
    """Return a site of 10,000 GPUs whose racks came last week, and are being set in all pods."""
    now = machine_time()
    site = made(folder, "h100-10k", {}, "--start", f"{now - BEFORE:%Y-%m-%d}")
    site.run("plan", "adopt", "--yes", who="owner")
    _import_what_was_done(site, now)
    _order_what_was_due(site, now)
    received, started = f"{now - timedelta(days=6):%Y-%m-%d}", f"{now - timedelta(days=1):%Y-%m-%dT08:00}"
    site.run("receive", f"{RACKS}#compute-rack/*", "--at", received, *LATE, who="operator")
    site.run("start", RACKS, "--at", started, *LATE, who="operator")
    site.run("forecast")
    return site


def finish_racks(site: Site) -> None:
    """Let the riggers finish the racks of three pods, with what was measured and photographed."""
    for name in FINISHED:
        for kind in ("anchor-torque", "photo-per-rack"):
            site.run("attach", name, "--file", str(site.evidence), "--kind", kind, who="operator")
        for metric, value, unit in (
            ("rack.anchors_torqued_ratio", "1.0", "ratio"),
            ("rack.bond_resistance", "0.05", "ohm"),
        ):
            site.run("measure", name, metric, value, unit, "--source", "torque wrench and meter", who="operator")
        site.run("finish", name, who="operator")


def orders_of(site: Site) -> list[dict[str, Any]]:
    """Return the orders as `orders --json` prints them."""
    found: list[dict[str, Any]] = json.loads(site.run("orders", "--json").stdout)
    return found


def made(folder: Path, preset: str, changes: dict[str, str], *options: str) -> Site:
    """Make a site of a preset by `init` with options, with texts of its site.yaml replaced, and a note that people attach. No plan is adopted yet."""
    site = Site(folder, waivers=(), by_hand_because="")
    subprocess.run([*CLUSTERWRIGHT, "init", "--preset", preset, *options, str(folder)], check=True)
    file = folder / "site.yaml"
    text = file.read_text(encoding="utf-8")
    for before, after in changes.items():
        assert before in text, before
        text = text.replace(before, after, 1)
    file.write_text(text, encoding="utf-8")
    page = Image.new("L", (620, 877), color=255)
    ImageDraw.Draw(page).text((60, 60), "Looked at; nothing to attach beyond this note.")
    page.save(site.evidence)
    return site


def _import_what_was_done(site: Site, now: datetime) -> None:
    """Import what people have finished by now as planned. What has waited for a delivery is left out."""
    delivered = {order["id"].partition("#")[0] for order in orders_of(site) if not order["id"].startswith("0")}
    rows = [
        row
        for row in site.activities()
        if row["state"] != "not_applicable" and row["kind"] in BY_PEOPLE and row["early_finish"] < now.isoformat()
    ]
    path = site.folder / "progress.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(["activity", "state", "started", "finished", "by"])
        for row in sorted(rows, key=lambda row: str(row["early_finish"])):
            if row["id"] not in delivered and row["step"] not in {"H08", "103", "105"}:
                lines.writerow([row["id"], "done", row["early_start"], row["early_finish"], "operator"])
    site.run("import-progress", str(path), "--yes", who="owner")


def _order_what_was_due(site: Site, now: datetime) -> None:
    """Place all orders that were due, but for the rear doors: these are what the day begins with."""
    racks = [order["id"] for order in orders_of(site) if order["item"] == "compute-rack"]
    due = [order["id"] for order in orders_of(site) if order["order_by"] < now.isoformat() and order["step"] != "H18"]
    when = f"{now - timedelta(days=45):%Y-%m-%d}"
    placed = sorted({*racks, *due})
    about = ("--supplier", "Maker", "--reference", "PO-1", "--at", when)
    site.run("order", *placed, *about, *LATE, who="operator", check=False)
