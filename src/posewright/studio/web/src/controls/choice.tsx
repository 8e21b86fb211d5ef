// One of several words.
export function Choice(props: {
  label: string;
  value: string;
  options: string[];
  shown?(option: string): string;
  change(value: string): void;
}) {
  return (
    <label class="choice">
      <span>{props.label}</span>
      <select aria-label={props.label} value={props.value} onChange={(event) => props.change(event.currentTarget.value)}>
        {props.options.map((option) => (
          <option key={option} value={option}>
            {props.shown?.(option) ?? option}
          </option>
        ))}
      </select>
    </label>
  );
}
