"""Wave function collapse: patterns, constraints and solver."""
