"""How long is waited for GlusterFS's signatures: what signs takes files in their turn, and may be busy with older ones for long."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from tests.playbooks.scripts import script

BRICK = Path("/srv/bricks/1/shared-data")
SECONDS, MOST = "180", "900"


class Signer:
    """A daemon on a server with one brick, and the seconds that go by: it reads until one second, and has signed at another."""

    def __init__(self, copies: ModuleType, patch: pytest.MonkeyPatch, reads_until: float, signs_at: float) -> None:
        self.now = 0.0
        patch.setattr(copies, "time", SimpleNamespace(monotonic=lambda: self.now, sleep=self._sleep))
        patch.setattr(copies, "bricks", lambda _: [BRICK])
        patch.setattr(copies, "unsigned", lambda *_: self.now < signs_at)
        patch.setattr(copies, "bytes_read", lambda: 115_000 * int(min(self.now, reads_until)))

    def _sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.mark.parametrize(
    ("reads_until", "signs_at", "found", "after_s"),
    [
        (150, 130, {"left": [], "at_work": True}, 130),
        (500, 510, {"left": [], "at_work": True}, 510),
        (0, 5000, {"left": [str(BRICK)], "at_work": False}, 181),
        (400, 5000, {"left": [str(BRICK)], "at_work": False}, 421),
        (5000, 5000, {"left": [str(BRICK)], "at_work": True}, 901),
    ],
    ids=["signed in time", "busy, then signed", "silent", "busy, then silent", "busy for longer than anybody waits"],
)
def test_a_busy_signer_is_waited_for_and_a_silent_one_is_not(
    monkeypatch: pytest.MonkeyPatch, reads_until: float, signs_at: float, found: object, after_s: float
) -> None:
    copies = script("storage_scrub", "copies")
    signer = Signer(copies, monkeypatch, reads_until, signs_at)

    assert copies.signed("shared", "probe", SECONDS, MOST) == found
    assert signer.now == pytest.approx(after_s, abs=2)
