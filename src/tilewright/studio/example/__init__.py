"""Tab By example: a sample, and techniques that imitate it."""
