"""networking/048_switch_configuration.yml is played against a stand-in for `nv`, which keeps revisions as NVUE does.

It shows the play's own course: what is applied, confirmed, left alone and thrown away. That a switch takes it shows no stand-in.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from steps.design.design import design_of_preset
from steps.switches import nvue
from steps.switches.comparing import Difference, differences
from steps.switches.designed import switches_of
from steps.switches.services import SiteServers
from tests.lab.playing import FOLDER

pytestmark = pytest.mark.long

PLAYBOOK = FOLDER / "networking/048_switch_configuration.yml"

NV = """#!{python}
import sys, yaml, pathlib
state = pathlib.Path({folder!r})
said = sys.argv[2:]
with (state / "calls").open("a") as file:
    print(*said, file=file)
def read(name):
    path = state / name
    return yaml.safe_load(path.read_text()) if path.exists() else None
def write(name, tree):
    (state / name).write_text(yaml.safe_dump(tree))
def joined(tree, more):
    return {{**tree, **{{k: joined(tree.get(k) or {{}}, v) if isinstance(v, dict) else v for k, v in more.items()}}}}
applied = read("applied") or {{"system": {{"aaa": {{"user": {{"admin": {{}}}}}}}}}}
match said:
    case ["patch", path]:
        write("pending", joined(applied, yaml.safe_load(open(path))[0]["set"]))
    case ["diff"]:
        print("- set: something" if read("pending") != applied else "")
    case ["detach"]:
        (state / "pending").unlink(missing_ok=True)
    case ["apply", "--confirm", time, "-y"]:
        if (state / "refuses").exists():
            sys.exit("Invalid config [rev_id: 7]")
        write("former", applied)
        (state / "pending").rename(state / "applied")
    case ["apply", "--confirm-yes"]:
        (state / "former").unlink()
    case ["save"]:
        write("startup", applied)
    case ["show", "-o", "yaml"]:
        print(yaml.safe_dump([{{"header": {{"version": "5.16"}}}}, {{"set": applied}}]))
    case _:
        sys.exit(f"nv knows no {{said}}")
"""


class Site:
    """Two drawn leaf switches, each a folder on this machine with a stand-in for `nv`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.switches = switches_of(design_of_preset("lab"))
        hosts = {}
        (folder / "drawn").mkdir()
        (folder / "found").mkdir()
        for switch in self.switches:
            state = folder / switch.name
            state.mkdir()
            (state / "nv").write_text(NV.format(python=sys.executable, folder=str(state)), encoding="utf-8")
            (state / "nv").chmod(0o755)
            (folder / "drawn" / f"{switch.name}.yaml").write_text(nvue.text(switch, SiteServers()), encoding="utf-8")
            hosts[switch.name] = {"nv_folder": str(state)}
        group = {
            "hosts": hosts,
            "vars": {"ansible_connection": "local", "ansible_python_interpreter": sys.executable},
        }
        inventory = {"all": {"children": {"switches": group}}}
        (folder / "inventory.yml").write_text(yaml.safe_dump(inventory), encoding="utf-8")
        # each command finds its host's own `nv`
        play = yaml.safe_load(PLAYBOOK.read_text(encoding="utf-8"))
        play[0]["environment"] = {"PATH": "{{ nv_folder }}:" + os.environ["PATH"]}
        self.playbook = folder / "play.yml"
        self.playbook.write_text(yaml.safe_dump(play), encoding="utf-8")

    def play(self, *options: str) -> tuple[int, dict[str, int]]:
        """Play it. Return the exit status, and the changes by switch."""
        done = subprocess.run(
            [
                *("ansible-playbook", "-i", str(self.folder / "inventory.yml"), str(self.playbook), *options),
                *("-e", f"switch_configuration_files={self.folder / 'drawn'}"),
                *("-e", f"switch_configuration_read_back={self.folder / 'found'}"),
            ],
            env=os.environ
            | {"ANSIBLE_ROLES_PATH": str(FOLDER / "roles"), "ANSIBLE_NOCOLOR": "1"}
            | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        changed = re.findall(r"^(\S+) +: ok=\d+ +changed=(\d+)", done.stdout, re.MULTILINE)
        return done.returncode, {host: int(count) for host, count in changed}

    def has(self, switch: str, name: str) -> bool:
        """Return whether a switch has a revision of this name."""
        return (self.folder / switch / name).exists()

    def drift(self) -> list[Difference]:
        """Return what differs in what was read back."""
        found = []
        for switch in self.switches:
            shown = yaml.safe_load((self.folder / "found" / f"{switch.name}.yaml").read_text(encoding="utf-8"))
            found += differences(switch.name, nvue.document(switch, SiteServers()), shown)
        return found


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A site whose switches have their accounts alone."""
    return Site(tmp_path)


def test_it_is_applied_once_confirmed_read_back_and_repaired(site: Site) -> None:
    """Check mode applies nothing, a second run changes nothing, and what is changed by hand is found and set right."""
    first, second = (switch.name for switch in site.switches)
    rc, _ = site.play("--check")
    assert rc == 0
    assert not site.has(first, "applied")
    assert not site.has(first, "pending")
    assert site.drift()

    assert site.play() == (0, {first: 1, second: 1})
    assert site.drift() == []
    assert not site.has(first, "former"), "it was not confirmed"
    assert site.has(first, "startup")
    applied = site.folder / second / "applied"
    assert "admin" in applied.read_text(encoding="utf-8")
    assert site.play() == (0, {first: 0, second: 0})

    applied.write_text(applied.read_text(encoding="utf-8").replace("mtu: 9216", "mtu: 1500", 1), encoding="utf-8")
    site.play("--check")
    (found,) = site.drift()
    assert (found.switch, found.path.rpartition(" ")[2], found.drawn, found.found) == (second, "mtu", "9216", "1500")
    assert site.play() == (0, {first: 0, second: 1})
    assert site.drift() == []


def test_a_switch_that_refuses_stops_the_play(site: Site) -> None:
    """The first one refuses; nothing is left pending there, and nothing is tried on the next."""
    first, second = (switch.name for switch in site.switches)
    (site.folder / first / "refuses").touch()

    rc, _ = site.play()

    assert rc != 0
    assert not site.has(first, "applied")
    assert not site.has(first, "pending")
    assert not site.has(second, "calls")
