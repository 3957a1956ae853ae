#!/usr/bin/python3
"""Brings accounts, users and qualities of service in line with a list: `slurm-policy-apply FILE`. Prints a line a change.

With `--check` it prints what it would change, and changes nothing.
"""

import json
import subprocess
import sys
from pathlib import Path

ANY = "-1"


def main() -> None:
    """Compare, then add, change and remove."""
    wanted = json.loads(Path(sys.argv[1]).read_text())
    users = {row[0] for row in rows("assoc", "User")} - {"", "root", wanted["proof"]}
    # a list that is missing, or has its name misspelt, is empty too
    if users and not any(entry["users"] for entry in wanted["accounts"].values()):
        sys.exit(
            f"no account of slurm_policy_accounts lists a user, and accounting has {len(users)}: nothing was changed. "
            f"State the list; if all shall go, remove them on this host: sacctmgr remove user {min(users)}"
        )
    qualities(wanted["qos"])
    accounts = dict(wanted["accounts"])
    accounts[wanted["proof"]] = {"fairshare": 1, "users": [wanted["proof"]]}
    shares(accounts, wanted["account_qos"], wanted["default_qos"])


def qualities(wanted: dict[str, dict[str, str]]) -> None:
    """Make qualities of service, and what each of them says; names first, for they displace each other."""
    there = {row[0] for row in rows("qos", "Name")}
    for name in wanted.keys() - there:
        change("add", "qos", name)
    for name, options in wanted.items():
        is_now = rows("qos", ",".join(options), f"name={name}") if options else []
        # with --check, one that is to be made is not there yet
        found = is_now[0] if is_now else [""] * len(options)
        different = [f"{o}={v}" for (o, v), has in zip(options.items(), found, strict=True) if not same(str(v), has)]
        if different:
            change("modify", "qos", name, "set", *different)


def shares(wanted: dict[str, dict], qos: str, default_qos: str) -> None:
    """Make accounts and users with their shares, and remove users that no account lists."""
    there = {(row[0], row[1]): row[2:] for row in rows("assoc", "Account,User,Share,QOS,DefaultQOS")}
    for name, entry in wanted.items():
        terms = {"fairshare": str(entry["fairshare"]), "qos": qos, "defaultqos": default_qos}
        share = [f"{term}={value}" for term, value in terms.items()]
        if (name, "") not in there:
            change("add", "account", name, f"description={name}", *share)
        elif different := [
            f"{term}={value}"
            for (term, value), is_now in zip(terms.items(), there[name, ""], strict=True)
            if not same(value, is_now)
        ]:
            change("modify", "account", f"name={name}", "set", *different)
        for user in entry["users"]:
            if (name, user) not in there:
                change("add", "user", user, f"account={name}")
    listed = {(name, user) for name, entry in wanted.items() for user in entry["users"]}
    for account, user in sorted(there):
        if user not in ("", "root") and (account, user) not in listed:
            change("remove", "user", user, f"account={account}")


def rows(what: str, columns: str, *where: str) -> list[list[str]]:
    """Return rows of accounting, each as a list of its columns."""
    condition = ["where", *where] if where else []
    said = subprocess.run(
        ["sacctmgr", "-nP", "show", what, *condition, f"format={columns}"], capture_output=True, text=True, check=True
    ).stdout
    return [line.split("|") for line in said.splitlines()]


def same(wanted: str, is_now: str) -> bool:
    """Compare as Slurm does: lists without an order, nothing as any, a grace in seconds that is shown as a time."""
    if wanted.isdigit() and is_now.count(":") == 2:
        hours, minutes, seconds = is_now.split(":")
        return int(wanted) == int(hours) * 3600 + int(minutes) * 60 + int(seconds)
    return set(wanted.split(",")) == set(is_now.split(",")) or (wanted == ANY and is_now == "")


def change(*command: str) -> None:
    """Change accounting unless it is only looked at, and say what was changed."""
    if "--check" in sys.argv:
        print(*command)
        return
    done = subprocess.run(["sacctmgr", "-i", *command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"sacctmgr {' '.join(command)}: {(done.stderr or done.stdout).strip()}")
    print(*command)


if __name__ == "__main__":
    main()
