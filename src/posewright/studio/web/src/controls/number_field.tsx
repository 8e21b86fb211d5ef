// A number that can be typed, or changed by the arrows; sent when it is done, not at every letter.
export function NumberField(props: {
  label: string;
  value: number;
  step: number;
  min?: number;
  max?: number;
  unit?: string;
  change(value: number): void;
}) {
  const take = (field: HTMLInputElement) => {
    const value = field.valueAsNumber;
    if (Number.isFinite(value) && field.validity.valid && value !== props.value) props.change(value);
    else field.value = shown(props.value);
  };
  const step = (event: KeyboardEvent) => {
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (direction === undefined) return;
    event.preventDefault(); // a step of the field itself would refuse numbers between steps
    const next = Math.min(props.max ?? Infinity, Math.max(props.min ?? -Infinity, props.value + direction * props.step));
    if (next !== props.value) props.change(Number(next.toFixed(9)));
  };
  return (
    <label class="number">
      <span>{props.label}</span>
      <input
        type="number"
        aria-label={props.label}
        value={shown(props.value)}
        step="any"
        min={props.min}
        max={props.max}
        onKeyDown={step}
        onChange={(event) => take(event.currentTarget)}
      />
      {props.unit && <span class="unit">{props.unit}</span>}
    </label>
  );
}

function shown(value: number): string {
  return String(Number(value.toFixed(6)));
}
