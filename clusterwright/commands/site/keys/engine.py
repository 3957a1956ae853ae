"""Make the engine's key, and print the line for site.yaml.

On a signed site software signs what it records. The owner enrols the key by adopting a plan that names it. Called again, it
prints the line again. With --replace a new key is made; the old one signs until the plan that names the new one is adopted.

Example:
    clusterwright keys engine
    clusterwright keys engine --replace

"""

from pathlib import Path
from typing import Annotated

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.output import print_json, say
from ledger.private import private_files
from ledger.questions.records import valid_key
from ledger.reading import open_snapshot
from ledger.rules.access import ENGINE
from ledger.stores.following import has_ledger
from ledger.trust.engine_key import KEY, NEXT, make_key, public_key, tidy
from ledger.trust.ssh import plain_key


def engine(
    ask: Asking,
    replace: Annotated[bool, Option("--replace", help="Make a new key beside the one that signs now.")] = False,
) -> None:
    folder = ask.folder
    enrolled = _enrolled(folder)
    path = folder / (NEXT if replace or (folder / NEXT).exists() else KEY)
    is_new = not path.exists()
    with private_files():
        line = make_key(folder, replace=replace) if is_new else public_key(path)
    is_enrolled = plain_key(line) == enrolled
    if ask.as_json:
        print_json({"engine_key": line, "file": path, "is_new": is_new, "is_enrolled": is_enrolled})
        return
    print(f"engine_key: {line}")
    if is_enrolled:
        say("the plan in force names it")
        return
    said = "made" if is_new else "made before"
    say(f"{path}: {said}; write the line above in site.yaml, and the owner adopts the plan")
    if replace and enrolled is not None:
        say("until then the old key signs")


def _enrolled(folder: Path) -> str | None:
    """Return the engine's key in force. A new one that is in force by now is put in the place of the old one."""
    if not has_ledger(folder):
        return None
    with open_snapshot(folder) as snapshot:
        tidy(snapshot)
        return valid_key(snapshot, ENGINE)
