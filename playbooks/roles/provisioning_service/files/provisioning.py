"""Enable and disable the installation of hosts. An enabled host that boots from the network is erased and installed.

All other hosts boot from their disks. To enable a host, its files are written and checked, and then a boot entry under the
address of its network card. It is disabled when its installer reports that it is done. A host that was installed is not
enabled again without `--again`.

    provisioning.py open HOST ... [--again]     enable; print the hosts that were enabled or whose files changed
    provisioning.py close HOST ...              disable, for a host that something else has installed
    provisioning.py list                        print every host's record, as JSON
    provisioning.py manifest                    print all files that a booting host may fetch, with digests, as JSON
"""

import hashlib
import json
import string
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SETTINGS = Path("/etc/clusterwright/provisioning")
STATE = Path("/var/lib/provisioning")
HTTP = Path("/srv/provisioning/http")
TFTP = Path("/srv/provisioning/tftp")
CHECKS = {
    "preseed.cfg": ("debconf-set-selections", "--checkonly"),
    "user-data": ("cloud-init", "schema", "--config-file"),
    "autoinstall": ("cloud-init", "schema", "--config-file"),
    "late.sh": ("sh", "-n"),
}
ENTRIES = ("pxelinux", "grub")
SERVED = (*CHECKS, "meta-data", *ENTRIES)
"""The files of a host, in the order in which they are written: the boot entry comes last, when all else is there."""


class RefusedError(Exception):
    """A request that is refused. The message says why, and what to do."""


class HostTemplate(string.Template):
    """A template in which `@{value}` is a value of the host. `$` is left to the installer."""

    delimiter = "@"


def main() -> int:
    """Do what the arguments ask for. Return 1 if it is refused, otherwise 0."""
    verb, *words = sys.argv[1:] or ["list"]
    named = [word for word in words if word != "--again"]
    try:
        if verb == "open":
            opened = [host for host in named if open_host(host, again="--again" in words)]
            print("\n".join(opened), end="")
        elif verb == "close":
            for host in named:
                close_host(host)
                write_record(host, record(host) | {"closed": time.time()})
        elif verb == "manifest":
            print(json.dumps(manifest(), indent=1))
        else:
            print(json.dumps(records(), indent=1))
    except RefusedError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def open_host(host: str, *, again: bool = False) -> bool:
    """Enable the installation of a host. Return whether anything changed.

    A host that was installed, by this service or by something else, is not enabled without `again`. A host without `boot_disk` is refused: the installer erases
    that disk, and it is never guessed.
    """
    known, before = _known(host), record(host)
    if before.keys() & {"installed", "closed"} and not again:
        return False
    if not known["disk"]:
        raise RefusedError(f"{host}: the inventory does not say which disk may be erased; set boot_disk")
    fresh = again or not before
    now = {"opened": time.time(), "attempt": before.get("attempt", 0) + 1} if fresh else before
    values = {
        **known,
        "name": host,
        "dashed_mac": known["mac"].replace(":", "-"),
        "attempt": now["attempt"],
        "installer_digest": f"sha256:{_digest(HTTP / 'installer')}",
    }
    files = {name: HostTemplate((SETTINGS / name).read_text()).substitute(values) for name in SERVED}
    for name, text in files.items():
        _check(host, name, text)
    changed = [_wrote(_place(host, known, name), text) for name, text in files.items()]
    if fresh:
        write_record(host, now)
    return any(changed) or fresh


def close_host(host: str) -> None:
    """Disable the installation of a host: it boots from its disk again."""
    known = _known(host)
    for name in ENTRIES:
        _place(host, known, name).unlink(missing_ok=True)


def manifest() -> dict:
    """Return the service's address, its hosts and their records, and every file by the path at which it is served."""
    ways = (("http", HTTP), ("tftp", TFTP))
    served = {f"{way}:{path.relative_to(root)}": path for way, root in ways for path in root.rglob("*")}
    digests = {
        name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in served.items() if _is_asked_for(path)
    }
    return _settings() | {"records": records(), "files": digests}


def records() -> dict:
    """Return the record of every host."""
    return {path.stem: json.loads(path.read_text()) for path in sorted(STATE.glob("*.json"))}


def hosts() -> dict:
    """Return the network card, the address and the disk of each host."""
    return _settings()["hosts"]


def _settings() -> dict:
    return json.loads((SETTINGS / "settings.json").read_text())


def record(host: str) -> dict:
    """Return when a host was opened for installation and when it was installed, or an empty record if it never was."""
    path = STATE / f"{host}.json"
    return json.loads(path.read_text()) if path.exists() else {}


def write_record(host: str, found: dict) -> None:
    """Keep a host's record."""
    _wrote(STATE / f"{host}.json", json.dumps(found))


def _known(host: str) -> dict:
    known = hosts()
    if host not in known:
        raise RefusedError(f"{host}: set boot_mac in the inventory, and run step 142 again")
    return known[host]


def _place(host: str, known: dict, name: str) -> Path:
    if name == "pxelinux":
        return TFTP / "pxelinux.cfg" / f"01-{known['mac'].replace(':', '-')}"
    if name == "grub":
        return TFTP / "debian-installer/amd64/grub/hosts" / f"{known['mac']}.cfg"
    return HTTP / "hosts" / host / name


def _check(host: str, name: str, text: str) -> None:
    """Refuse a file that the program for which it is written would not accept."""
    if name not in CHECKS:
        return
    with tempfile.NamedTemporaryFile("w", suffix=f"-{name}") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([*CHECKS[name], file.name], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RefusedError(f"{host}: {name} is not served: {' '.join((done.stderr or done.stdout).split())[:500]}")


def _wrote(path: Path, text: str) -> bool:
    if path.exists() and path.read_text() == text:
        return False
    path.parent.mkdir(exist_ok=True)
    partial = path.with_name(f".{path.name}.new")
    partial.write_text(text)
    partial.chmod(0o644)
    partial.replace(path)
    return True


def _is_asked_for(path: Path) -> bool:
    """Leave out folders, and GRUB's modules: there are hundreds, and it asks for a few."""
    return path.is_file() and path.suffix not in {".mod", ".lst"} and not path.name.startswith(".")


def _digest(folder: Path) -> str:
    """Return one digest over the installer's kernel and initrd."""
    total = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.name.startswith(("linux", "initrd")):
            total.update(path.read_bytes())
    return total.hexdigest()


if __name__ == "__main__":
    sys.exit(main())
