"""Proves who may log in to this node by SSH: the owner of a job while it runs here, nobody else who is plain, and who administers.

The log-ins are real, to a second SSH server of this host that listens on the loopback address while the proof runs. It has the host's own
settings and asks the host's own PAM; only the file of keys is the proof's, since nobody's key is here, and root may come from here.

Argument: this node's name in the scheduler.
"""

import contextlib
import grp
import pwd
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from slurm_jobs import PERSON, queued, report, try_submit, until

PAM = Path("/etc/pam.d/sshd")
SSHD = "/usr/sbin/sshd"
EXEMPT = re.compile(r"^account .*pam_succeed_if\.so quiet user (in|ingroup) (\S+)$", re.MULTILINE)
CLOSED_SHELLS = ("nologin", "false", "sync")
PATIENCE_S = 90.0
METRICS = (
    "ssh.jobless_users_admitted",
    "ssh.job_owners_refused",
    "ssh.sessions_outliving_jobs",
    "ssh.administrators_refused",
)


class Door:
    """A way in by SSH with one key for every account."""

    def __init__(self, key: Path, port: int) -> None:
        options = (
            "BatchMode=yes",
            "StrictHostKeyChecking=no",
            "UserKnownHostsFile=/dev/null",
            "ConnectTimeout=10",
            "LogLevel=ERROR",
        )
        words = [word for option in options for word in ("-o", option)]
        self.command = ["ssh", "-i", str(key), *words, "-p", str(port)]

    def why_refused(self, account: str) -> str:
        """Try to log in. Return why that failed, or an empty text."""
        done = subprocess.run(
            [*self.command, f"{account}@127.0.0.1", "id -un"], capture_output=True, text=True, check=False
        )
        return (
            ""
            if done.stdout.split()[-1:] == [account]
            else done.stderr.strip()[-200:] or "the server closed the connection"
        )

    def stay(self, account: str) -> subprocess.Popen[bytes]:
        """Log in and stay there until the session is ended, by this host or by its end here."""
        words = [*self.command, f"{account}@127.0.0.1", "cat"]
        return subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)


def main() -> None:
    """Try log-ins without a job, with one, after its end, and of those who administer."""
    (name,) = sys.argv[1:]
    with door() as way:
        refused = {account: why for account in administrators() if (why := way.why_refused(account))}
        found = log_ins(way, name)
    found[METRICS[3]] = (len(refused), named(refused) or f"let in: {', '.join(administrators())}")
    report(found)


def log_ins(way: Door, name: str) -> dict[str, tuple[object, str]]:
    """Return what log-ins of the proofs' account came to: without a job, with one, and after it."""
    if shutil.which("squeue") is None:
        return dict.fromkeys(METRICS[:3], (None, "the node has not joined the scheduler"))
    if until(lambda: jobs_on(name), lambda jobs: not jobs, PATIENCE_S):
        return dict.fromkeys(METRICS[:3], (None, f"{PERSON} has other jobs here"))
    before = way.why_refused(PERSON)
    submitted = try_submit("sleep 600", f"--nodelist={name}", "--nodes=1", "--time=10")
    if submitted.returncode != 0:
        return dict.fromkeys(METRICS[:3], (None, f"sbatch: {submitted.stderr.strip()[:200]}"))
    job = submitted.stdout.strip()
    try:
        state = until(lambda: queued(job, "%T"), lambda now: now == "RUNNING", PATIENCE_S)
        if state != "RUNNING":
            return dict.fromkeys(METRICS[:3], (None, f"the job with which to log in is {state or 'gone'}"))
        # the scheduler says that a job runs before a busy node has begun it: until then the node refuses its owner
        during = until(lambda: way.why_refused(PERSON), lambda why: not why, PATIENCE_S)
        session = way.stay(PERSON)
        time.sleep(2)
    finally:
        subprocess.run(["scancel", job], check=False)
    try:
        until(lambda: jobs_on(name), lambda jobs: not jobs, PATIENCE_S)
        outlived = until(lambda: session.poll() is None, lambda alive: not alive or not confined(), 30)
    finally:
        session.kill()
    after = way.why_refused(PERSON)
    admitted = [when for when, why in (("before a job", before), ("after the job's end", after)) if not why]
    return {
        METRICS[0]: (len(admitted), f"let in {' and '.join(admitted)}" if admitted else before),
        METRICS[1]: (int(bool(during)), during or "let in while a job runs"),
        METRICS[2]: (
            (int(outlived), "still there" if outlived else "ended with the job")
            if confined()
            else (None, "jobs are not confined here, so that a log-in cannot be put into one")
        ),
    }


def administrators() -> list[str]:
    """Return root, the accounts that PAM lets in by name, and a member of each group that it lets in."""
    found = {"root"}
    for kind, names in EXEMPT.findall(PAM.read_text()):
        for name in names.split(":"):
            found.update([name] if kind == "in" else members(name)[:1])
    return sorted(found)


def members(group: str) -> list[str]:
    """Return the accounts of a group that have a shell."""
    found = []
    with contextlib.suppress(KeyError):
        for name in grp.getgrnam(group).gr_mem:
            with contextlib.suppress(KeyError):
                if Path(pwd.getpwnam(name).pw_shell).name not in CLOSED_SHELLS:
                    found.append(name)
    return found


def jobs_on(name: str) -> str:
    """Return the numbers of the jobs of the proofs' account on this node."""
    command = ["squeue", "-h", "-o", "%A", "-w", name, "-u", PERSON]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def confined() -> bool:
    """Say whether the scheduler keeps the processes of a job together."""
    said = subprocess.run(["scontrol", "show", "config"], capture_output=True, text=True, check=False).stdout
    return "proctrack/cgroup" in said


def named(refused: dict[str, str]) -> str:
    """Return who was refused and why."""
    return "; ".join(f"{account} ({why})" for account, why in refused.items())


@contextlib.contextmanager
def door() -> Iterator[Door]:
    """Run a second SSH server with the host's settings and a key of its own; it ends with the proof."""
    # below /run: the server takes no file of keys from a folder that anybody may write to; it reads that file as who comes
    with tempfile.TemporaryDirectory(dir="/run") as folder:
        Path(folder).chmod(0o755)
        key = Path(folder) / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        settings = (
            "ListenAddress=127.0.0.1",
            "PidFile=none",
            f"AuthorizedKeysFile={key}.pub",
            "AuthorizedKeysCommand=none",
            "PermitRootLogin=prohibit-password",
        )
        command = [SSHD, "-D", "-p", str(port), *(word for one in settings for word in ("-o", one))]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:
            try:
                until(lambda: answers(port), bool, 10)
                yield Door(key, port)
            finally:
                server.terminate()


def answers(port: int) -> bool:
    """Say whether something listens on a port of this host."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


if __name__ == "__main__":
    main()
