"""The payload of each kind of event, in the module of its subject. Payloads are immutable and refuse unknown fields."""
