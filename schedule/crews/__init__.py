"""A network whose work waits for crews: dates in minutes, and who hands a crew to whom."""
