"""What deals with a ready activity: one module for each way of doing it."""
