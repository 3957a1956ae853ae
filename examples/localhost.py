"""One real machine from `init` to go-live, by the commands a person would type; prints each of them.

Usage: localhost.py FOLDER [PORT]. The engine runs the real checks. What this machine cannot meet is waived, what
software would do elsewhere is attested, and everything is approved by someone else than its performer.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

CLUSTERWRIGHT = [sys.executable, "-m", "clusterwright"]
SIGNERS = ("owner", "reviewer")
PATIENCE_S = 240


class Site:
    """A site's folder, driven from the command line."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.evidence = folder / "note.txt"

    def run(self, *arguments: str, who: str | None = None, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run one command, showing it and what it says."""
        acting = ["--as", who] if who else []
        shown = " ".join([*arguments, *acting])
        print(f"\n$ clusterwright {shown if len(shown) < 400 else shown[:400] + ' ...'}", flush=True)
        result = subprocess.run(
            [*CLUSTERWRIGHT, *arguments, *acting, "--site", str(self.folder)],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        said = (result.stdout + result.stderr).strip()
        print("\n".join(said.splitlines()[:14]), flush=True)
        if check and result.returncode != 0:
            sys.exit(f"exit code {result.returncode}\n{said}")
        return result

    def activities(self) -> list[dict[str, Any]]:
        """Give every activity as `show` knows it, by one look at the read models."""
        result = subprocess.run(
            [*CLUSTERWRIGHT, "list", "--json", "--site", str(self.folder)], capture_output=True, text=True, check=True
        )
        rows: list[dict[str, Any]] = json.loads(result.stdout)
        return rows

    def in_state(self, *states: str) -> list[dict[str, Any]]:
        """Give the activities in one of these states."""
        return [row for row in self.activities() if row["state"] in states]


def settle(site: Site) -> bool:
    """Do everything that people can do now; give whether there was anything."""
    stuck = [r["id"] for r in site.in_state("checked_not_met", "failed")]
    criteria = {name: [need for need in asked(site, name)["needs"] if "decision" not in need] for name in stuck}
    if lacking := [name for name in stuck if criteria[name]]:
        site.run(
            "waive",
            *lacking,
            "--reason",
            "this machine has no such hardware or baseline",
            "--due",
            "2027-12-31",
            who="owner",
        )
        return True
    ready = site.in_state("ready")
    changing = [r["id"] for r in ready if r["playbook"] and r["effect"] != "read"]
    for name in changing[:1]:
        if not released(site, name):
            site.run("release", name, "--yes", who="owner")
            return True
    # a playbook that found none of its hosts here, and no criterion by which to judge, is for a person to answer
    if by_hand := [name for name in stuck if not criteria[name]] or [
        r["id"]
        for r in ready
        if r["kind"] in {"automate", "verify", "compute"} and not r["playbook"] and not r["completed_by"]
    ]:
        site.run(
            "attest",
            *by_hand,
            "--reason",
            "done by hand on this machine, or not needed by one machine",
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
    for row in site.in_state("awaiting_sign_off"):
        approve(site, row)
        worked = True
    return worked


def released(site: Site, name: str) -> bool:
    """Say whether a release already lies for an activity."""
    return not any("release" in need for need in asked(site, name)["needs"])


def asked(site: Site, name: str) -> dict[str, Any]:
    """Give what `why` says of an activity."""
    shown: dict[str, Any] = json.loads(site.run("why", name, "--json", check=False).stdout)
    return shown


def do_by_hand(site: Site, row: dict[str, Any]) -> None:
    """Start, measure and finish what people do; a gate is measured and then signed."""
    if row["kind"] != "gate":
        site.run("start", row["id"], who="operator")
    shown = json.loads(site.run("show", row["id"], "--json").stdout)
    for criterion in shown["criteria"]:
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
    if row["kind"] != "gate":
        site.run("finish", row["id"], who="operator")
    approve(site, row)


def approve(site: Site, row: dict[str, Any]) -> None:
    """Attach what the policy asks for, and sign with as many people as the quorum asks."""
    for kind in row["evidence"]:
        site.run("attach", row["id"], "--file", str(site.evidence), "--kind", kind, who="operator")
    for person in SIGNERS[: row["quorum"]]:
        site.run("sign", row["id"], who=person)


def drive(site: Site) -> None:
    """Answer whatever waits for people until go-live is signed."""
    quiet_since = time.monotonic()
    while "195@site" not in {row["id"] for row in site.in_state("done")}:
        if settle(site):
            quiet_since = time.monotonic()
        elif time.monotonic() - quiet_since > PATIENCE_S:
            site.run("status")
            sys.exit("nothing has happened for a long time")
        else:
            time.sleep(1)


def main() -> None:
    """Take one machine from its declaration to a signed go-live."""
    folder = Path(sys.argv[1])
    port = sys.argv[2] if len(sys.argv) > 2 else "4210"
    if folder.exists():
        shutil.rmtree(folder)
    subprocess.run([*CLUSTERWRIGHT, "init", "--preset", "localhost", str(folder)], check=True)
    site = Site(folder)
    site.evidence.write_text("Looked at on the machine; nothing to attach beyond this note.\n", encoding="utf-8")
    site.run("plan", "adopt", "--yes", who="owner")
    engine = subprocess.Popen([*CLUSTERWRIGHT, "up", "--port", port, "--site", str(folder)])
    try:
        print("\n# go-live is refused while anything is open")
        refused = site.run("sign", "195@site", who="owner", check=False)
        assert refused.returncode == 1, refused
        drive(site)
    finally:
        engine.send_signal(signal.SIGINT)
        engine.wait(90)
    site.run("status")
    site.run("report", "summary")
    site.run("audit")


if __name__ == "__main__":
    main()
