"""From a design to a network: the activities of each step at its units, orders with deliveries, the links between them, and calendars."""
