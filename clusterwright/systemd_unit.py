"""The unit by which systemd runs the engine of a site: started with the machine, and again after a fault."""

import os
import pwd
import re
from collections.abc import Sequence
from pathlib import Path

from clusterwright.engine_process import PROGRAM
from flows.dashboard.login import AUTH_FILE

NAMED_FILES = (AUTH_FILE, "PGPASSFILE")
"""Variables that say where a secret is: the login of a team's Prefect server, and of the ledger's database."""

NOT_IN_UNITS = re.compile(r"[^A-Za-z0-9_.-]+")
"""What no name of a unit has, or an unquoted word of a shell."""

UNIT = """\
# Save it as /etc/systemd/system/clusterwright-{name}.service, then: systemctl enable --now clusterwright-{name}
[Unit]
Description=Clusterwright engine of {folder}
Wants=network-online.target
After=network-online.target postgresql.service

[Service]
Type=exec
User={account}
WorkingDirectory={folder}
{environment}ExecStart={program}
# the engine ends what it runs, and its dashboard last
KillMode=mixed
TimeoutStopSec=5min
Restart=on-failure
RestartSec=10
# what a person has to change first
RestartPreventExitStatus=1 2 4
# a control group for each run
Delegate=yes
UMask=0077

[Install]
WantedBy=multi-user.target
"""


def systemd_unit(site_dir: Path, words: Sequence[str]) -> str:
    """Return the unit of a site's engine. `words` are those of the command line. Account and files of secrets are the present ones."""
    files = [f"{name}={Path(os.environ[name]).resolve()}" for name in NAMED_FILES if name in os.environ]
    return UNIT.format(
        environment="".join(f"Environment={_quoted(file)}\n".replace("$$", "$") for file in files),
        name=NOT_IN_UNITS.sub("-", site_dir.name),
        folder=_escaped(str(site_dir)),
        account=pwd.getpwuid(os.geteuid()).pw_name,
        program=" ".join(_quoted(word) for word in (*PROGRAM, *words)),
    )


def _escaped(text: str) -> str:
    """Return text in which systemd replaces nothing."""
    return text.replace("%", "%%")


def _quoted(word: str) -> str:
    """Return a word of a command line, as systemd reads it."""
    safe = _escaped(word).replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{safe}"'
