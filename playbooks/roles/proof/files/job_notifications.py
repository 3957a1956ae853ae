"""Proves the scheduler's mail: each kind of event is made once, and must arrive once in the mailbox of the proofs' account."""

import re
import subprocess
from pathlib import Path

from slurm_jobs import PERSON, clear, ended, queued, report, submit, until

BOX = Path("/var/mail") / PERSON
PATIENCE_S = 60


def main() -> None:
    """Make the events, then look for their messages."""
    clear()
    BOX.unlink(missing_ok=True)
    mail = (f"--mail-user={PERSON}@localhost", "--mail-type=ALL", "--time=5")
    well = submit("true", *mail)
    badly = submit("false", *mail)
    again = submit("sleep 60", *mail, "--requeue")
    ended(well)
    ended(badly)
    until(lambda: queued(again, "%T"), lambda state: state == "RUNNING", 60)
    subprocess.run(["scontrol", "requeue", again], check=False)
    wanted = {
        (well, "Began"),
        (well, "Ended"),
        (badly, "Began"),
        (badly, "Failed"),
        (again, "Began"),
        (again, "Requeued"),
    }
    until(arrived, lambda found: wanted <= set(found), PATIENCE_S)
    found = arrived()
    clear()
    BOX.unlink(missing_ok=True)
    missed = sorted(f"{job} {event}" for job, event in wanted - set(found))
    twice = sorted(f"{job} {event}" for job, event in wanted if found.count((job, event)) > 1)
    note = "; ".join([*(f"missed: {m}" for m in missed), *(f"twice: {t}" for t in twice)]) or f"{len(wanted)} events"
    report({"notify.events_missed": (len(missed) + len(twice), note)})


def arrived() -> list[tuple[str, str]]:
    """Return the jobs and events in the mailbox."""
    text = BOX.read_text(errors="replace") if BOX.exists() else ""
    return re.findall(r"^Subject: Slurm Job_id=(\d+) Name=\S+ (\w+)", text, re.MULTILINE)


if __name__ == "__main__":
    main()
