"""What happened on the hosts themselves: every playbook of a trial writes there when it begins, works on, and ends.

The engine, the ledger and the dashboard may be wrong about a run. These lines are written by the work itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

BEAT_S = 0.2

PLAYBOOK = """\
- name: Work on hosts, and write down when
  hosts: all
  gather_facts: false
  tasks:
    - name: Work for a while
      ansible.builtin.shell: |
        say() {{ echo "$1 {{{{ inventory_hostname }}}} {{{{ playbook_dir }}}} $(date +%s.%N)" >> {file}; }}
        say begin
        for beat in $(seq {beats}); do sleep {every}; say beat; done
        say end
      changed_when: {changes}
    - name: Read how long the machine is up
      ansible.builtin.command: {{argv: [cat, /proc/uptime]}}
      loop: [{{name: uptime, argv: [cat], package: coreutils}}]
      loop_control: {{loop_var: raw_output_tool}}
      register: read
      changed_when: false
    - name: Hand it over
      ansible.builtin.set_fact:
        raw_output_results: "{{{{ read.results }}}}"
"""
"""A playbook that succeeds, and reads what the step wants to know."""


class Stretch(NamedTuple):
    """The work of one run on one host, from its first sign of life to its last, and how often it began and ended."""

    run: str
    host: str
    first: float
    last: float
    begun: int
    ended: int


class Witness:
    """The file in which the hosts write, and the playbooks that make them."""

    def __init__(self, folder: Path) -> None:
        """Take a folder for both."""
        self.file = folder / "witness"
        self.playbooks = folder / "playbooks"

    def write_playbook(self, name: str, *, beats: int, changes: bool, beat_s: float = BEAT_S) -> None:
        """Write a playbook whose work on a host takes as many beats, of so many seconds each."""
        path = self.playbooks / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = PLAYBOOK.format(file=self.file, beats=beats, every=beat_s, changes=str(changes).lower())
        path.write_text(text, encoding="utf-8")

    def stretches(self) -> list[Stretch]:
        """Return what was worked, in the order of its beginning. A run is named as its folder."""
        found: dict[tuple[str, str], Stretch] = {}
        for kind, host, run, at in self._lines():
            seen = found.get((run, host), Stretch(run, host, at, at, 0, 0))
            begun, ended = seen.begun + (kind == "begin"), seen.ended + (kind == "end")
            found[run, host] = seen._replace(last=max(seen.last, at), begun=begun, ended=ended)
        return sorted(found.values(), key=lambda stretch: stretch.first)

    def _lines(self) -> Iterator[tuple[str, str, str, float]]:
        text = self.file.read_text(encoding="utf-8") if self.file.exists() else ""
        for line in text[: text.rfind("\n") + 1].splitlines():
            kind, host, folder, at = line.split(" ")
            yield kind, host, folder.partition("/runs/")[2].partition("/")[0], float(at)


def at_once(stretches: list[Stretch]) -> list[str]:
    """Name the runs that worked on one host at the same time."""
    found = []
    for host in sorted({stretch.host for stretch in stretches}):
        here = [stretch for stretch in stretches if stretch.host == host]
        for one, other in pairwise(here):
            if other.first < one.last:
                found.append(f"{one.run} and {other.run} worked on {host} at the same time")
    return found
