"""Write the record to one file, while others go on.

The file holds ledger, evidence, site.yaml and catalog/. It is unpacked aside and audited.

Example:
    clusterwright backup /srv/backups/site.tar.gz

"""

from pathlib import Path
from typing import Annotated

from typer import Argument

from clusterwright import __version__
from clusterwright.archived import say_who_is_named, summed_up
from clusterwright.commands.asking import Asking
from clusterwright.commands.options import DamagedOption
from clusterwright.output import print_json, say
from ledger.machine_time import machine_time
from ledger.private import private_files
from ledger.trust.backup import back_up


def backup(
    ask: Asking,
    file: Annotated[Path, Argument(help="A new file: NAME.tar.gz, or NAME.tar.zst where zstd is installed.")],
    damaged: DamagedOption = False,
) -> None:
    folder = ask.folder
    say(f"copying {folder}; the copy is then unpacked aside and audited")
    with private_files():
        made = back_up(folder, file, made_at=machine_time(), program=__version__, damaged=damaged)
    for name in made.left_out:
        say(f"left out: {name}")
    if (folder / "inventory").exists():
        say("left out: inventory/, which may hold secrets")
    say_who_is_named(made.redacted_but_named)
    if ask.as_json:
        said = made.contents._asdict() | {"size": made.size, "left_out": made.left_out}
        said |= {"redacted_but_named": made.redacted_but_named}
        print_json(said | {"file": file, "findings": list(made.findings)})
    else:
        print(summed_up(made.contents, len(made.findings), file, f"{made.size:,} bytes"))
