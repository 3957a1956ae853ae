"""NetBox as an inventory: the devices of one of its sites, as Ansible reads them.

The only module that imports pynetbox. It only reads. The token is sent in a header and written nowhere. A name that cannot be
a host's, and a serial number with braces, are refused: names become parts of Ansible's patterns, and Ansible would run a
template that is in a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from schedule.errors import InputError, Place, UnreachableError
from steps.design.site import NetBox

STATUSES = ("planned", "staged", "active")
"""The status of devices that are in their place, or will be. Others are in stock, failed or given up."""

PAGE = 250
TIMEOUT_S = 20
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
SERIAL = re.compile(r"[^\s{}]+")
AT = "inventory.netbox"

Device = dict[str, Any]
"""A device as NetBox's API describes it."""


def netbox_inventory(source: NetBox, token: str) -> dict[str, Any]:
    """Return the devices of a NetBox site as an Ansible inventory: groups by role, serial numbers, BMC addresses.

    Raise where NetBox does not answer or refuses, where it has two devices of one name, and where no device could be a host.
    """
    groups: dict[str, dict[str, dict[str, str]]] = {}
    seen: dict[str, str] = {}
    for device in _devices(source, token):
        role = str((device.get("role") or device["device_role"])["slug"])
        if not device["name"] or (source.roles and role not in source.roles):
            continue
        name = _checked(NAME, device["name"], f"device {device['id']} is called", source)
        if name.casefold() in seen:
            raise InputError(
                f"NetBox has two devices called {name!r} in {source.site}: {seen[name.casefold()]} and {device['url']}",
                hint="rename one there",
                place=Place("site.yaml", None, AT),
            )
        seen[name.casefold()] = device["url"]
        group = source.roles.get(role, role.replace("-", "_"))
        groups.setdefault(group, {})[name] = dict(_variables(device, source))
    if not seen:
        raise InputError(
            f"NetBox has no device in the site {source.site!r} that could be a host",
            hint="a host has a name, the status planned, staged or active, and, if `roles` is set, one of a role in `roles`",
            place=Place("site.yaml", None, AT),
        )
    children = {group: {"hosts": hosts} for group, hosts in groups.items()}
    return {"all": {"vars": {"inventory_source": f"{source.url} site {source.site}"}, "children": children}}


def _variables(device: Device, source: NetBox) -> Iterator[tuple[str, str]]:
    """Yield a host's variables: what NetBox knows of it."""
    yield "netbox_url", str(device["url"])
    for variable, key in (("ansible_host", "primary_ip"), ("bmc_address", "oob_ip")):
        if device.get(key):
            yield variable, str(device[key]["address"]).partition("/")[0]
    if serial := str(device.get("serial") or "").strip():
        yield "serial_number", _checked(SERIAL, serial, f"device {device['name']} has the serial number", source)


def _checked(pattern: re.Pattern[str], text: str, what: str, source: NetBox) -> str:
    """Return the text. Raise where it does not match the pattern. `what` says whose it is."""
    if not pattern.fullmatch(text):
        raise InputError(
            f"in NetBox {what} {text!r}, which Ansible would not use as plain text",
            hint=f"correct it in {source.url}",
            place=Place("site.yaml", None, AT),
        )
    return text


def _devices(source: NetBox, token: str) -> Iterable[Device]:
    """Yield the devices of the site in NetBox's order, page by page."""
    try:  # an extra of the package: most sites have their inventory in a file
        import pynetbox
        import requests
    except ImportError:
        raise UnreachableError(
            "the inventory is in NetBox, and pynetbox is not installed", hint="pip install 'clusterwright[netbox]'"
        ) from None

    api = pynetbox.api(source.url, token=token)
    api.http_session.request = partial(api.http_session.request, timeout=TIMEOUT_S)  # it has no time limit of its own
    if source.url.startswith("https:"):
        del api.http_session.adapters["http://"]  # a link to the next page must not send the token in clear text
    wanted = {"site": source.site, "status": list(STATUSES)}
    try:
        for record in api.dcim.devices.filter(**wanted, limit=PAGE):
            yield dict(record)
    except pynetbox.RequestError as error:
        raise _refused(source, error.req.status_code, error.error) from None
    except pynetbox.ContentError:
        raise UnreachableError(
            f"{source.url} answers, but not as NetBox does",
            hint="`url` is the address of its start page",
            place=_at("url"),
        ) from None
    except requests.RequestException as error:
        raise UnreachableError(
            f"NetBox at {source.url} does not answer: {type(error).__name__}",
            hint="try again later; the plan in force goes on with the inventory that was read last",
            place=_at("url"),
        ) from None


def _refused(source: NetBox, status: int, said: str) -> InputError | UnreachableError:
    if status in {401, 403}:
        return UnreachableError(
            f"NetBox does not accept the token in {source.token_env} ({status})",
            hint="it needs the permission to view devices, and may have expired",
            place=_at("token_env"),
        )
    if status == 400 and '"site"' in said:
        return InputError(f"NetBox knows no site {source.site!r}", hint="write its slug", place=_at("site"))
    return UnreachableError(f"NetBox at {source.url} refuses with {status}", place=_at("url"))


def _at(key: str) -> Place:
    return Place("site.yaml", None, f"{AT}.{key}")
