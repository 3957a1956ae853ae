"""The throughput of a shared file system without IOR: fio on all clients at once, as two clients of the lab printed it."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from steps.acceptance.measured import Measured
from steps.acceptance.measuring import measure
from tests.acceptance.handing import TODAY, entry

CLIENTS: list[dict[str, Any]] = [
    {"client": "node-01", "rc": 0, "error": 0, "bw_bytes": 160756567, "before_bytes": 182925234},
    {"client": "node-02", "rc": 0, "error": 0, "bw_bytes": 148784432, "before_bytes": 283840844},
]


def found(clients: list[dict[str, Any]]) -> Measured:
    """Return what is read of these clients."""
    raw = {"fio_clients_read": entry(json.dumps(clients), tool="fio")}
    (measured,) = measure(["storage.read_gb_s"], "node-01", raw, {}, today=TODAY)
    return measured


def test_what_all_clients_read_together_is_summed_up_and_stands_beside_what_it_was() -> None:
    read = found(CLIENTS)

    assert (read.value, read.note) == (Decimal("0.309"), "2 clients at once, 0.467 GB/s before")


def test_a_client_that_failed_leaves_the_sum_unmeasured() -> None:
    read = found([CLIENTS[0], CLIENTS[1] | {"rc": 1}])

    assert read.value is None
    assert "fio failed on node-02" in read.note
    assert found([]).value is None
