"""What `doctor` says of the versions that are installed."""

from __future__ import annotations

from importlib import metadata

import pytest

from clusterwright import health
from clusterwright.health_check import ADVICE, OK


@pytest.mark.parametrize(("installed", "state"), [("2.19.11", ADVICE), ("2.21.0", OK)])
def test_an_ansible_without_security_support_is_advised_against(
    monkeypatch: pytest.MonkeyPatch, installed: str, state: str
) -> None:
    known = metadata.version
    monkeypatch.setattr(health, "version", lambda name: installed if name == "ansible-core" else known(name))

    (found,) = [one for one in health.checks(None) if one.name == "ansible-core"]

    assert found.state == state
    assert installed in found.found
