"""Tab Make: a technique or recipe, its parameters or knobs, and its tiles."""
