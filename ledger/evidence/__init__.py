"""Evidence: taken in, kept by its digest, and the names of people beside it."""
