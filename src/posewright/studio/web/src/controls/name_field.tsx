// A name that can be changed; what is refused leaves it as it was.

export function NameField(props: { name: string; rename(to: string): Promise<boolean> }) {
  const change = async (field: HTMLInputElement) => {
    const next = field.value.trim();
    if (next === "" || next === props.name || !(await props.rename(next))) field.value = props.name;
  };
  return (
    <label class="choice">
      <span>name</span>
      <input
        type="text"
        value={props.name}
        maxLength={100}
        onKeyDown={(event) => event.key === "Escape" && (event.currentTarget.value = props.name)}
        onChange={(event) => void change(event.currentTarget)}
      />
    </label>
  );
}
