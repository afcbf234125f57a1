"""Parts of the shaper place: parameters, allowed cells, rules that choose cells, and bands chosen together."""
