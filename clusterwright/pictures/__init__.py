"""Pictures of a schedule, drawn by matplotlib: a module a picture. The extra `report` has it."""
