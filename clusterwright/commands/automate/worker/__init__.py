"""Run playbooks for a site's team on this machine.

A worker is Prefect's, with our settings: it takes slices of runs from the queues that `worker.yaml` names. Without a verb it works
until Ctrl-C, which ends what it runs.

Example:
    clusterwright worker key
    clusterwright worker --folder /srv/worker-1

"""

from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from clusterwright.interrupts import stop_on_interrupt
from clusterwright.output import say
from flows.team.worker import run_worker
from ledger.private import private_files

WorkerFolder = Annotated[Path, Option("--folder", help="The worker's folder, with its `worker.yaml`.")]


def worker(folder: WorkerFolder = Path()) -> None:
    stop = stop_on_interrupt()
    with private_files():
        code = run_worker(folder, say, stop)
    raise typer.Exit(code)
