"""Points by BACnet/IP: the present value of an object of a controller."""

from __future__ import annotations

import socket

from bacpypes3.apdu import ErrorRejectAbortNack
from bacpypes3.ipv4.app import NormalApplication
from bacpypes3.local.device import DeviceObject
from bacpypes3.pdu import Address, IPv4Address

PORT = 47808
WORDS = {"active": 1.0, "inactive": 0.0}
# any number that no other device on the network has; one that only reads announces itself to nobody
OWN_INSTANCE = 4_194_302


class Device:
    """A controller: `address` and `port`. It is asked directly, without a broadcast."""

    def __init__(self, stated: dict) -> None:
        self._at = Address(f"{stated['address']}:{stated.get('port', PORT)}")
        self._app = asking(own_address(stated["address"]))

    async def read(self, point: dict) -> float:
        """Return the present value of an `object` such as `analog-input,1`. Active is 1, inactive 0."""
        try:
            value = await self._app.read_property(self._at, point["object"], point.get("property", "present-value"))
        except ErrorRejectAbortNack as error:
            raise ValueError(f"{point['object']}: {error}") from None
        return WORDS[str(value)] if str(value) in WORDS else float(value)

    def close(self) -> None:
        """Leave the network."""
        self._app.close()


def asking(own: str) -> NormalApplication:
    """Return what asks from an address of this host, on a port that was free."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind((own, 0))
        port = probe.getsockname()[1]
    device = DeviceObject(objectIdentifier=f"device,{OWN_INSTANCE}", objectName="clusterwright", vendorIdentifier=999)
    return NormalApplication(device, IPv4Address(f"{own}:{port}"))


def own_address(far: str) -> str:
    """Return the address from which this host reaches another."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((far, PORT))
        return probe.getsockname()[0]
