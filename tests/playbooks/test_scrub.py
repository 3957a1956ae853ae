"""A scrub that is asked for: who was done, and what is said of a server whose daemon does not run. GlusterFS leaves that one out of its lists."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from tests.playbooks.scripts import script

OWN, OTHER = "10.83.1.31", "10.83.1.32"
HARM = {
    f"{server}: /data/{server}": {
        "address": server, "brick": "/data", "path": f"/{server}", "signed": True, "repaired": True
    }
    for server in (OWN, OTHER)
}  # fmt: skip


def node(name: str, ended: str, path: str = "") -> str:
    """Return what GlusterFS 10.3 says of one server."""
    bad = f"\n==> BRICK: /data\n path: {path}" if path else ""
    return f"Node: {name}\n\nLast completed scrub time: {ended}\n\nError count: {int(bool(path))}\n{bad}\n"


FIRST = [node("localhost", "2026-11-29 08:59:19 +0000"), node(OTHER, "2026-11-29 08:59:19 +0000")]
SECOND = [
    node("localhost", "2026-11-29 09:00:22 +0000", f"/{OWN}"),
    node(OTHER, "2026-11-29 09:00:23 +0000", f"/{OTHER}"),
]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (FIRST, SECOND, (0, "2 damaged copies were named and made again")),
        (FIRST[:1], SECOND[:1], (None, f"the scrub was not done in time on {OTHER}")),
        (FIRST, [SECOND[0], FIRST[1]], (None, f"the scrub was not done in time on {OTHER}")),
        (FIRST, SECOND[:1], (None, f"the scrub was not done in time on {OTHER}")),
        (FIRST[:1], SECOND, (0, "2 damaged copies were named and made again")),
        (FIRST, [SECOND[0], node(OTHER, "2026-11-29 09:00:23 +0000")], (1, f"{OTHER}: /data/{OTHER} was not found")),
    ],
    ids=["all done", "a daemon never ran", "one goes on", "a daemon ended", "a daemon began", "one found nothing"],
)
def test_a_server_that_was_not_done_is_named_and_nothing_is_counted(
    before: list[str],
    after: list[str],
    found: tuple[int | None, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    scrub_now, injected_errors = script("storage_scrub", "scrub_now"), script("proof", "injected_errors")
    clock, said = iter(range(100)), iter([before, ["started"], *[after] * 100])
    monkeypatch.setattr(
        scrub_now, "time", SimpleNamespace(monotonic=lambda: float(next(clock)), sleep=lambda _: next(clock))
    )
    monkeypatch.setattr(scrub_now, "bitrot", lambda *_: "\n".join(next(said)))
    monkeypatch.setattr("sys.argv", ["scrub_now", "shared", OWN, "30"])

    scrub_now.main()

    assert injected_errors.judged(HARM, json.loads(capsys.readouterr().out)) == found


def test_where_no_scrub_can_be_asked_for_it_says_why() -> None:
    refused = "volume bitrot: failed: Locking failed on 10.83.1.32"
    scrub = {"found": [], "done": [], "is_asked": False, "said": refused}

    assert script("proof", "injected_errors").judged(HARM, scrub) == (None, refused)
