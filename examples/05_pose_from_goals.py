"""Pose a person by goals: a hand on an apple, the eyes on it, the feet where they are; then move the apple."""

import posewright as pw
from posewright.figures import catalogue

FORWARD, UP = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)


def main() -> None:
    figure = catalogue.build("human")
    apple = (-0.30, 1.60, 0.46)  # metres, y up
    problem = pw.Problem(
        pw.Space.grouped(figure),  # the spine bends by three numbers, each shoulder complex by three
        goals=[
            pw.Position("right_hand", apple),
            pw.Aim("view", apple, name="eyes"),
            pw.Placement("left_sole", (0.095, 0.0, 0.04), x=FORWARD, y=UP),
            pw.Placement("right_sole", (-0.095, 0.0, 0.04), x=FORWARD, y=UP),
        ],
    )
    solver = pw.LeastSquares()
    result = solver.solve(problem)
    print(result)
    result.pose.save("reach.bvh")

    # Near the rest pose in all that the goals leave open.
    at_ease = solver.solve(problem.with_goal(pw.Posture(pw.Pose.rest(figure), priority=2)))
    print(at_ease)

    # Dragging: packed once, then solved again and again, each time from the last pose.
    prepared, pose = solver.prepare(problem), result.pose
    for step in range(5):
        dragged = (apple[0], apple[1] - 0.1 * step, apple[2])
        result = prepared.solve(targets={"right_hand": dragged, "eyes": dragged}, start=pose)
        pose = result.pose
        print(f"apple at {dragged[1]:.1f} m: {result.iterations} iterations, {result.seconds * 1e6:.0f} µs")
    result.require()  # raises if a goal was missed

    # A missed goal is an answer: the ceiling is out of reach.
    far = solver.solve(problem.replacing(pw.Position("right_hand", (-0.3, 2.9, 0.3))))
    print(far)


if __name__ == "__main__":
    main()
