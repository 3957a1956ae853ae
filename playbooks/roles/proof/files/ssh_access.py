"""Proves that nobody comes in by password, and that what was set is what counts.

Asks this host's SSH server what it offers to each account that could log in, and what is in effect for root and others: a file that sorts
before ours, or a Match block anywhere, may set something else. Argument: Ansible's word for the connection.
"""

import json
import pwd
import subprocess
import sys
from typing import Any

from sshd_view import ELSEWHERE, Server, groups_of, overridden, refusal, who_came

OPTIONS = (
    "PreferredAuthentications=none",
    "StrictHostKeyChecking=no",
    "UserKnownHostsFile=/dev/null",
    "LogLevel=ERROR",
)
SHELLS = ("/usr/sbin/nologin", "/bin/false", "/bin/sync")


def main() -> None:
    """Count the accounts that are offered anything but a key, ways in for root, and settings that do not count."""
    came = who_came(sys.argv[1])
    found = {
        "ssh.password_logins_possible": password_logins(),
        "ssh.settings_overridden": settings_overridden(came),
        "ssh.root_ways_in_elsewhere": root_ways_in_elsewhere(),
        "ssh.root_as_set": root_as_set(came["address"]),
    }
    print(json.dumps(found))


def password_logins() -> dict[str, object]:
    """Return how many accounts are offered anything but a key; no number if the server does not answer one of them."""
    opened, asked = [], 0
    for account in [a.pw_name for a in pwd.getpwall() if a.pw_shell not in SHELLS] + ["nobody-by-this-name"]:
        options = [word for option in OPTIONS for word in ("-o", option)]
        said = subprocess.run(
            ["ssh", *options, f"{account}@127.0.0.1", "true"], capture_output=True, text=True, check=False
        ).stderr
        if "Permission denied (" not in said:
            return {"value": None, "note": f"{account}: {said.strip()[:200]}"}
        asked += 1
        if "password" in said or "keyboard-interactive" in said:
            opened.append(account)
    return {"value": len(opened), "note": ", ".join(opened) or f"{asked} accounts asked"}


def settings_overridden(came: dict[str, Any]) -> dict[str, object]:
    """Return how many of our settings are otherwise in effect, and which lines of which files may be why."""
    found = overridden(Server(None), came)
    said = [
        f"{one['setting']} is {one['effective']!r}, not {one['wanted']!r}, for {one['for']}: "
        + (
            "; ".join(one["set_by"])
            or "sshd_config does not include /etc/ssh/sshd_config.d/*.conf, or does so too late"
        )
        for one in found
    ]
    return {"value": len(found), "note": " | ".join(said) or "every setting of 10-access.conf counts"}


def root_ways_in_elsewhere() -> dict[str, object]:
    """Return in how many ways, by key and by password, root is let in from an address that the settings do not name."""
    answers = Server(None).answers("root", ELSEWHERE)
    ways = [] if refusal(answers, "root", groups_of("root"), ELSEWHERE) else ["key"]
    if answers["permitrootlogin"] == ["yes"] and answers["passwordauthentication"] == ["yes"]:
        ways.append("password")
    return {"value": len(ways), "note": f"from {ELSEWHERE} by {' and '.join(ways) or 'no way'}"}


def root_as_set(address: str) -> dict[str, object]:
    """Return whether root is let in by key, or refused, from the control node and from elsewhere, as our file alone would have it."""
    server, wrong = Server(None), []
    for origin in (address, ELSEWHERE):
        wanted, found = (
            refusal(server.answers("root", origin, ours_alone=alone), "root", groups_of("root"), origin)
            for alone in (True, False)
        )
        if bool(wanted) != bool(found):
            wrong.append(f"root from {origin}: {f'refused by {found}' if found else f'let in in spite of {wanted}'}")
    return {"value": not wrong, "note": "; ".join(wrong) or f"asked for {address} and for {ELSEWHERE}"}


if __name__ == "__main__":
    main()
