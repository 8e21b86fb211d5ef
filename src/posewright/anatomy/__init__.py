"""What the parts of a figure are: sides, limbs, trunk, feet, hands, soles and head."""
