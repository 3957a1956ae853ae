"""The configuration of Ethernet switches, from the cable schedule and the addresses of a design."""
