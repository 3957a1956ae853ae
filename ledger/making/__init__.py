"""What every decision records: its payload, made from the record just before it. No payload is made anywhere else.

A decision records what is made here. A copy that follows the log and the audit make it again, from the same record and from
what the event says was decided, and compare. So a role or a result that an event states is checked, and never believed.
"""
