"""A plan as a schedule for other programs, and the days of it that people keep in their calendars."""
