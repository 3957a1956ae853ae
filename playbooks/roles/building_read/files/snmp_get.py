"""Points by SNMP: version 3 where the device has a `user`, otherwise version 2c."""

from __future__ import annotations

from pysnmp.hlapi.v3arch.asyncio import (
    CommunityData,
    ContextData,
    ObjectIdentity,
    ObjectType,
    SnmpEngine,
    UdpTransportTarget,
    UsmUserData,
    get_cmd,
    usmAesCfb128Protocol,
    usmHMACSHAAuthProtocol,
)

PORT = 161
RETRY_S = 2
RETRIES = 1


class Device:
    """An agent: `address`, `port`; `community`, or `user`, `auth_password` and `priv_password` (SHA and AES)."""

    def __init__(self, stated: dict) -> None:
        self._at = stated["address"], stated.get("port", PORT)
        self._engine = SnmpEngine()
        self._target = None
        if "user" in stated:
            self._account = UsmUserData(
                stated["user"],
                stated["auth_password"],
                stated["priv_password"],
                authProtocol=usmHMACSHAAuthProtocol,
                privProtocol=usmAesCfb128Protocol,
            )
        else:
            self._account = CommunityData(stated.get("community", "public"))

    async def read(self, point: dict) -> float:
        """Return the number at an `oid`."""
        if self._target is None:
            self._target = await UdpTransportTarget.create(self._at, timeout=RETRY_S, retries=RETRIES)
        wanted = ObjectType(ObjectIdentity(point["oid"]))
        failed, status, _, found = await get_cmd(
            self._engine, self._account, self._target, ContextData(), wanted, lookupMib=False
        )
        if failed:
            raise ConnectionError(str(failed))
        if status:
            raise ValueError(f"{point['oid']}: {status.prettyPrint()}")
        (_, value) = found[0]
        try:
            return float(value)
        except (TypeError, ValueError):
            raise ValueError(f"{point['oid']} has no number: {value.prettyPrint() or type(value).__name__}") from None

    def close(self) -> None:
        """Leave the network."""
        self._engine.close_dispatcher()
