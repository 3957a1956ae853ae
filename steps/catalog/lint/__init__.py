"""What a catalog must satisfy beyond its schema. The lint reports; it never changes an entry."""
