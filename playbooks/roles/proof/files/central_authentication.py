"""Proves log-in through the directory, from outside.

Two people of the proof are made. One is in every group that a host lets in: it logs in to every host by SSH, also with the first server
stopped. The other is in the group of everybody alone: it must be let in by the hosts that are open to this group, and by no other. Both are
removed, and tried until no host lets them in. Each log-in removes again the home directory that it made. Runs on the first directory server.

Arguments: the directory's base, the name and number of the group of everybody, then `HOST:GROUP,GROUP` for each host.
"""

import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ADMITTED, PLAIN = "cwlogin", "cwplain"
NUMBERS = {ADMITTED: 19999, PLAIN: 19997}
PATIENCE_S = 90.0
CLOSED_PATIENCE_S = 900.0


def main() -> None:
    """Make two people, try, take them away, try again."""
    base, everyone, number, *words = sys.argv[1:]
    groups = {host: names.split(",") for host, _, names in (word.partition(":") for word in words)}
    hosts, open_to_all = set(groups), {host for host, names in groups.items() if everyone in names}
    admitting = {name for names in groups.values() for name in names} - {everyone}
    with tempfile.TemporaryDirectory() as folder:
        key = Path(folder) / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
        public = key.with_suffix(".pub").read_text().strip()

        def let_in(name: str) -> set[str]:
            return {host for host in hosts if logs_in(name, key, host)}

        try:
            for name in NUMBERS:
                remove(name, base, admitting)
                change("ldapadd", person(name, base, number, public))
            for group in admitting:
                change_member("add", ADMITTED, group, base)
            opened = until(lambda: let_in(ADMITTED), lambda found: found == hosts, PATIENCE_S)
            plain = until(lambda: let_in(PLAIN), lambda found: found == open_to_all, PATIENCE_S)
            without = set()
            if opened == hosts:
                with stopped():
                    without = until(lambda: let_in(ADMITTED), lambda found: found == hosts, PATIENCE_S)
        finally:
            for name in NUMBERS:
                remove(name, base, admitting)
        began = time.monotonic()
        still = until(lambda: let_in(ADMITTED) | let_in(PLAIN), lambda found: not found, CLOSED_PATIENCE_S)
        minutes = (time.monotonic() - began) / 60
    missing = sorted(hosts - without)
    note = f"no log-in on {', '.join(missing)}" if missing else f"{len(hosts)} hosts, first directory server stopped"
    closed = {"value": round(minutes, 2), "note": f"{len(hosts)} hosts"}
    if still or not opened:
        closed = {"value": None, "note": f"still let in by {', '.join(sorted(still))}" if still else "was never let in"}
    print(
        json.dumps(
            {
                "auth.login_with_replica_down": {"value": not missing, "note": note},
                "auth.closed_account_minutes": closed,
                "auth.plain_user_wrong_hosts": wrong_hosts(plain, open_to_all, hosts),
            }
        )
    )


def wrong_hosts(plain: set[str], open_to_all: set[str], hosts: set[str]) -> dict[str, object]:
    """Return how many hosts let a plain person in that are not open to everybody, or refuse one though they are."""
    wrong = [
        f"{host} {'lets in' if host in plain else 'refuses'} a plain person" for host in sorted(plain ^ open_to_all)
    ]
    return {
        "value": len(wrong),
        "note": "; ".join(wrong) or f"open on {len(open_to_all)}, refused on {len(hosts - open_to_all)} hosts",
    }


def person(name: str, base: str, group: str, public: str) -> str:
    """Return the person's entry as LDIF."""
    return f"""dn: {entry(name, base)}
objectClass: inetOrgPerson
objectClass: posixAccount
objectClass: ldapPublicKey
uid: {name}
cn: {name}
sn: {name}
uidNumber: {NUMBERS[name]}
gidNumber: {group}
homeDirectory: {home(name)}
loginShell: /bin/bash
sshPublicKey: {public}
"""


def change(tool: str, ldif: str) -> None:
    """Change the directory as this host's root."""
    subprocess.run(
        [tool, "-Q", "-Y", "EXTERNAL", "-H", "ldapi:///"], input=ldif, text=True, check=True, capture_output=True
    )


def entry(name: str, base: str) -> str:
    """Return the name of a person's entry."""
    return f"uid={name},ou=people,{base}"


def home(name: str) -> str:
    """Return a home directory where its owner may remove it."""
    return f"/tmp/{name}"


def change_member(how: str, name: str, group: str, base: str) -> None:
    """Add a person to a group, or delete it there. Groups that are not in the directory, as root, stay as they are."""
    ldif = f"dn: cn={group},ou=groups,{base}\nchangetype: modify\n{how}: memberUid\nmemberUid: {name}\n"
    with contextlib.suppress(subprocess.CalledProcessError):
        change("ldapmodify", ldif)


def remove(name: str, base: str, groups: set[str]) -> None:
    """Remove a person, if it is there, also from groups."""
    for group in groups:
        change_member("delete", name, group, base)
    with contextlib.suppress(subprocess.CalledProcessError):
        change("ldapmodify", f"dn: {entry(name, base)}\nchangetype: delete\n")


def logs_in(name: str, key: Path, host: str) -> bool:
    """Say whether the person gets a shell and is who it is."""
    options = (
        "BatchMode=yes",
        "StrictHostKeyChecking=no",
        "UserKnownHostsFile=/dev/null",
        "ConnectTimeout=5",
        "LogLevel=ERROR",
    )
    command = [
        "ssh",
        "-i",
        str(key),
        *(word for option in options for word in ("-o", option)),
        f"{name}@{host}",
        f"cd /; id -un; rm -rf {home(name)}",
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() == name


@contextlib.contextmanager
def stopped() -> Iterator[None]:
    """Stop this host's directory server; it is started again whatever happens."""
    subprocess.run(["systemctl", "stop", "slapd"], check=True)
    try:
        yield
    finally:
        subprocess.run(["systemctl", "start", "slapd"], check=True)


def until(read: Callable[[], set[str]], is_so: Callable[[set[str]], bool], patience_s: float) -> set[str]:
    """Read until it is so or patience ends. Return the last reading."""
    end = time.monotonic() + patience_s
    while not is_so(found := read()) and time.monotonic() < end:
        time.sleep(1)
    return found


if __name__ == "__main__":
    main()
