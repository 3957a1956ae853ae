"""Proves that people have their homes on this host: one home is the same as elsewhere, its owner's, and nobody else's.

Arguments: an account of the directory, and a word that another host has written into the account's home.
"""

import json
import pwd
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

STRANGER = "nobody"


def main() -> None:
    """Count what is wrong with the home, and name it."""
    wrong = list(faults(*sys.argv[1:]))
    note = "; ".join(wrong) or "the home has what another host wrote; its owner writes there, and nobody else looks in"
    print(json.dumps({"home.faults": {"value": len(wrong), "note": note}}))


def faults(account: str, word: str) -> Iterator[str]:
    """Yield what is wrong with an account's home on this host."""
    try:
        person = pwd.getpwnam(account)
    except KeyError:
        yield f"the account {account} is not known"
        return
    home = Path(person.pw_dir)
    if not home.is_dir():
        yield f"{home} is not there"
        return
    if home.stat().st_uid != person.pw_uid:
        yield f"{home} belongs to number {home.stat().st_uid}, and {account} is {person.pw_uid}"
    if (mode := stat.S_IMODE(home.stat().st_mode)) != stat.S_IRWXU:
        yield f"{home} has mode {mode:04o}"
    if said(account, "cat", str(home / f".{word}")) != word:
        yield f"{home} lacks what another host wrote there: it is a folder of this host alone"
    mine = str(home / f".{word}.{socket.gethostname()}")
    if said(account, "sh", "-c", 'echo mine >"$0" && cat "$0"; rm -f "$0"', mine) != "mine":
        yield f"{account} cannot write to {home}"
    if said(STRANGER, "ls", "-A", str(home)) is not None:
        yield f"{STRANGER} looks into {home}"


def said(account: str, *command: str) -> str | None:
    """Return what a command prints in the name of an account. None: it failed, or did not end."""
    words = ["runuser", "-u", account, "--", *command]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60, cwd="/")
    except subprocess.TimeoutExpired:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


if __name__ == "__main__":
    main()
