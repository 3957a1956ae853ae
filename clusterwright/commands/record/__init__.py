"""Keep the record safe."""
