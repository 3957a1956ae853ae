"""Where the inventory comes from: a file or folder of the site, or NetBox.

Ansible always reads a file. What NetBox answers is kept in a file of the site's folder by `clusterwright plan` and
`clusterwright inventory`. An engine reads that file only: a change in NetBox does not change the hosts of an adopted plan.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from flows.runs.allowing.asked import asked_by_netbox, require_allowed
from flows.runs.inventory.netbox import netbox_inventory
from schedule.errors import InputError, Place, UnreachableError
from steps.catalog.loader import read_roles
from steps.design.site import Inventory, Site, read_site


def current_inventory(folder: Path, inventory: Inventory) -> Path:
    """Return the file or folder that Ansible reads. Where the inventory is in NetBox, ask NetBox and keep its answer first.

    Raise where the folder is not allowed to send the token there, where it is missing, or where NetBox does not answer. The file that
    was kept before is then left as it is.
    """
    path = folder / inventory
    source = inventory.netbox
    if source is None:
        return path
    token = os.environ.get(source.token_env, "").strip()
    if not token:
        raise InputError(
            f"the inventory is in NetBox, and the environment has no {source.token_env}",
            hint=f"export {source.token_env} with a token that may view devices; it is stored nowhere",
            place=Place("site.yaml", None, "inventory.netbox.token_env"),
        )
    require_allowed(folder, [asked_by_netbox(source)])
    _keep(path, json.dumps(netbox_inventory(source, token), indent=1) + "\n")
    return path


def kept_inventory(folder: Path) -> Path | None:
    """Return the file or folder of the inventory as the last plan left it. None where the site has no inventory.

    Raise where it has one and the file is not there.
    """
    inventory = site_in(folder).inventory
    if inventory is None:
        return None
    path = folder / inventory
    if not path.exists():
        raise UnreachableError(
            f"the inventory {path} is not there", hint="`clusterwright inventory` asks NetBox for it"
        )
    return path


def site_in(folder: Path) -> Site:
    """Return the checked site file of a folder."""
    return read_site(folder, read_roles(folder))


def _keep(path: Path, text: str) -> None:
    """Write the text, whole or not at all. A file that holds the same text is left as it is."""
    try:
        if path.exists() and path.read_text(encoding="utf-8") == text:
            return
        path.parent.mkdir(exist_ok=True)
        fresh = path.with_suffix(".new")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        raise UnreachableError(f"what NetBox said cannot be kept in {path}: {error.strerror}") from None
