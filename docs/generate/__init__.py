"""What the documentation is generated with."""
