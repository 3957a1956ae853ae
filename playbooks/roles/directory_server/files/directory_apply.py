#!/usr/bin/python3
"""Brings the directory in line with a list of people and groups: `directory-apply FILE`. Prints a line a change.

With `--check` it prints what it would change, and changes nothing.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import ldap
from ldap import modlist

Entry = dict[str, list[bytes]]


def main() -> None:
    """Compare, then add, change and remove, parents first."""
    wanted_list = json.loads(Path(sys.argv[1]).read_text())
    wanted = entries(wanted_list)
    directory = ldap.initialize("ldapi:///")
    directory.sasl_external_bind_s()
    base = wanted_list["base"]
    try:
        there: dict[str, Entry] = dict(directory.search_s(base, ldap.SCOPE_SUBTREE))
    except ldap.NO_SUCH_OBJECT:
        there = {}
    gone = sorted(set(there) - set(wanted), key=len, reverse=True)
    lived = [
        name for name in gone if there[name].get("homeDirectory", [b""])[0].decode().startswith(wanted_list["homes"])
    ]
    # a list that is missing, or has its name misspelt, is empty too
    if lived and not wanted_list["people"]:
        sys.exit(
            f"directory_server_people names nobody, and the directory has {len(lived)} people: nothing was changed. "
            f"State the list; if all shall go, delete them on this host: ldapdelete -Y EXTERNAL -H ldapi:/// {lived[0]}"
        )
    for name, entry in wanted.items():
        if name not in there:
            change("added", name, directory.add_s, modlist.addModlist(entry))
        elif changes := modlist.modifyModlist(there[name], entry):
            change("changed", name, directory.modify_s, changes)
    for name in gone:
        change("removed", name, directory.delete_s)


def change(what: str, name: str, make: Callable[..., object], *terms: object) -> None:
    """Change an entry unless it is only looked at, and say what was changed."""
    if "--check" not in sys.argv:
        make(name, *terms)
    print(what, name)


def entries(wanted: dict) -> dict[str, Entry]:
    """Return every entry that the directory shall have, by name."""
    base, everyone = wanted["base"], wanted["everyone_gid"]
    found = {
        base: attributes(objectClass=["top", "domain"], dc=[base.split(",")[0].split("=")[1]]),
        f"ou=people,{base}": attributes(objectClass=["organizationalUnit"], ou=["people"]),
        f"ou=groups,{base}": attributes(objectClass=["organizationalUnit"], ou=["groups"]),
    }
    people = [*wanted["people"], {"name": wanted["proof_account"], "uid": wanted["proof_uid"]}]
    for person in people:
        found[f"uid={person['name']},ou=people,{base}"] = attributes(
            objectClass=["inetOrgPerson", "posixAccount", "ldapPublicKey"],
            uid=[person["name"]],
            cn=[person["name"]],
            sn=[person["name"]],
            uidNumber=[person["uid"]],
            gidNumber=[everyone],
            homeDirectory=[f"{wanted['homes']}/{person['name']}"],
            loginShell=["/bin/bash"],
            sshPublicKey=person.get("ssh_keys", []),
        )
    for group, number in {wanted["everyone"]: everyone, **wanted["groups"]}.items():
        members = [p["name"] for p in people if group in p.get("groups", [])]
        found[f"cn={group},ou=groups,{base}"] = attributes(
            objectClass=["posixGroup"], cn=[group], gidNumber=[number], memberUid=members
        )
    return found


def attributes(**values: list) -> Entry:
    """Return attributes in the form that the directory keeps, without those that are empty."""
    return {name: [str(value).encode() for value in listed] for name, listed in values.items() if listed}


if __name__ == "__main__":
    main()
