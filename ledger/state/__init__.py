"""What the events come to: tables, projections that fill them, and replay."""
