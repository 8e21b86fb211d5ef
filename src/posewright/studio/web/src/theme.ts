// Dark or light: after the system's setting, until the user chooses.
import { effect, signal } from "@preact/signals";

export type Theme = "dark" | "light";

const wanted = matchMedia("(prefers-color-scheme: light)");
export const theme = signal<Theme>(wanted.matches ? "light" : "dark");
wanted.addEventListener("change", () => (theme.value = wanted.matches ? "light" : "dark"));
effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
});
