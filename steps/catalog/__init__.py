"""The 195 steps and the hold points: one YAML file each, a closed schema, a loader and a lint."""
