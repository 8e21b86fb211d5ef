// A number that can be typed, changed by the arrows, or dragged by its label; sent when it is done, not at every step.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { hold } from "../hand";
import { toast } from "../store";

const REFUSED = 1000; // ms after which a step that was not answered is none

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
  const asked = useRef<number | null>(null); // by steps, and not answered yet
  const forgets = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  if (asked.current === props.value) asked.current = null;
  const within = (value: number) =>
    Number(Math.min(props.max ?? Infinity, Math.max(props.min ?? -Infinity, value)).toFixed(9));
  const take = (field: HTMLInputElement) => {
    delete field.dataset["typed"];
    asked.current = null;
    const value = field.valueAsNumber;
    if (Number.isFinite(value) && field.validity.valid && value !== props.value) props.change(value);
    else {
      if (!field.validity.valid) toast(`${props.label}: ${field.validationMessage}`);
      field.value = shown(props.value);
    }
  };
  const onKey = (event: KeyboardEvent) => {
    const field = event.currentTarget as HTMLInputElement;
    if (event.key === "Escape") {
      field.value = shown(props.value);
      delete field.dataset["typed"];
    }
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (direction === undefined) return;
    event.preventDefault(); // a step of the field itself would refuse numbers between steps
    const from = asked.current ?? props.value; // steps add up, also those that are faster than the server answers
    const next = within(from + direction * props.step * (event.shiftKey ? 10 : 1));
    if (next === from) return;
    asked.current = next;
    clearTimeout(forgets.current);
    forgets.current = setTimeout(() => (asked.current = null), REFUSED);
    props.change(next);
  };
  const drag = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const label = event.currentTarget as HTMLElement;
    const from = event.clientX;
    event.preventDefault();
    label.setPointerCapture(event.pointerId);
    const move = (next: PointerEvent) => {
      dragged.value = within(props.value + Math.round((next.clientX - from) / 4) * props.step);
    };
    const over = new AbortController();
    const { signal } = over;
    const end = (done: boolean) => {
      over.abort();
      released();
      const value = dragged.value;
      dragged.value = null;
      if (done && value !== null && value !== props.value) props.change(value);
    };
    const released = hold(() => end(false));
    label.addEventListener("pointermove", move, { signal });
    label.addEventListener("pointerup", () => end(true), { signal });
    label.addEventListener("pointercancel", () => end(false), { signal });
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
        onInput={(event) => (event.currentTarget.dataset["typed"] = "true")}
        onKeyDown={onKey}
        onChange={(event) => take(event.currentTarget)}
      />
      {props.unit && <span class="unit">{props.unit}</span>}
    </span>
  );
}

function shown(value: number): string {
  return String(Number(value.toFixed(6)));
}
