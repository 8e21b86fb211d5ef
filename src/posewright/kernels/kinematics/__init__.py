"""Where joints are and how they turn: forward kinematics, Jacobians, angles of hinges."""
