"""Devices of a drill: simulated equipment on this host alone, which the site's own exporters read in its real protocol.

A switch by SNMP, a cooling unit by Modbus TCP, a server's controller by Redfish over TLS, a host that greets late, and a server's
network and InfiniBand counters as its kernel shows them. What a way of a drill states is what the device says; counters grow by
so much a second. Each function returns targets for the metrics database: the job's name, the exporter and its parameters.
"""

import json
import os
import socket
import ssl
import struct
import subprocess
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import snmp_agent

Readings = dict[str, float]
Elapsed = Callable[[], float]

HERE = "127.0.0.1"
NOBODY = f"{HERE}:1"
"""Where nothing answers."""
UNIT = "127.0.69.1"
"""The cooling unit: its exporter asks port 502 of an address."""
NO_UNIT = "127.0.69.2"
IF_NAME = (1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 1, 1)
PORTS = {"blackbox": 9115, "snmp": 9116, "modbus": 9602}
EXPORTERS = {
    "blackbox": {"__metrics_path__": "/probe", "__param_module": "ssh"},
    "snmp": {"__metrics_path__": "/snmp", "__param_module": "if_mib"},
    "modbus": {},
}
NODE_EXPORTER, REDFISH_EXPORTER = "prometheus-node-exporter", "/usr/local/lib/clusterwright/redfish_exporter.py"
REGISTERS = Path("/etc/modbus_exporter/registers.json")
HEAD = "bytes packets errs drop fifo frame compressed multicast"
COLLECTORS = ("infiniband", "netclass", "netdev")


class Target(dict):
    """What the metrics database scrapes: `job`, the exporter's `address`, and `labels` that are its parameters."""

    def __init__(self, job: str, address: str, labels: dict[str, str]) -> None:
        super().__init__(job=job, address=address, labels=labels)


def probed(job: str, target: str) -> Target:
    """Return a device that the site's exporter of this job reads."""
    return Target(job, f"{HERE}:{PORTS[job]}", {"__param_target": target, **EXPORTERS[job]})


def silent(job: str) -> Target:
    """Return a device of a job that does not answer."""
    return probed(job, NO_UNIT if job == "modbus" else NOBODY)


def late(seconds: float) -> Target:
    """Return a host whose SSH server takes its time to greet."""
    server = socket.create_server((HERE, 0))

    def greet(visitor: socket.socket) -> None:
        with visitor:
            time.sleep(seconds)
            visitor.sendall(b"SSH-2.0-drill\r\n")

    def listening() -> None:
        while True:
            threading.Thread(target=greet, args=(server.accept()[0],), daemon=True).start()

    threading.Thread(target=listening, daemon=True).start()
    return probed("blackbox", f"{HERE}:{server.getsockname()[1]}")


def switch(speeds: dict[str, float], elapsed: Elapsed) -> Target:
    """Return a switch with one port, of which the objects named by their column grow."""
    columns = {tuple(map(int, column.split("."))): speed for column, speed in speeds.items()}

    def values() -> dict[snmp_agent.Oid, snmp_agent.Value]:
        counted = {(*column, 1): int(speed * elapsed()) for column, speed in columns.items()}
        return {**counted, IF_NAME: "swp69"}

    return probed("snmp", snmp_agent.serve(values))


def cooling_unit(readings: Readings) -> Target:
    """Return a cooling unit whose registers, which the site's exporter knows by its metrics, say this."""
    functions = {"discrete": 2, "holding": 3, "input": 4}
    registers = {
        (functions[one["table"]], one["address"]): round(readings.get(one["metric"], 0) / one["scale"])
        for one in json.loads(REGISTERS.read_text())
    }
    server = socket.create_server((UNIT, 502))

    def talk(visitor: socket.socket) -> None:
        with visitor:
            while len(request := visitor.recv(12)) == 12:
                transaction, _, _, unit, function, address, _ = struct.unpack(">HHHBBHH", request)
                value = registers.get((function, address))
                if value is None:
                    said = struct.pack(">BB", function | 0x80, 2)
                elif function == functions["discrete"]:
                    said = struct.pack(">BBB", function, 1, value)
                else:
                    said = struct.pack(">BBH", function, 2, value)
                visitor.sendall(struct.pack(">HHHB", transaction, 0, len(said) + 1, unit) + said)

    def listening() -> None:
        while True:
            threading.Thread(target=talk, args=(server.accept()[0],), daemon=True).start()

    threading.Thread(target=listening, daemon=True).start()
    return probed("modbus", UNIT)


def controller(sensor: Readings, folder: Path, running: list[subprocess.Popen]) -> Target:
    """Return a server's controller with one sensor, read by an exporter of the drill's own that trusts its certificate alone."""
    pair = (folder / "bmc.pem", folder / "authority")
    made = ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1")
    names = (
        "-subj",
        "/CN=drill",
        "-addext",
        f"subjectAltName=IP:{HERE}",
        "-keyout",
        str(pair[0]),
        "-out",
        str(pair[1]),
    )
    subprocess.run(["openssl", *made, *names], check=True, capture_output=True)
    (folder / "accounts").write_text(json.dumps({"*": "drill:drill"}))
    documents = {
        "/redfish/v1/Systems": {"Members": []},
        "/redfish/v1/Chassis": {"Members": [{"@odata.id": "/redfish/v1/Chassis/1"}]},
        "/redfish/v1/Chassis/1": {"Thermal": {"@odata.id": "/redfish/v1/Chassis/1/Thermal"}},
        "/redfish/v1/Chassis/1/Thermal": {"Temperatures": [{"Name": "Inlet", **sensor}]},
    }

    class Documents(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            said = documents.get(self.path)
            self.send_response(200 if said else 404)
            self.end_headers()
            self.wfile.write(json.dumps(said).encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer((HERE, 0), Documents)
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trust.load_cert_chain(pair[1], pair[0])
    server.socket = trust.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = free_port()
    environment = os.environ | {"CREDENTIALS_DIRECTORY": str(folder)}
    running.append(subprocess.Popen(["python3", REDFISH_EXPORTER, str(port)], env=environment))
    return Target("redfish", f"{HERE}:{port}", {"__param_target": f"{HERE}:{server.server_address[1]}"})


def server(speeds: dict[str, Readings], elapsed: Elapsed, folder: Path, running: list[subprocess.Popen]) -> Target:
    """Return a server whose counters grow, read by the node exporter's program from files as a kernel shows them."""
    sys, proc = folder / "sys", folder / "proc"
    ethernet = sys / "class/net/drill0"
    infiniband = sys / "class/infiniband/drill_0/ports/1"
    steady = {
        ethernet / "speed": "1",
        ethernet / "carrier": "1",
        infiniband / "state": "4: ACTIVE",
        infiniband / "phys_state": "5: LinkUp",
        infiniband / "rate": "400 Gb/sec (4X NDR)",
        infiniband.parents[1] / "fw_ver": "0.0.0",
        infiniband.parents[1] / "board_id": "drill",
        infiniband.parents[1] / "hca_type": "drill",
    }
    (infiniband / "counters").mkdir(parents=True)
    (ethernet / "statistics").mkdir(parents=True)
    (proc / "net").mkdir(parents=True)
    for file, text in steady.items():
        file.write_text(f"{text}\n")

    def put(file: Path, text: str) -> None:
        part = folder / "part"  # beside the trees: they are read at any moment
        part.write_text(text)
        part.replace(file)

    def count() -> None:
        grown = {name: int(speed * elapsed()) for part in speeds.values() for name, speed in part.items()}
        put(ethernet / "carrier_changes", f"{grown.get('carrier_changes', 0)}\n")
        received, sent = f"0 0 {grown.get('rx_errs', 0)} 0 0 0 0 0", f"{grown.get('tx_bytes', 0)} 0 0 0 0 0 0 0"
        put(proc / "net/dev", f"Inter-| Receive | Transmit\n face |{HEAD}|{HEAD}\ndrill0: {received} {sent}\n")
        for name in speeds.get("infiniband", {}):
            put(infiniband / "counters" / name, f"{grown[name]}\n")

    def counting() -> None:
        while sys.exists():
            count()
            time.sleep(1)

    count()
    threading.Thread(target=counting, daemon=True).start()
    port = free_port()
    paths = (f"--path.sysfs={sys}", f"--path.procfs={proc}", "--no-collector.netdev.netlink")
    on = [f"--collector.{name}" for name in COLLECTORS]
    options = ("--collector.disable-defaults", *on, *paths, f"--web.listen-address={HERE}:{port}")
    running.append(subprocess.Popen([NODE_EXPORTER, *options], stderr=subprocess.DEVNULL))
    return Target("drill", f"{HERE}:{port}", {})


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.create_server((HERE, 0)) as found:
        return int(found.getsockname()[1])
