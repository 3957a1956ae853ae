"""Proves log-in through the directory, from outside.

A person of the proof is made, logs in to every host by SSH, also with the first server stopped, is removed, and is tried until
no host lets it in. Each log-in removes again the home directory that it made. Runs on the first directory server.

Arguments: the directory's base, the group's number, then host names.
"""

import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

PERSON, NUMBER = "cwlogin", 19999
HOME = f"/tmp/{PERSON}"  # where its owner may remove it
PATIENCE_S = 90.0
CLOSED_PATIENCE_S = 900.0


def main() -> None:
    """Make the person, try, take the person away, try again."""
    base, group, *hosts = sys.argv[1:]
    name = f"uid={PERSON},ou=people,{base}"
    with tempfile.TemporaryDirectory() as folder:
        key = Path(folder) / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
        remove(name)
        public = key.with_suffix(".pub").read_text().strip()
        change("ldapadd", person(name, group, public))

        def let_in() -> set[str]:
            return {host for host in hosts if logs_in(key, host)}

        try:
            opened = until(let_in, lambda found: found == set(hosts), PATIENCE_S)
            with stopped():
                without = (
                    until(let_in, lambda found: found == set(hosts), PATIENCE_S) if opened == set(hosts) else set()
                )
        finally:
            remove(name)
        began = time.monotonic()
        still = until(let_in, lambda found: not found, CLOSED_PATIENCE_S)
        minutes = (time.monotonic() - began) / 60
    missing = sorted(set(hosts) - without)
    note = f"no log-in on {', '.join(missing)}" if missing else f"{len(hosts)} hosts, first directory server stopped"
    closed = {"value": round(minutes, 2), "note": f"{len(hosts)} hosts"}
    if still or not opened:
        closed = {"value": None, "note": f"still let in by {', '.join(sorted(still))}" if still else "was never let in"}
    print(
        json.dumps(
            {
                "auth.login_with_replica_down": {"value": not missing, "note": note},
                "auth.closed_account_minutes": closed,
            }
        )
    )


def person(name: str, group: str, public: str) -> str:
    """Return the person's entry as LDIF."""
    return f"""dn: {name}
objectClass: inetOrgPerson
objectClass: posixAccount
objectClass: ldapPublicKey
uid: {PERSON}
cn: {PERSON}
sn: {PERSON}
uidNumber: {NUMBER}
gidNumber: {group}
homeDirectory: {HOME}
loginShell: /bin/bash
sshPublicKey: {public}
"""


def change(tool: str, ldif: str) -> None:
    """Change the directory as this host's root."""
    subprocess.run(
        [tool, "-Q", "-Y", "EXTERNAL", "-H", "ldapi:///"], input=ldif, text=True, check=True, capture_output=True
    )


def remove(name: str) -> None:
    """Remove the person, if it is there."""
    with contextlib.suppress(subprocess.CalledProcessError):
        change("ldapmodify", f"dn: {name}\nchangetype: delete\n")


def logs_in(key: Path, host: str) -> bool:
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
        f"{PERSON}@{host}",
        f"cd /; id -un; rm -rf {HOME}",
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() == PERSON


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
