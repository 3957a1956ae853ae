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

from clusterwright.commands.options import JsonOption
from clusterwright.interrupts import stop_on_interrupt
from clusterwright.output import print_json, say
from flows.team.keys import make_key
from flows.team.worker import run_worker
from flows.team.worker_file import Worker
from ledger.private import private_files

WorkerFolder = Annotated[Path, Option("--folder", help="The worker's folder, with its `worker.yaml`.")]


def worker(folder: WorkerFolder = Path()) -> None:
    stop = stop_on_interrupt()
    with private_files():
        code = run_worker(folder, say, stop)
    raise typer.Exit(code)


def key(folder: WorkerFolder = Path(), as_json: JsonOption = False) -> None:
    """Make this worker's key, and print the line for site.yaml.

    Bundles are sealed to the key, and what the worker reports is signed with it. Called again, it prints the line again.

    Example:
        clusterwright worker key --folder /srv/worker-1

    """
    here = Worker(folder)
    with private_files():
        line = make_key(here.key_file, here.settings.name)
    if as_json:
        print_json({"name": here.settings.name, "key": line, "file": here.key_file})
    else:
        print(f"    {here.settings.name}: {line}")
