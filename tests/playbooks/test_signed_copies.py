"""How long we wait for GlusterFS's signatures. The daemon that signs takes files in their turn, and may be busy with older ones for long."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from tests.playbooks.scripts import script

BRICK = Path("/srv/bricks/1/shared-data")
SECONDS, MOST = "180", "900"


class Signer:
    """A daemon on a server with one brick, and its clock. It reads until a second, signs at another, and may start again at a third."""

    def __init__(
        self, copies: ModuleType, patch: pytest.MonkeyPatch, reads_until: float, signs_at: float, again_at: float = 1e9
    ) -> None:
        self.now, self.reads_until, self.again_at = 0.0, reads_until, again_at
        patch.setattr(copies, "time", SimpleNamespace(monotonic=lambda: self.now, sleep=self._sleep))
        patch.setattr(copies, "bricks", lambda _: [BRICK])
        patch.setattr(copies, "unsigned", lambda *_: self.now < signs_at)
        patch.setattr(copies, "bytes_read", self._bytes_read)

    def _sleep(self, seconds: float) -> None:
        self.now += seconds

    def _bytes_read(self) -> int:
        began = self.again_at if self.now >= self.again_at else 0
        return 115_000 * int(min(self.now, self.reads_until) - began)


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


def test_a_signer_that_was_started_again_meanwhile_is_still_seen_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    copies = script("storage_scrub", "copies")
    Signer(copies, monkeypatch, reads_until=500, signs_at=510, again_at=170)

    assert copies.signed("shared", "probe", SECONDS, MOST) == {"left": [], "at_work": True}
