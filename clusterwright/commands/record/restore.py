"""Bring a backup back into an empty folder.

It is audited, and what does not match leaves nothing behind.

Example:
    clusterwright restore /srv/backups/site.tar.gz my-site

"""

from pathlib import Path
from typing import Annotated

from typer import Argument

from clusterwright.archived import say_who_is_named, summed_up
from clusterwright.commands.options import DamagedOption, JsonOption
from clusterwright.output import Document, print_json, say
from ledger.private import close_tree, private_files
from ledger.trust.backup import restore as bring_back


def restore(
    file: Annotated[Path, Argument(help="A backup.")],
    folder: Annotated[Path, Argument(help="A new or empty folder.")],
    damaged: DamagedOption = False,
    as_json: JsonOption = False,
) -> None:
    with private_files():
        made = bring_back(file, folder, damaged=damaged)
    close_tree(folder / "evidence")
    say_who_is_named(made.redacted_but_named)
    if made.named:
        say(f"it names {len(made.named)} people: redact again those who were redacted after event {made.contents.seq}")
    if as_json:
        named: Document = {"named": made.named, "redacted_but_named": made.redacted_but_named}
        named |= {"folder": folder, "findings": list(made.findings)}
        print_json(made.contents._asdict() | named)
        return
    print(summed_up(made.contents, len(made.findings), folder, f"made {made.contents.made_at}"))
    say("compare it with an anchor by `clusterwright audit --anchor`; go on with one of the two sites only")
