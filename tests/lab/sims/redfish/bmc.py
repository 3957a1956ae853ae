"""One simulated BMC: what it knows, and what its buttons do. No HTTP here."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
import threading
import time
import urllib.request
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.lab.sims.power import SOCKET, PowerError, ask
from tests.lab.sims.redfish import model

RESETS = (
    *("On", "ForceOn", "ForceOff", "GracefulShutdown", "GracefulRestart", "ForceRestart", "PowerCycle"),
    "PushPowerButton",
)
SSH_PORT = 22
SYSTEM = "/redfish/v1/Systems/1"


class RefusedError(Exception):
    """A request that a BMC refuses: HTTP status, then the sentence."""

    def __init__(self, status: int, says: str) -> None:
        super().__init__(says)
        self.status = status
        self.says = says


class Bmc:
    """A BMC's memory, kept in a file, and its wires to one host."""

    def __init__(self, terms: dict[str, Any], file: Path, factory: tuple[Path, Path]) -> None:
        """Take the terms, the file of the memory, and the factory's certificate with its key."""
        self.terms = terms
        self.lock = threading.RLock()
        self.power = "Off"
        self.tasks: list[dict[str, Any]] = []
        self._file = file
        self.secret = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.certificate, self._key = file.with_suffix(".pem"), file.with_suffix(".key")
        if not self.certificate.exists():
            self.certificate.write_bytes(factory[0].read_bytes())
            self._key.write_bytes(factory[1].read_bytes())
        self.secret.load_cert_chain(self.certificate, self._key)
        self._switch_socket = terms.get("switch", SOCKET)
        self._running_since_boot = -1
        self.memory: dict[str, Any] = {
            "boot": {"BootSourceOverrideEnabled": "Disabled", "BootSourceOverrideTarget": "None"},
            "bios": {name: values[0] for name, values in model.BIOS.items()},
            "bios_next": {},
            "firmware": dict(terms.get("firmware", model.FIRMWARE)),
            "firmware_next": {},
            "log": [],
            "entries": 0,
            "media": None,
            "volumes": [],
            "indicator": "Off",
            "faults": [],
            "booted": 0,
        }
        if file.exists():
            self.memory |= json.loads(file.read_text(encoding="utf-8"))

    def look(self) -> None:
        """See whether the host has power, and apply what waited for a boot if it booted since."""
        state = ask("state", self.terms["host"], self._switch_socket)
        with self.lock:
            self.power = "Off" if state["power"] == "off" else "On"
            if state["booted"] != self.memory["booted"]:
                self.memory["booted"] = state["booted"]
                self._apply_what_waited()
                self.log("System boot", "OK")

    def reset(self, kind: str) -> None:
        """Press a button: the host really gets or loses power."""
        if kind not in RESETS:
            raise RefusedError(400, f"ResetType {kind!r} is not one of {', '.join(RESETS)}")
        self._refuse_if_broken("power")
        is_on = self.power == "On"
        match kind:
            case "On" | "ForceOn":
                self._start(is_on=is_on)
            case "ForceOff":
                self._switch("off")
            case "GracefulShutdown":
                self._switch("shut-down")
            case "PushPowerButton":
                if is_on:
                    self._switch("shut-down")
                else:
                    self._start(is_on=False)
            case "GracefulRestart" if is_on and not self._boots_from_network():
                self._switch("reboot")
            case _:
                self._switch("off")
                self._start(is_on=False)
        self.log(f"Reset {kind}", "OK")

    def set_boot(self, wanted: dict[str, Any]) -> None:
        """Choose what the host boots from next; `Pxe` gives it a fresh disk, as a provisioning service would."""
        target = wanted.get("BootSourceOverrideTarget", "None")
        if target not in model.BOOT_TARGETS:
            raise RefusedError(
                400, f"BootSourceOverrideTarget {target!r} is not one of {', '.join(model.BOOT_TARGETS)}"
            )
        with self.lock:
            self.memory["boot"] |= {key: wanted[key] for key in self.memory["boot"] if key in wanted}
            self.save()

    def set_bios(self, wanted: dict[str, str]) -> None:
        """Keep BIOS attributes for the next boot; one unknown attribute or value refuses all."""
        for name, value in wanted.items():
            if value not in model.BIOS.get(name, ()):
                raise RefusedError(400, f"BIOS attribute {name} takes no value {value!r}")
        with self.lock:
            self.memory["bios_next"] |= wanted
            self.save()

    def reset_bios(self) -> None:
        """Return to the factory's attributes at the next boot."""
        self.set_bios({name: values[0] for name, values in model.BIOS.items()})

    def create_volume(self, name: str, kind: str, drives: list[str]) -> str:
        """Make a volume of whole drives, which takes a moment to be built. Gives its id."""
        with self.lock:
            if len(drives) != model.RAID.get(kind) or not set(drives) <= set(model.DRIVES):
                raise RefusedError(400, f"no {kind} of the drives {', '.join(drives) or 'of none'}")
            if taken := {drive for v in self.memory["volumes"] for drive in v["drives"]} & set(drives):
                raise RefusedError(400, f"{', '.join(sorted(taken))} already in a volume")
            number = str(1 + max((int(v["id"]) for v in self.memory["volumes"]), default=0))
            volume = {"id": number, "name": name or f"Volume {number}", "kind": kind, "drives": drives}
            self.memory["volumes"].append(volume | {"built_at": time.time() + model.VOLUME_S})
            self.log(f"Volume {number} ({kind}) created", "OK")
        return number

    def delete_volume(self, number: str) -> None:
        """Forget a volume."""
        with self.lock:
            left = [v for v in self.memory["volumes"] if v["id"] != number]
            if len(left) == len(self.memory["volumes"]):
                raise RefusedError(404, f"there is no volume {number}")
            self.memory["volumes"] = left
            self.log(f"Volume {number} deleted", "OK")

    def insert_media(self, image: str) -> None:
        """Put an image into the virtual drive, once its first bytes could be fetched."""
        if self.memory["media"] is not None:
            raise RefusedError(400, "the drive holds an image; eject it first")
        _fetched(image)
        with self.lock:
            self.memory["media"] = image
            self.log(f"Virtual media {image} inserted", "OK")

    def request_certificate(self, subject: dict[str, str], names: list[str]) -> str:
        """Make a key, which stays here, and return a signing request for it."""
        short = dict(zip(subject, ("CN", "O", "OU", "L", "ST", "C"), strict=True))
        words = "".join(f"/{short[name]}={text}" for name, text in subject.items())
        asked = ("-addext", f"subjectAltName={','.join(f'DNS:{name}' for name in names)}") if names else ()
        made = (
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-keyout",
            self._key.with_suffix(".next"),
        )
        done = subprocess.run(
            ["openssl", "req", *made, "-subj", words, *asked], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RefusedError(400, f"no signing request: {done.stderr.strip()}")
        return done.stdout

    def replace_certificate(self, text: str) -> None:
        """Serve another certificate from the next connection on. It must be for the key of the last signing request."""
        new, key = self.certificate.with_suffix(".new"), self._key.with_suffix(".next")
        new.write_text(text, encoding="utf-8")
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(new, key)
        except (OSError, ssl.SSLError) as error:
            raise RefusedError(400, f"the certificate is not for the key of the last request: {error}") from error
        key.replace(self._key)
        new.replace(self.certificate)
        self.secret.load_cert_chain(self.certificate, self._key)
        self.log("HTTPS certificate replaced", "OK")

    def update(self, image: str, targets: list[str]) -> dict[str, Any]:
        """Begin a firmware update: the image is really fetched, and must be for one of the targets. Gives the task."""
        with self.lock:
            if any(task["TaskState"] == "Running" for task in self.tasks):
                raise RefusedError(503, "an update is running; try again when its task has ended")
            task = {"Id": str(len(self.tasks) + 1), "TaskState": "Running", "TaskStatus": "OK", "PercentComplete": 0}
            task |= {"StartTime": now(), "Messages": []}
            self.tasks.append(task)
        threading.Thread(target=self._flash, args=(task, image, targets), daemon=True).start()
        return task

    def break_(self, fault: str) -> None:
        """Break something; the log says so."""
        if fault not in model.FAULTS:
            raise RefusedError(404, f"no fault {fault!r}; there are {', '.join(model.FAULTS)}")
        if fault not in self.memory["faults"]:
            self.memory["faults"].append(fault)
            self.log(model.FAULTS[fault].says, model.FAULTS[fault].severity)

    def repair(self, fault: str) -> None:
        """Repair it; what the log said stays."""
        if fault in self.memory["faults"]:
            self.memory["faults"].remove(fault)
            self.log(f"{model.FAULTS[fault].says}: repaired", "OK")

    def log(self, says: str, severity: str) -> None:
        """Write an entry into the event log."""
        with self.lock:
            self.memory["entries"] += 1
            entry = {"Id": str(self.memory["entries"]), "Created": now(), "Message": says, "Severity": severity}
            self.memory["log"].append(entry)
            self.save()

    def clear_log(self) -> None:
        """Forget what happened."""
        with self.lock:
            self.memory["log"] = []
            self.log("Log cleared", "OK")

    def boot_progress(self) -> str:
        """Return the progress of the host's boot in the standard's words. Once in each boot the host's SSH port shows that it runs."""
        if self.power == "Off":
            return "None"
        if "post" in self.memory["faults"]:
            return "MemoryInitializationStarted"
        if self._running_since_boot != self.memory["booted"]:
            try:
                socket.create_connection((self.terms["host_address"], SSH_PORT), 0.3).close()
            except OSError:
                return "OSBootStarted"
            self._running_since_boot = self.memory["booted"]
        return "OSRunning"

    def save(self) -> None:
        """Keep the memory across a restart of the simulator."""
        with self.lock:
            partial = self._file.with_suffix(".new")
            partial.write_text(json.dumps(self.memory), encoding="utf-8")
            partial.replace(self._file)

    def _switch(self, action: str) -> None:
        try:
            ask(action, self.terms["host"], self._switch_socket)
        except (PowerError, OSError) as error:
            raise RefusedError(500, str(error)) from error

    def _refuse_if_broken(self, fault: str) -> None:
        if fault in self.memory["faults"]:
            raise RefusedError(500, model.FAULTS[fault].says)

    def _boots_from_network(self) -> bool:
        boot = self.memory["boot"]
        return bool(boot["BootSourceOverrideEnabled"] != "Disabled" and boot["BootSourceOverrideTarget"] == "Pxe")

    def _start(self, *, is_on: bool) -> None:
        if is_on:
            return
        self._switch("provision" if self._boots_from_network() else "on")
        if self.memory["boot"]["BootSourceOverrideEnabled"] == "Once":
            self.memory["boot"] = {"BootSourceOverrideEnabled": "Disabled", "BootSourceOverrideTarget": "None"}

    def _apply_what_waited(self) -> None:
        self.memory["bios"] |= self.memory["bios_next"]
        self.memory["firmware"] |= self.memory["firmware_next"]
        self.memory["bios_next"], self.memory["firmware_next"] = {}, {}

    def _flash(self, task: dict[str, Any], image: str, targets: list[str]) -> None:
        try:
            component, version = _image_of(image, targets or list(self.memory["firmware"]))
            for percent in range(20, 101, 20):
                time.sleep(model.UPDATE_S / 5)
                task["PercentComplete"] = percent
            self._refuse_if_broken("update")
        except RefusedError as error:
            self._end(task, "Exception", "Warning", f"Update from {image} failed: {error.says}")
            return
        with self.lock:
            self.memory["firmware" if component == model.AT_ONCE else "firmware_next"][component] = version
        if component == model.AT_ONCE:
            self._end(task, "Completed", "OK", f"{component} {version} written, in force")
            return
        reset = {
            "MessageId": "Base.1.0.ResetRequired",
            "MessageArgs": [f"{SYSTEM}/Actions/ComputerSystem.Reset", "ForceRestart"],
            "Severity": "Warning",
        }
        task["Messages"] = [reset | {"Message": f"{component} waits for a reset"}]
        self._end(task, "Completed", "OK", f"{component} {version} written, in force at the next boot")

    def _end(self, task: dict[str, Any], state: str, severity: str, says: str) -> None:
        task["Messages"].append({"MessageId": "Lab.1.0.Update", "Message": says, "Severity": severity})
        task |= {"TaskState": state, "TaskStatus": severity, "EndTime": now()}
        self.log(says, severity)


def _image_of(address: str, targets: list[str]) -> tuple[str, str]:
    """Fetch a firmware image and give its component and version: its one line reads `lab-firmware NIC-1 2.0.0`."""
    match _fetched(address).decode("utf-8", "replace").split():
        case ["lab-firmware", component, version] if component in targets:
            return component, version
    raise RefusedError(400, f"no image for {', '.join(targets)}")


def _fetched(address: str) -> bytes:
    """Return the first bytes of the file that the BMC was asked to fetch."""
    try:
        with urllib.request.urlopen(address, timeout=10) as answer:
            return bytes(answer.read(200))
    except (OSError, ValueError) as error:
        raise RefusedError(400, f"{address} cannot be fetched: {error}") from error


def now() -> str:
    """Return the time as Redfish writes it."""
    return datetime.now(UTC).isoformat(timespec="seconds")
