"""The ray-caster behind all pictures."""
