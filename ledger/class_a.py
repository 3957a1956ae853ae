"""Which open class A non-conformances hold an activity back: one question, asked by services and by `why` alike.

Its own hold every activity back. A gate or hold point is held back too by those of what comes before it in the network, at
its unit or beneath; go-live by all of the site.
"""

from __future__ import annotations

GO_LIVE = "195"
"""The step that no open class A lets pass, wherever it was found."""

OPEN_A = f"""
WITH RECURSIVE
  held(id, step, unit, gates) AS (SELECT id, step, unit, kind = 'gate' OR hold_point FROM activity WHERE id = :id),
  open_a(id, activity, reason, unit) AS (
    SELECT n.id, n.activity, n.reason, a.unit FROM ncr n JOIN activity a ON a.id = n.activity
    WHERE n.ncr_class = 'A' AND n.closed_at IS NULL),
  beneath(id) AS (
    SELECT unit FROM held UNION SELECT u.id FROM unit u JOIN beneath b ON u.parent = b.id),
  earlier(id) AS (
    SELECT id FROM held WHERE gates AND EXISTS (SELECT 1 FROM open_a)
    UNION SELECT l."before" FROM link l JOIN earlier e ON l."after" = e.id)
SELECT o.id, o.activity, o.reason FROM open_a o, held h
WHERE o.activity = h.id OR h.step = '{GO_LIVE}' OR (h.gates
  AND o.unit IN (SELECT id FROM beneath) AND o.activity IN (SELECT id FROM earlier))
ORDER BY o.id
"""  # noqa: S608  our own text
"""Id, activity and reason of each, for the activity `:id`."""
