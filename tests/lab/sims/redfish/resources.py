"""Every document a BMC serves, as one tree from path to JSON, made anew from what the BMC knows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from tests.lab.sims.redfish import model, power_shelf
from tests.lab.sims.redfish.accounts import Accounts
from tests.lab.sims.redfish.bmc import RESETS, SYSTEM, Bmc

ROOT = "/redfish/v1"
CHASSIS = f"{ROOT}/Chassis/1"
MANAGER = f"{ROOT}/Managers/1"
LOG = f"{MANAGER}/LogServices/SEL"
UPDATES = f"{ROOT}/UpdateService"
STORAGE = f"{SYSTEM}/Storage/{model.BOOT_CONTROLLER}"
VOLUMES = f"{STORAGE}/Volumes"
MEDIA = f"{MANAGER}/VirtualMedia/CD"
SESSIONS = f"{ROOT}/SessionService/Sessions"
ACCOUNTS = f"{ROOT}/AccountService/Accounts"
CERTIFICATES = f"{MANAGER}/NetworkProtocol/HTTPS/Certificates"
TASKS = f"{ROOT}/TaskService/Tasks"

Document = dict[str, Any]


def tree(bmc: Bmc, accounts: Accounts, sessions: dict[str, str]) -> dict[str, Document]:
    """Return all documents by path; `sessions` are users by the session's name. Each document contains its own address."""
    documents = dict(_documents(bmc, accounts, sessions))
    for path, document in documents.items():
        document["@odata.id"] = path
        document.setdefault("Id", path.rsplit("/", 1)[-1])
        document.setdefault("Name", document["Id"])
    return documents


def _documents(bmc: Bmc, accounts: Accounts, sessions: dict[str, str]) -> Iterator[tuple[str, Document]]:
    yield _document(ROOT, "ServiceRoot", _root(bmc))
    yield from _system(bmc)
    yield from _storage(bmc)
    yield from _chassis(bmc)
    yield from _manager(bmc)
    yield from _updates(bmc)
    yield from _access(accounts, sessions)
    yield from _certificates(bmc)
    if power_shelf.is_one(bmc):
        yield from power_shelf.documents(bmc)


def task_document(task: Document) -> tuple[str, Document]:
    """Return the path at which a task is served, and its document."""
    return _document(f"{TASKS}/{task['Id']}", "Task", task)


def page(document: Document, path: str, skip: str) -> Document:
    """Return a part of a long collection with the address of the next part, as controllers do with logs."""
    members = document.get("Members", [])
    first = int(skip or 0)
    if len(members) - first > model.LOG_PAGE:
        document |= {"Members@odata.nextLink": f"{path}?$skip={first + model.LOG_PAGE}"}
    return document | {"Members": members[first : first + model.LOG_PAGE]} if members else document


def link(path: str) -> Document:
    """Return a reference to a document."""
    return {"@odata.id": path}


def _links(folder: str, names: tuple[str, ...]) -> Iterator[Document]:
    return (link(f"{folder}/{name}") for name in names)


def _collection(folder: str, names: tuple[str, ...]) -> tuple[str, Document]:
    return folder, {"Members": list(_links(folder, names)), "Members@odata.count": len(names)}


def _document(path: str, kind: str, content: Document) -> tuple[str, Document]:
    return path, {"@odata.type": f"#{kind}.v1_0_0.{kind}", **content}


def _status(*, ill: bool = False) -> Document:
    return {"State": "Enabled", "Health": "Critical" if ill else "OK"}


def _action(path: str, **allowed: tuple[str, ...]) -> Document:
    return {"target": path, **{f"{name}@Redfish.AllowableValues": list(values) for name, values in allowed.items()}}


def _root(bmc: Bmc) -> Document:
    folders = (
        *("Systems", "Chassis", "Managers", "UpdateService", "SessionService", "AccountService"),
        "CertificateService",
    )
    return {
        "RedfishVersion": "1.15.0",
        "Vendor": model.MANUFACTURER,
        "UUID": bmc.terms["uuid"],
        **{name: link(f"{ROOT}/{name}") for name in folders},
        "Tasks": link(f"{ROOT}/TaskService"),
        "Links": {"Sessions": link(SESSIONS)},
    }


def _system(bmc: Bmc) -> Iterator[tuple[str, Document]]:
    memory, faults = bmc.memory, bmc.memory["faults"]
    yield _collection(f"{ROOT}/Systems", ("1",))
    yield _document(
        SYSTEM,
        "ComputerSystem",
        {
            "Name": bmc.terms["host"],
            "HostName": bmc.terms["host"],
            "UUID": bmc.terms["uuid"],
            "SerialNumber": bmc.terms["serial"],
            "Manufacturer": model.MANUFACTURER,
            "Model": model.MODEL,
            "SystemType": "Physical",
            "PowerState": bmc.power,
            "BiosVersion": memory["firmware"]["BIOS"],
            "BootProgress": {"LastState": bmc.boot_progress()},
            "Boot": memory["boot"] | {"BootSourceOverrideTarget@Redfish.AllowableValues": list(model.BOOT_TARGETS)},
            "ProcessorSummary": {"Count": len(model.PROCESSORS), "Status": _status()},
            "MemorySummary": {
                "TotalSystemMemoryGiB": len(model.MEMORY) * model.MEMORY_MIB // 1024,
                "Status": _status(ill="memory" in faults),
            },
            "IndicatorLED": memory["indicator"],
            "Status": _status(ill=bool({"memory", "post"} & {*faults})),
            **{
                name: link(f"{SYSTEM}/{name}")
                for name in ("Bios", "Processors", "Memory", "EthernetInterfaces", "Storage")
            },
            "PCIeDevices": list(_links(f"{CHASSIS}/PCIeDevices", model.CARDS)),
            "LogServices": link(f"{MANAGER}/LogServices"),
            "Actions": {"#ComputerSystem.Reset": _action(f"{SYSTEM}/Actions/ComputerSystem.Reset", ResetType=RESETS)},
            "Links": {"Chassis": [link(CHASSIS)], "ManagedBy": [link(MANAGER)]},
        },
    )
    yield _document(
        f"{SYSTEM}/Bios",
        "Bios",
        {
            "Attributes": memory["bios"],
            "@Redfish.Settings": {"SettingsObject": link(f"{SYSTEM}/Bios/Settings")},
            "Actions": {"#Bios.ResetBios": _action(f"{SYSTEM}/Bios/Actions/Bios.ResetBios")},
        },
    )
    yield _document(f"{SYSTEM}/Bios/Settings", "Bios", {"Attributes": memory["bios_next"]})
    yield _collection(f"{SYSTEM}/Processors", model.PROCESSORS)
    for name in model.PROCESSORS:
        yield _document(
            f"{SYSTEM}/Processors/{name}",
            "Processor",
            {"ProcessorType": "CPU", "Model": "Simulated", "TotalCores": 32, "Status": _status()},
        )
    yield _collection(f"{SYSTEM}/Memory", model.MEMORY)
    for name in model.MEMORY:
        ill = "memory" in faults and name == "DIMM-B1"
        yield _document(
            f"{SYSTEM}/Memory/{name}", "Memory", {"CapacityMiB": model.MEMORY_MIB, "Status": _status(ill=ill)}
        )
    yield _collection(f"{SYSTEM}/EthernetInterfaces", tuple(bmc.terms["ports"]))
    for port, address in bmc.terms["ports"].items():
        yield _document(
            f"{SYSTEM}/EthernetInterfaces/{port}", "EthernetInterface", {"MACAddress": address, "Status": _status()}
        )


def _storage(bmc: Bmc) -> Iterator[tuple[str, Document]]:
    faults, volumes = bmc.memory["faults"], bmc.memory["volumes"]
    yield _collection(f"{SYSTEM}/Storage", (model.BOOT_CONTROLLER,))
    yield _document(
        STORAGE,
        "Storage",
        {
            "Drives": list(_links(f"{STORAGE}/Drives", model.DRIVES)),
            "Volumes": link(VOLUMES),
            "StorageControllers": [
                {
                    "MemberId": "0",
                    "Name": "Boot controller",
                    "SupportedRAIDTypes": list(model.RAID),
                    "Status": _status(),
                }
            ],
            "Status": _status(ill="boot-drive" in faults),
        },
    )
    for name in model.DRIVES:
        used = [link(f"{VOLUMES}/{v['id']}") for v in volumes if name in v["drives"]]
        yield _document(
            f"{STORAGE}/Drives/{name}",
            "Drive",
            {
                "SerialNumber": f"{bmc.terms['serial']}-{name}",
                "Model": "Simulated",
                "MediaType": "SSD",
                "Protocol": "NVMe",
                "CapacityBytes": model.DRIVE_BYTES,
                "Links": {"Volumes": used},
                "Status": _status(ill="boot-drive" in faults and name == "M2-2"),
            },
        )
    yield _collection(VOLUMES, tuple(v["id"] for v in volumes))
    for volume in volumes:
        yield _document(f"{VOLUMES}/{volume['id']}", "Volume", _volume(volume, faults))


def _volume(volume: Document, faults: list[str]) -> Document:
    is_built = time.time() >= volume["built_at"]
    is_ill = "boot-drive" in faults and "M2-2" in volume["drives"]
    return {
        "Name": volume["name"],
        "RAIDType": volume["kind"],
        "CapacityBytes": model.DRIVE_BYTES,
        "Operations": [] if is_built else [{"OperationName": "Initialize", "PercentageComplete": 50}],
        "Links": {"Drives": list(_links(f"{STORAGE}/Drives", tuple(volume["drives"])))},
        "Status": _status(ill=is_ill) if is_built else {"State": "Updating", "Health": "OK"},
    }


def _chassis(bmc: Bmc) -> Iterator[tuple[str, Document]]:
    faults, is_on = bmc.memory["faults"], bmc.power == "On"
    yield _collection(f"{ROOT}/Chassis", ("1",))
    yield _document(
        CHASSIS,
        "Chassis",
        {
            "ChassisType": "RackMount",
            "SerialNumber": bmc.terms["serial"],
            "Manufacturer": model.MANUFACTURER,
            "Model": model.MODEL,
            "PowerState": bmc.power,
            "IndicatorLED": bmc.memory["indicator"],
            "Status": _status(ill=bool({"fan", "temperature"} & {*faults})),
            "Thermal": link(f"{CHASSIS}/Thermal"),
            "Power": link(f"{CHASSIS}/Power"),
            "PCIeDevices": link(f"{CHASSIS}/PCIeDevices"),
            "Links": {"ComputerSystems": [link(SYSTEM)], "ManagedBy": [link(MANAGER)]},
        },
    )
    cards = tuple(name for name in model.CARDS if name in bmc.memory["firmware"])
    yield _collection(f"{CHASSIS}/PCIeDevices", cards)
    for name in cards:
        lanes = model.CARD_LANES // (2 if "pcie" in faults and name == "NIC-2" else 1)
        trained = {"PCIeType": "Gen4", "MaxPCIeType": "Gen4", "LanesInUse": lanes, "MaxLanes": model.CARD_LANES}
        yield _document(
            f"{CHASSIS}/PCIeDevices/{name}",
            "PCIeDevice",
            {
                "DeviceType": "SingleFunction",
                "Model": "Simulated",
                "FirmwareVersion": bmc.memory["firmware"][name],
                "PCIeInterface": trained,
                "Status": _status(),
            },
        )
    yield _document(
        f"{CHASSIS}/Thermal",
        "Thermal",
        {
            "Temperatures": [
                {
                    "Name": name,
                    "MemberId": name,
                    "ReadingCelsius": model.TOO_HOT_C + 3
                    if name == "Inlet" and "temperature" in faults
                    else celsius[is_on],
                    "UpperThresholdCritical": model.TOO_HOT_C if name == "Inlet" else 95,
                    "Status": _status(ill=name == "Inlet" and "temperature" in faults),
                }
                for name, celsius in model.TEMPERATURES_C.items()
            ],
            "Fans": [
                {
                    "Name": name,
                    "MemberId": name,
                    "Reading": model.FAN_RPM if is_on and not (name == "FAN-3" and "fan" in faults) else 0,
                    "ReadingUnits": "RPM",
                    "Status": _status(ill=name == "FAN-3" and "fan" in faults),
                }
                for name in model.FANS
            ],
        },
    )
    yield _document(
        f"{CHASSIS}/Power",
        "Power",
        {
            "PowerControl": [
                {"Name": "Server", "MemberId": "0", "PowerConsumedWatts": model.WATTS_ON if is_on else model.WATTS_OFF}
            ],
            "PowerSupplies": [
                {
                    "Name": name,
                    "MemberId": name,
                    "SerialNumber": f"{bmc.terms['serial']}-{name}",
                    "Model": "Simulated",
                    "LineInputVoltage": 0 if name == "PSU-2" and "power-supply" in faults else 230,
                    "Status": _status(ill=name == "PSU-2" and "power-supply" in faults),
                }
                for name in model.POWER_SUPPLIES
            ],
        },
    )


def _manager(bmc: Bmc) -> Iterator[tuple[str, Document]]:
    memory = bmc.memory
    yield _collection(f"{ROOT}/Managers", ("1",))
    yield _document(
        MANAGER,
        "Manager",
        {
            "ManagerType": "BMC",
            "Model": "Simulated BMC",
            "FirmwareVersion": memory["firmware"]["BMC"],
            "Status": _status(),
            "LogServices": link(f"{MANAGER}/LogServices"),
            "VirtualMedia": link(f"{MANAGER}/VirtualMedia"),
            "EthernetInterfaces": link(f"{MANAGER}/EthernetInterfaces"),
            "NetworkProtocol": link(f"{MANAGER}/NetworkProtocol"),
            "Links": {"ManagerForServers": [link(SYSTEM)], "ManagerForChassis": [link(CHASSIS)]},
        },
    )
    yield _collection(f"{MANAGER}/EthernetInterfaces", ("eth0",))
    yield _document(
        f"{MANAGER}/EthernetInterfaces/eth0",
        "EthernetInterface",
        {
            "MACAddress": bmc.terms["mac"],
            "PermanentMACAddress": bmc.terms["mac"],
            "IPv4Addresses": [{"Address": bmc.terms["address"], "AddressOrigin": "Static"}],
            "LinkStatus": "LinkUp",
            "Status": _status(),
        },
    )
    yield _collection(f"{MANAGER}/LogServices", ("SEL",))
    yield _document(
        LOG,
        "LogService",
        {
            "LogEntryType": "SEL",
            "Entries": link(f"{LOG}/Entries"),
            "Actions": {"#LogService.ClearLog": _action(f"{LOG}/Actions/LogService.ClearLog")},
        },
    )
    yield from _log(bmc)
    yield _collection(f"{MANAGER}/VirtualMedia", ("CD",))
    yield _document(
        MEDIA,
        "VirtualMedia",
        {
            "MediaTypes": ["CD", "DVD"],
            "ConnectedVia": "URI" if memory["media"] else "NotConnected",
            "Image": memory["media"],
            "ImageName": (memory["media"] or "").rsplit("/", 1)[-1] or None,
            "Inserted": memory["media"] is not None,
            "Actions": {
                "#VirtualMedia.InsertMedia": _action(f"{MEDIA}/Actions/VirtualMedia.InsertMedia"),
                "#VirtualMedia.EjectMedia": _action(f"{MEDIA}/Actions/VirtualMedia.EjectMedia"),
            },
        },
    )


def _log(bmc: Bmc) -> Iterator[tuple[str, Document]]:
    entries = [
        _document(f"{LOG}/Entries/{entry['Id']}", "LogEntry", entry | {"EntryType": "SEL"})
        for entry in reversed(bmc.memory["log"])
    ]
    members = [link(path) | entry for path, entry in entries]
    yield _document(
        f"{LOG}/Entries",
        "LogEntryCollection",
        {"Description": "System event log", "Members": members, "Members@odata.count": len(members)},
    )
    yield from entries


def _updates(bmc: Bmc) -> Iterator[tuple[str, Document]]:
    firmware = bmc.memory["firmware"]
    simple = f"{UPDATES}/Actions/UpdateService.SimpleUpdate"
    yield _document(
        UPDATES,
        "UpdateService",
        {
            "ServiceEnabled": True,
            "FirmwareInventory": link(f"{UPDATES}/FirmwareInventory"),
            "Actions": {"#UpdateService.SimpleUpdate": _action(simple, TransferProtocol=("HTTP", "HTTPS"))},
        },
    )
    yield _collection(f"{UPDATES}/FirmwareInventory", tuple(firmware))
    for name, version in firmware.items():
        yield _document(
            f"{UPDATES}/FirmwareInventory/{name}",
            "SoftwareInventory",
            {"Version": version, "Updateable": True, "Status": _status()},
        )
    yield _document(f"{ROOT}/TaskService", "TaskService", {"ServiceEnabled": True, "Tasks": link(TASKS)})
    yield _collection(TASKS, tuple(task["Id"] for task in bmc.tasks))
    for task in bmc.tasks:
        yield task_document(task)


def _access(accounts: Accounts, sessions: dict[str, str]) -> Iterator[tuple[str, Document]]:
    yield _document(f"{ROOT}/SessionService", "SessionService", {"ServiceEnabled": True, "Sessions": link(SESSIONS)})
    yield _collection(SESSIONS, tuple(sessions))
    for name, user in sessions.items():
        yield _document(f"{SESSIONS}/{name}", "Session", {"UserName": user})
    service = {"ServiceEnabled": True, **accounts.policy, "Accounts": link(ACCOUNTS)}
    yield _document(f"{ROOT}/AccountService", "AccountService", service)
    yield _collection(ACCOUNTS, tuple(accounts.number_of(user) for user in accounts.names()))
    for user in accounts.names():
        yield _document(f"{ACCOUNTS}/{accounts.number_of(user)}", "ManagerAccount", accounts.document(user))


def _certificates(bmc: Bmc) -> Iterator[tuple[str, Document]]:
    actions = f"{ROOT}/CertificateService/Actions/CertificateService"
    offered = {
        f"#CertificateService.{name}": _action(f"{actions}.{name}") for name in ("GenerateCSR", "ReplaceCertificate")
    }
    yield _document(f"{ROOT}/CertificateService", "CertificateService", {"Actions": offered})
    https = {"ProtocolEnabled": True, "Port": bmc.terms.get("port", 443), "Certificates": link(CERTIFICATES)}
    yield _document(f"{MANAGER}/NetworkProtocol", "ManagerNetworkProtocol", {"HTTPS": https})
    yield _collection(CERTIFICATES, ("1",))
    yield _document(
        f"{CERTIFICATES}/1",
        "Certificate",
        {"CertificateType": "PEM", "CertificateString": bmc.certificate.read_text(encoding="utf-8")},
    )
