// Three numbers: a point (m) or a direction.
import type { Vec3 } from "../store";
import { NumberField } from "./number_field";

export function PointField(props: { label: string; value: Vec3; change(value: Vec3): void }) {
  const set = (axis: number, value: number) =>
    props.change(props.value.map((old, k) => (k === axis ? value : old)) as Vec3);
  return (
    <div class="point" role="group" aria-label={props.label}>
      {(["x", "y", "z"] as const).map((axis, k) => (
        <NumberField
          key={axis}
          label={axis}
          step={0.01}
          value={Number(props.value[k]!.toFixed(4))}
          change={(value) => set(k, value)}
        />
      ))}
    </div>
  );
}
