"""The dispatcher: waits until something can be done, then lets the buildout flow do it.

What wakes it: an event in the ledger (a few looks a second), the end of a lag, a lapsed lease, and a slow
poll behind them all.
"""

from __future__ import annotations

from prefect import tags

from flows.buildout import buildout
from flows.engine_state import Engine
from flows.watch import LOOK_S, Watch


class Dispatcher:
    """One engine's loop."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.advances = 0

    def run(self, *, until_idle: bool) -> None:
        """Advance the site whenever something can be done, until stopped, or until nothing can be."""
        engine = self.engine
        heard = -1
        with Watch(engine.site_dir, engine.clock) as watch:
            while not engine.stopping.is_set():
                if watch.moved() or engine.bell.count != heard:
                    heard = engine.bell.count
                    engine.tend()
                    if engine.work():
                        self.advance()
                        heard = -1
                        continue
                    if until_idle:
                        return
                engine.bell.wait(heard, LOOK_S)

    def advance(self) -> None:
        """Run the buildout flow once."""
        engine = self.engine
        self.advances += 1
        mark = "rehearsal" if engine.rehearsal else "real"
        with tags(engine.tag, engine.plan.site, f"revision {engine.revision}", mark):
            buildout(engine.id, f"{engine.plan.site} · advance {self.advances}")
