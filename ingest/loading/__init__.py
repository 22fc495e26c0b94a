"""Reading files of answers or of measurements: what a record means, and what becomes of it."""
