#!/usr/bin/python3
"""Makes the homes of the directory's people who have none: `home-folders FOLDER BASE SERVER...`. Prints a line a home.

A home is a copy of /etc/skel that its owner alone may open. It appears complete, or not at all. What is there is never changed,
and the home of somebody who is not in the directory any more is kept.
"""

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import ldap

AUTHORITY = "/etc/clusterwright/authority.pem"
SKELETON = Path("/etc/skel")
NAME = re.compile(r"[a-z_][a-z0-9_.-]*")
PATIENCE_S = 10


class Person(NamedTuple):
    """Whose home it is."""

    name: str
    uid: int
    gid: int


def main() -> None:
    """Ask the directory for people, and make what is missing."""
    folder, base, *servers = sys.argv[1:]
    wrong = []
    for person in people(found(base, servers), Path(folder)):
        home = Path(folder, person.name)
        if not home.exists():
            try:
                make(home, person)
            except PermissionError as error:
                raise SystemExit(f"{error}: name a host whose root may make homes in home_folders_maker") from error
            print(f"made {home}")
        elif home.stat().st_uid != person.uid:
            wrong.append(f"{home} belongs to number {home.stat().st_uid}, not to {person.name} ({person.uid})")
    if wrong:
        raise SystemExit("\n".join(wrong))


def found(base: str, servers: list[str]) -> list[dict[str, list[bytes]]]:
    """Return the accounts that the first directory server that answers has."""
    ldap.set_option(ldap.OPT_X_TLS_CACERTFILE, AUTHORITY)
    ldap.set_option(ldap.OPT_X_TLS_REQUIRE_CERT, ldap.OPT_X_TLS_DEMAND)
    for server in servers:
        directory = ldap.initialize(f"ldaps://{server}")
        directory.set_option(ldap.OPT_NETWORK_TIMEOUT, PATIENCE_S)
        try:
            return [entry for _, entry in directory.search_s(base, ldap.SCOPE_SUBTREE, "(objectClass=posixAccount)")]
        except ldap.SERVER_DOWN:
            continue
    raise SystemExit(f"no directory server answers: {', '.join(servers)}")


def people(entries: list[dict[str, list[bytes]]], folder: Path) -> Iterator[Person]:
    """Yield those whose home is in the folder. A name that could lead elsewhere is left out."""
    for entry in entries:
        name = entry["uid"][0].decode()
        is_here = entry["homeDirectory"][0].decode() == str(folder / name)
        if is_here and NAME.fullmatch(name):
            yield Person(name, int(entry["uidNumber"][0]), int(entry["gidNumber"][0]))


def make(home: Path, person: Person) -> None:
    """Make a home beside its place, and put it there when it is whole."""
    new = home.with_name(f".{person.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(mode=0o700)
    shutil.copytree(SKELETON, new, symlinks=True, dirs_exist_ok=True)
    for path in (new, *new.rglob("*")):
        os.chown(path, person.uid, person.gid, follow_symlinks=False)
    new.chmod(0o700)
    new.rename(home)


if __name__ == "__main__":
    main()
