"""The nine phase flows, one a module, and what all of them share."""
