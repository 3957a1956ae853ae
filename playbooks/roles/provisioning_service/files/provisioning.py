"""Opens hosts for installation, and closes them: everybody else boots from disk.

A host that is opened gets its files, each checked before it is served, and a boot entry under the address of its network
card. It is closed when its installer says that it is done; it is not opened again unless `--again` says so.

    provisioning.py open HOST ... [--again]     says which it opened or wrote anew
    provisioning.py close HOST ...              for a host that came up without a word, as one that something else installed
    provisioning.py list                        every host's record, as JSON
    provisioning.py manifest                    all that a booting host may fetch, with digests, as JSON
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
"""In the order in which they are served: a host finds its boot entry when all else is there."""


class RefusedError(Exception):
    """What cannot be done; the sentence says why and what helps."""


class Told(string.Template):
    """A file with `@{value}` for what is a host's own: `$` is the installer's."""

    delimiter = "@"


def main() -> int:
    """Do what is asked; 1 where it is refused."""
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
    """Let a host install itself; give whether that changed anything. One that was installed is left alone."""
    known, before = _known(host), record(host)
    if before.get("installed") and not again:
        return False
    if not known["disk"]:
        raise RefusedError(f"{host}: state boot_disk in the inventory: which disk may be erased?")
    fresh = again or not before
    now = {"opened": time.time(), "attempt": before.get("attempt", 0) + 1} if fresh else before
    values = {
        **known,
        "name": host,
        "dashed_mac": known["mac"].replace(":", "-"),
        "attempt": now["attempt"],
        "installer_digest": f"sha256:{_digest(HTTP / 'installer')}",
    }
    files = {name: Told((SETTINGS / name).read_text()).substitute(values) for name in SERVED}
    for name, text in files.items():
        _check(host, name, text)
    changed = [_wrote(_place(host, known, name), text) for name, text in files.items()]
    if fresh:
        write_record(host, now)
    return any(changed) or fresh


def close_host(host: str) -> None:
    """Boot a host from disk again."""
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
        raise RefusedError(f"{host}: state boot_mac in the inventory, and run step 142 again")
    return known[host]


def _place(host: str, known: dict, name: str) -> Path:
    if name == "pxelinux":
        return TFTP / "pxelinux.cfg" / f"01-{known['mac'].replace(':', '-')}"
    if name == "grub":
        return TFTP / "debian-installer/amd64/grub/hosts" / f"{known['mac']}.cfg"
    return HTTP / "hosts" / host / name


def _check(host: str, name: str, text: str) -> None:
    """Refuse a file that the program which is to read it would not take."""
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
