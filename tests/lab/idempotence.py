"""Every playbook three times on a lab: in check mode on bare hosts, for real, and once more after all the others have run.

`python -m tests.lab.idempotence` runs them, prints a line each and writes docs/evidence/idempotence.md; the hosts of the lab that
`LAB_NAME` names are made bare first. The exit code is 1 where a playbook fails or has something left to do.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tests.lab import lifecycle, supervisor
from tests.lab.lab import DEFAULT_NAME, DEFAULT_NETWORK, Lab
from tests.lab.playing import BY_ITSELF, Played, other_designs, play, playbooks
from tests.lab.reaching import ssh

PAGE = Path(__file__).parents[2] / "docs" / "evidence" / "idempotence.md"
CHECK = ("--check", "--diff")
SAID = re.compile(r'"msg": "(.*)"')
# what a role says where check mode ends -> what the page has of it
NOT_SHOWN = (
    (re.compile(r"(.+) (?:is|are) not (?:installed|there) yet"), "settings of {}"),
    (re.compile(r"(.+) is not run in check mode"), "proof {}"),
    (re.compile(r"(drift) is not looked for in check mode"), "{}"),
    (re.compile(r".*no NVIDIA GPU"), "no GPU"),
)
BARE_ROLES = ("management", "login", "compute", "storage")
MARK = "/root/.made-bare"
# what a log-in, Ansible and the daemons of a bare host write by themselves
WRITTEN_ANYWAY = ("/proc", "/sys", "/run", "/dev", "/tmp", "/var/log", "/var/lib/systemd", "/root/.ansible")

Say = Callable[[str], None]


@dataclass(frozen=True)
class Trial:
    """What a playbook's three runs did."""

    playbook: str
    check: Played
    first: Played
    second: Played

    @property
    def holds(self) -> bool:
        """Say whether all three ended well and the last had nothing to do."""
        return (self.check.rc, self.first.rc, self.second.rc, self.second.changes) == (0, 0, 0, 0)


@dataclass(frozen=True)
class Trials:
    """What all of them did, and the files that check mode left on hosts, as host:path."""

    rows: tuple[Trial, ...]
    written_by_check: tuple[str, ...]


def make_bare(lab: Lab) -> None:
    """Boot every server with a fresh disk, and mark the time."""
    hosts = [host.name for host in lab.topology.hosts if host.role in BARE_ROLES]
    for host in hosts:
        supervisor.switch(lab, "provision", host)
    for host in hosts:
        lifecycle.wait_for_ssh(lab, host)
        ssh(lab, host, f"sleep 1; touch {MARK}")


def written_since_bare(lab: Lab) -> list[str]:
    """Return the files that were written on servers since they were made bare, as host:path."""
    kept_out = " ".join(f"-not -path '{folder}/*'" for folder in WRITTEN_ANYWAY)
    command = f"find / -xdev -type f -newer {MARK} {kept_out}"
    hosts = [host.name for host in lab.topology.hosts if host.role in BARE_ROLES]
    with ThreadPoolExecutor() as pool:
        found = pool.map(lambda host: ssh(lab, host, command).split(), hosts)
    return [f"{host}:{path}" for host, paths in zip(hosts, found, strict=True) for path in paths]


def run_trials(lab: Lab, say: Say) -> Trials:
    """Make the lab's servers bare, then run every playbook in three passes; say how each run went."""
    names = playbooks()
    make_bare(lab)
    checks = _pass(lab, names, "check mode", CHECK, say)
    written = written_since_bare(lab)
    firsts = _pass(lab, names, "first run", (), say)
    seconds = _pass(lab, names, "second run", (), say)
    rows = zip(names, checks, firsts, seconds, strict=True)
    return Trials(tuple(Trial(*row) for row in rows), tuple(written))


def page(found: Trials, lab: Lab) -> str:
    """Return the evidence as Markdown."""
    rows = found.rows
    held = sum(row.holds for row in rows)
    lines = [
        "# Playbooks in check mode, and run twice",
        "",
        f"{datetime.now(UTC):%Y-%m-%d}. {held} of {len(rows)} playbooks hold: check mode on bare hosts ends well, and the second run",
        "changes nothing. Written by `python -m tests.lab.idempotence`, which runs every playbook by plain `ansible-playbook` on the",
        f"{len(lab.topology.hosts)} hosts of a [lab](../how-to/lab.md), in an order that dependencies allow, in three passes: `--check --diff` before",
        "anything is installed, for real, and once more after all of them have run, so that one that undoes another's work is found.",
        f"Check mode wrote {len(found.written_by_check)} files on the servers. Changes are tasks, over all hosts. Seconds are of two cores that run the lab and Ansible, single runs, proofs included.",
        "",
        "| playbook | check mode: exit, changes shown | first run: s, changes | second run: s, changes | said to be left out of check mode |",
        "|---|---|---|---|---|",
        *(_line(row) for row in rows),
        "",
    ]
    if BY_ITSELF:
        lines += ["Not in these passes:", ""]
        lines += [f"- `{playbook}`: {reason}" for playbook, reason in BY_ITSELF.items()]
        lines += [f"- `{playbook}`: for a design without a lab: `test_kubernetes`" for playbook in other_designs()]
        lines += [""]
    return "\n".join(lines)


def main() -> None:
    """Run all of them and write the page."""
    lab = lifecycle.up(os.environ.get("LAB_NAME", DEFAULT_NAME), "full", DEFAULT_NETWORK, _say)
    found = run_trials(lab, _say)
    PAGE.write_text(page(found, lab), encoding="utf-8")
    sys.exit(0 if all(row.holds for row in found.rows) and not found.written_by_check else 1)


def _pass(lab: Lab, names: tuple[str, ...], what: str, options: tuple[str, ...], say: Say) -> list[Played]:
    found = []
    for name in names:
        ran = play(lab, name, *options)
        say(f"{what}: {name}: exit {ran.rc}, {ran.changes} changes, {ran.seconds:.1f} s")
        if ran.rc != 0:
            say(ran.said[-4000:])
        found.append(ran)
    return found


def _line(row: Trial) -> str:
    runs = " | ".join(
        f"{'' if ran.rc == 0 else f'exit {ran.rc}, '}{ran.seconds:.0f} s, {ran.changes}"
        for ran in (row.first, row.second)
    )
    left_out = "; ".join(dict.fromkeys(_not_shown(row.check.said)))
    return f"| {row.playbook} | {row.check.rc}, {row.check.changes} | {runs} | {left_out} |"


def _not_shown(said: str) -> Iterator[str]:
    """Return what a run in check mode says that it left out."""
    for message in SAID.findall(said):
        for pattern, words in NOT_SHOWN:
            if found := pattern.match(message):
                yield words.format(*found.groups())


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
