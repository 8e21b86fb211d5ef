// Toasts: sentences of the library about what was refused. Text only.
import { dismiss, toasts } from "../store";

export function Toasts() {
  return (
    <div class="toasts" role="alert">
      {toasts.value.map((one) => (
        <p key={one.id}>
          {one.text}
          <button type="button" aria-label="Dismiss" onClick={() => dismiss(one.id)}>
            ×
          </button>
        </p>
      ))}
    </div>
  );
}
