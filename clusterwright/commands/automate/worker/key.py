"""Make this worker's key, and print the line for site.yaml.

Bundles are sealed to the key, and what the worker reports is signed with it. Called again, it prints the line again.

Example:
    clusterwright worker key --folder /srv/worker-1

"""

from pathlib import Path

from clusterwright.commands.automate.worker import WorkerFolder
from clusterwright.commands.options import JsonOption
from clusterwright.output import print_json
from flows.team.keys import make_key
from flows.team.worker_file import Worker
from ledger.private import private_files


def key(folder: WorkerFolder = Path(), as_json: JsonOption = False) -> None:
    here = Worker(folder)
    with private_files():
        line = make_key(here.key_file, here.settings.name)
    if as_json:
        print_json({"name": here.settings.name, "key": line, "file": here.key_file})
    else:
        print(f"    {here.settings.name}: {line}")
