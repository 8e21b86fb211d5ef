// A number that can be typed, changed by the arrows, or dragged by its label; sent when it is done, not at every step.
import { useSignal } from "@preact/signals";

export function NumberField(props: {
  label: string;
  value: number;
  step: number;
  min?: number;
  max?: number;
  unit?: string;
  change(value: number): void;
}) {
  const dragged = useSignal<number | null>(null);
  const within = (value: number) =>
    Number(Math.min(props.max ?? Infinity, Math.max(props.min ?? -Infinity, value)).toFixed(9));
  const take = (field: HTMLInputElement) => {
    const value = field.valueAsNumber;
    if (Number.isFinite(value) && field.validity.valid && value !== props.value) props.change(value);
    else field.value = shown(props.value);
  };
  const step = (event: KeyboardEvent) => {
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (direction === undefined) return;
    event.preventDefault(); // a step of the field itself would refuse numbers between steps
    const next = within(props.value + direction * props.step * (event.shiftKey ? 10 : 1));
    if (next !== props.value) props.change(next);
  };
  const drag = (event: PointerEvent) => {
    const label = event.currentTarget as HTMLElement;
    const from = event.clientX;
    event.preventDefault();
    label.setPointerCapture(event.pointerId);
    const move = (next: PointerEvent) => {
      dragged.value = within(props.value + Math.round((next.clientX - from) / 4) * props.step);
    };
    const end = (how: Event) => {
      label.removeEventListener("pointermove", move);
      const value = dragged.value;
      dragged.value = null;
      if (how.type === "pointerup" && value !== null && value !== props.value) props.change(value);
    };
    label.addEventListener("pointermove", move);
    label.addEventListener("pointerup", end, { once: true });
    label.addEventListener("pointercancel", end, { once: true });
  };
  return (
    <span class="number">
      <span class="drag" title="Drag to change" onPointerDown={drag}>
        {props.label}
      </span>
      <input
        type="number"
        aria-label={props.label}
        value={shown(dragged.value ?? props.value)}
        step="any"
        min={props.min}
        max={props.max}
        onKeyDown={step}
        onChange={(event) => take(event.currentTarget)}
      />
      {props.unit && <span class="unit">{props.unit}</span>}
    </span>
  );
}

function shown(value: number): string {
  return String(Number(value.toFixed(6)));
}
