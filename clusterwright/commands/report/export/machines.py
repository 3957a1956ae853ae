"""Write the servers that are expected, for NVIDIA Infra Controller.

Each planned server with the serial number that the inventory states, or that is on record at its position, the MAC address of its
controller, its pod and its rack. The lists are CSVs with the columns serial_number and mac_addresses, as `017_bmc_addresses.yml` writes
them. Of a maker's list bmc_username and bmc_password are taken over. Exit code 1 says which servers are left out.

Example:
    clusterwright export machines expected_machines.json bmc-addresses.csv

"""

import json
from pathlib import Path
from typing import Annotated

from typer import Argument

from clusterwright.commands.options import SiteOption
from clusterwright.machines import expected_machines
from clusterwright.output import say
from clusterwright.where import find_site
from schedule.errors import NotSatisfiedError


def machines(
    file: Annotated[Path, Argument(help="The file to write; one that is there is replaced.")],
    lists: Annotated[list[Path], Argument(metavar="LIST...", help="CSVs of controllers.")],
    site: SiteOption = None,
) -> None:
    made = expected_machines(find_site(site), lists)
    file.unlink(missing_ok=True)
    file.touch(mode=0o600)  # it may have passwords
    file.write_text(json.dumps({"expected_machines": made.machines}, indent=2) + "\n", encoding="utf-8")
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
