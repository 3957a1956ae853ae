"""What this host's SSH server answers: who is let in by key from where, and which file sets what. It changes nothing.

`sshd -T -C` is asked, never a file alone: the first file that sets a value counts, and a Match block counts before all files. What would
be so with another file is asked in a mount namespace of its own, where that file is in its place.

Argument: a JSON document with `connection` (Ansible's word), `files` (what files are to be, by path; empty: as they are), `of_jobs_now` and
`of_jobs` (groups whose members PAM lets in by their jobs alone, as it is and then), `accounts` (names that must be let in, beside who is
here) and `may_lose` (names that need no longer be). Prints a JSON document: who came, who is kept out by
the files, which of them differ from what is there, and why each account is refused then (an empty text: it is let in).
"""

import grp
import ipaddress
import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

OURS = Path("/etc/ssh/sshd_config.d/10-access.conf")
FOLDER = OURS.parent
MAIN = Path("/etc/ssh/sshd_config")
CLOSED_SHELLS = ("nologin", "false", "sync")
ELSEWHERE = "192.0.2.1"
"""An address that no host has (RFC 5737): it stands for everywhere that the settings do not name."""
DEEPEST_INCLUDE = 16


def main() -> None:
    """Print who is here, who is kept out, and what differs."""
    terms = json.loads(sys.argv[1])
    came, files = who_came(terms["connection"]), terms["files"]
    now = Server(None, of_jobs=terms["of_jobs_now"])
    then = Server(files.get(str(OURS)), of_jobs=terms["of_jobs"])
    must = {came["user"], *terms["accounts"]}
    asked = sorted(must | {"root"} | with_keys(now, came["address"]))
    before = {name: now.why_refused(name, came["address"]) for name in asked}
    after = {name: then.why_refused(name, came["address"]) for name in asked}
    document = {
        "came": came,
        "refused": after,
        "kept_out": kept_out(before, after, must, set(terms["may_lose"])),
        "differs": [path for path, text in files.items() if not Path(path).exists() or Path(path).read_text() != text],
    }
    print(json.dumps(document))


def kept_out(before: dict[str, str], after: dict[str, str], must: set[str], may_lose: set[str]) -> list[str]:
    """Return which accounts would be refused, and why: those that must be let in, and those that are let in now and may not lose it."""
    return [
        f"{name} ({why})"
        for name, why in after.items()
        if why and (name in must or (not before[name] and name not in may_lose))
    ]


def who_came(connection: str) -> dict[str, Any]:
    """Return the account, address and port of the SSH session that this process is in, and the account's groups.

    `sudo` and `su` clear the environment that tells this, so it is read from the processes that called them. Who works on the host itself
    came from nowhere: a session further up is somebody's own.
    """
    if connection == "local":
        return came(pwd.getpwuid(os.getuid()).pw_name, "127.0.0.1", 0)
    number, found = os.getpid(), {}
    while number > 1 and not (Path("/proc") / str(number) / "comm").read_text().startswith("sshd"):
        environment = (Path("/proc") / str(number) / "environ").read_bytes().decode(errors="replace")
        values = dict(entry.split("=", 1) for entry in environment.split("\0") if "=" in entry)
        if "SSH_CONNECTION" in values:
            found = values
        number = int(status(number, "PPid"))
    if number <= 1 or not found:
        sys.exit(
            "cannot see from which address this connection comes: no process above this one belongs to an SSH session"
        )
    address, port = found["SSH_CONNECTION"].split()[:2]
    return came(found["USER"], address, int(port))


def came(user: str, address: str, port: int) -> dict[str, Any]:
    """Return what is told of a connection."""
    return {"user": user, "address": address, "port": port, "groups": groups_of(user)}


def status(number: int, word: str) -> str:
    """Return one value of a process."""
    lines = (Path("/proc") / str(number) / "status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith(f"{word}:"))


def groups_of(user: str) -> list[str]:
    """Return the names of a user's groups."""
    found = []
    for number in os.getgrouplist(user, pwd.getpwnam(user).pw_gid):
        try:
            found.append(grp.getgrgid(number).gr_name)
        except KeyError:  # a number without a name lets nobody in
            continue
    return found


class Server:
    """The SSH server's answers, with our file as it is (None) or with other settings in it. Members of groups `of_jobs` have no job here."""

    def __init__(self, settings: str | None, of_jobs: Sequence[str] = ()) -> None:
        self.settings = settings
        self.of_jobs = of_jobs

    def answers(self, user: str, address: str, *, ours_alone: bool = False) -> dict[str, list[str]]:
        """Return the values by setting, in lower case, for who comes as `user` from `address`."""
        sshd = ["sshd", "-T", "-C", f"user={user},host={address},addr={address}"]
        if ours_alone:
            return parsed(said([*sshd, "-f", str(OURS)]))
        if self.settings is None:
            return parsed(said(sshd))
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(FOLDER, folder, dirs_exist_ok=True)
            (Path(folder) / OURS.name).write_text(self.settings)
            here = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"']
            return parsed(said([*here, folder, str(FOLDER), *sshd]))

    def why_refused(self, user: str, address: str) -> str:
        """Return why a user with a key is refused from an address; an empty text if nothing refuses."""
        try:
            account = pwd.getpwnam(user)
        except KeyError:
            return "there is no such account"
        if Path(account.pw_shell).name in CLOSED_SHELLS:
            return f"its shell is {account.pw_shell}"
        answers = self.answers(user, address)
        if "allowgroups" in answers:
            answers["allowgroups"] = [group for group in answers["allowgroups"] if group not in self.of_jobs]
        return refusal(answers, user, groups_of(user), address)


def refusal(answers: dict[str, list[str]], user: str, groups: list[str], address: str) -> str:
    """Return which setting refuses a user with these groups who comes by key; an empty text if none does."""

    def named(setting: str) -> bool:
        words = answers.get(setting, [])
        if setting.endswith("users"):
            return any(is_user(word, user, address) for word in words)
        return any(fnmatchcase(group, word) for group in groups for word in words)

    for setting, refuses in (("denyusers", True), ("allowusers", False), ("denygroups", True), ("allowgroups", False)):
        if setting in answers and named(setting) is refuses:
            return f"{setting} {' '.join(answers[setting])}"
    if answers["pubkeyauthentication"] == ["no"]:
        return "pubkeyauthentication no"
    if user == "root" and answers["permitrootlogin"][0] in ("no", "forced-commands-only"):
        return f"permitrootlogin {answers['permitrootlogin'][0]}"
    methods = answers.get("authenticationmethods", ["any"])
    if not {"any", "publickey"} & set(methods):
        return f"authenticationmethods {' '.join(methods)}"
    return ""


def is_user(pattern: str, user: str, address: str) -> bool:
    """Say whether a pattern of AllowUsers or DenyUsers (`name` or `name@from`) is this user from this address."""
    name, at, origin = pattern.partition("@")
    if not fnmatchcase(user, name):
        return False
    if not at or fnmatchcase(address, origin):
        return True
    try:
        return ipaddress.ip_address(address) in ipaddress.ip_network(origin, strict=False)
    except (ValueError, TypeError):
        return False


def with_keys(server: Server, address: str) -> set[str]:
    """Return the accounts of this host that have a shell and a key in a file, and are let in now."""
    found = set()
    for account in pwd.getpwall():
        if Path(account.pw_shell).name in CLOSED_SHELLS or not Path(account.pw_dir).is_dir():
            continue
        answers = server.answers(account.pw_name, address)
        if has_key(account, answers.get("authorizedkeysfile", [])):
            found.add(account.pw_name)
    return found


def has_key(account: pwd.struct_passwd, patterns: list[str]) -> bool:
    """Say whether one of the files that AuthorizedKeysFile names has a line that is not a comment."""
    for pattern in patterns:
        name = pattern.replace("%h", account.pw_dir).replace("%u", account.pw_name).replace("%U", str(account.pw_uid))
        file = Path(account.pw_dir) / name.replace("%%", "%")
        if file.is_file() and any(
            line.strip() and not line.startswith("#") for line in file.read_text(errors="replace").splitlines()
        ):
            return True
    return False


def overridden(server: Server, came: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the settings of our file that are otherwise in effect, for whom, and the lines of other files that may be why."""
    ours = {line.split()[0].lower() for line in OURS.read_text().splitlines() if line.strip()}
    found: dict[str, dict[str, Any]] = {}
    address = came["address"]
    for user, origin in (
        (came["user"], address),
        ("root", address),
        ("root", ELSEWHERE),
        ("nobody-by-this-name", ELSEWHERE),
    ):
        wanted, answers = server.answers(user, origin, ours_alone=True), server.answers(user, origin)
        for setting in sorted(ours & set(wanted)):
            if setting not in found and sorted(answers.get(setting, [])) != sorted(wanted[setting]):
                found[setting] = {
                    "setting": setting,
                    "wanted": " ".join(wanted[setting]),
                    "effective": " ".join(answers.get(setting, [])),
                    "for": f"{user} from {origin}",
                    "set_by": [f"{path}:{row}: {text}" for path, row, text in lines_of(setting) if path != OURS],
                }
    return list(found.values())


def lines_of(setting: str) -> list[tuple[Path, int, str]]:
    """Return the lines of all files that set something, in the order in which the server reads them."""
    return [line for line in read_lines(MAIN, 0) if line[2].split()[0].lower() == setting]


def read_lines(file: Path, depth: int) -> list[tuple[Path, int, str]]:
    """Return the lines of a file and of those that it includes, without comments."""
    found: list[tuple[Path, int, str]] = []
    for row, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
        words = line.replace("=", " ", 1).split()
        if not words or words[0].startswith("#"):
            continue
        if words[0].lower() != "include":
            found.append((file, row, " ".join(words)))
        elif depth < DEEPEST_INCLUDE:
            for pattern in words[1:]:
                absolute = MAIN.parent / pattern.strip('"')
                for included in sorted(Path("/").glob(str(absolute.relative_to("/")))):
                    found += read_lines(included, depth + 1)
    return found


def parsed(text: str) -> dict[str, list[str]]:
    """Return the values by setting, of what `sshd -T` prints."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        setting, _, values = line.partition(" ")
        found.setdefault(setting.lower(), []).extend(values.split())
    return found


def said(command: list[str]) -> str:
    """Return what a command prints; end with its words if it fails."""
    path = os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin"
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"PATH": path})
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


if __name__ == "__main__":
    main()
