"""What can be written to a BMC: a function for each path, by method."""

from __future__ import annotations

from typing import Any

from tests.lab.sims.redfish import resources as at
from tests.lab.sims.redfish.bmc import Bmc, RefusedError

FAULTS = "/lab/faults"
SUBJECT = ("CommonName", "Organization", "OrganizationalUnit", "City", "State", "Country")
"""What the standard wants of a certificate signing request."""
Body = dict[str, Any]


def post(bmc: Bmc, path: str, body: Body) -> tuple[int, Body, str]:
    """Do an action; give status, document and the address of what it made, empty if nothing."""
    match path.removeprefix(at.ROOT):
        case "/Systems/1/Actions/ComputerSystem.Reset":
            bmc.reset(_wanted(body, "ResetType"))
        case "/Systems/1/Bios/Actions/Bios.ResetBios":
            bmc.reset_bios()
        case "/Managers/1/LogServices/SEL/Actions/LogService.ClearLog":
            bmc.clear_log()
        case "/Managers/1/VirtualMedia/CD/Actions/VirtualMedia.InsertMedia":
            bmc.insert_media(_wanted(body, "Image"))
        case "/Managers/1/VirtualMedia/CD/Actions/VirtualMedia.EjectMedia":
            _set(bmc, "media", None)
        case "/UpdateService/Actions/UpdateService.SimpleUpdate":
            task = bmc.update(_wanted(body, "ImageURI"), [name.rsplit("/", 1)[-1] for name in body.get("Targets", [])])
            where, document = at.task_document(task)
            return 202, document, where
        case "/Systems/1/Storage/Boot/Volumes":
            drives = [link["@odata.id"].rsplit("/", 1)[-1] for link in body.get("Links", {}).get("Drives", [])]
            made = bmc.create_volume(body.get("Name", ""), _wanted(body, "RAIDType"), drives)
            return 201, {}, f"{at.VOLUMES}/{made}"
        case "/CertificateService/Actions/CertificateService.GenerateCSR":
            subject = {name: _wanted(body, name) for name in SUBJECT}
            return 200, {"CSRString": bmc.request_certificate(subject, body.get("AlternativeNames", []))}, ""
        case "/CertificateService/Actions/CertificateService.ReplaceCertificate":
            if body.get("CertificateUri") != at.link(f"{at.CERTIFICATES}/1"):
                raise RefusedError(400, "CertificateUri is no certificate of this server")
            bmc.replace_certificate(_wanted(body, "CertificateString"))
        case _:
            raise RefusedError(404, f"nothing can be done at {path}")
    return 204, {}, ""


def patch(bmc: Bmc, path: str, body: Body) -> None:
    """Change a setting."""
    match path.removeprefix(at.ROOT), body:
        case "/Systems/1", {"Boot": dict(boot)}:
            bmc.set_boot(boot)
        case "/Systems/1" | "/Chassis/1", {"IndicatorLED": str(state)}:
            _set(bmc, "indicator", state)
        case "/Systems/1/Bios/Settings", {"Attributes": dict(attributes)}:
            bmc.set_bios(attributes)
        case _:
            raise RefusedError(400, f"nothing of {', '.join(body) or 'an empty body'} can be set at {path}")


def delete(bmc: Bmc, path: str) -> None:
    """Delete a volume, and what is on it."""
    folder, _, name = path.rpartition("/")
    if folder != at.VOLUMES:
        raise RefusedError(405, f"{path} cannot be deleted")
    bmc.delete_volume(name)


def _wanted(body: Body, key: str) -> str:
    if not isinstance(body.get(key), str):
        raise RefusedError(400, f"the body needs {key}")
    return str(body[key])


def _set(bmc: Bmc, key: str, value: str | None) -> None:
    bmc.memory[key] = value
    bmc.save()
