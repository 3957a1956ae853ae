"""The data of the pictures of a schedule: pure functions of a solved forecast. Drawing is done elsewhere."""
