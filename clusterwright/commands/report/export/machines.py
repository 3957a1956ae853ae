"""Write the servers that are expected, for NVIDIA Infra Controller.

Each planned server with the serial number that the inventory states, or that is on record at its position, the MAC address of its
controller, its pod and its rack. The lists are CSVs with the columns serial_number and mac_addresses, as `017_bmc_addresses.yml` writes
them. Of a maker's list bmc_username and bmc_password are taken over. Exit code 1 says which servers are left out.

Example:
    clusterwright export machines expected_machines.json bmc-addresses.csv

"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from typer import Argument

from clusterwright.commands.options import SiteOption
from clusterwright.machines import expected_machines
from clusterwright.output import Document, say
from clusterwright.text_file import writing
from clusterwright.where import find_site
from ledger.private import private_files
from schedule.errors import NotSatisfiedError


def machines(
    file: Annotated[Path, Argument(help="The file to write; one that is there is replaced.")],
    lists: Annotated[list[Path], Argument(metavar="LIST...", help="CSVs of controllers.")],
    site: SiteOption = None,
) -> None:
    made = expected_machines(find_site(site), lists)
    _write(file, made.machines)
    say(f"{file}: {len(made.machines):,} machines")
    if made.not_received:
        say(f"in no delivery on record: {', '.join(made.not_received)}")
    for name, why in made.left_out:
        say(f"left out: {name}: {why}")
    if made.left_out:
        raise NotSatisfiedError(
            f"{len(made.left_out):,} planned servers are left out",
            hint="`expected-machine replace-all` deletes what the file lacks; `expected-machine add` does not",
        )


def _write(file: Path, machines: list[Document]) -> None:
    """Write the file, which may have passwords, for its owner alone. One that was there stays until the new one is whole."""
    text = json.dumps({"expected_machines": machines}, indent=2) + "\n"
    with writing(file, "look at the path"), private_files(), TemporaryDirectory(dir=file.parent) as scratch:
        aside = Path(scratch) / "machines"
        aside.write_text(text, encoding="utf-8")
        aside.replace(file)
