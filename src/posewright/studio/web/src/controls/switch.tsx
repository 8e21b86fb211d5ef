// On or off.
export function Switch(props: { label: string; on: boolean; change(on: boolean): void }) {
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      aria-checked={props.on}
      aria-label={props.label}
      title={props.label}
      onClick={() => props.change(!props.on)}
    />
  );
}
