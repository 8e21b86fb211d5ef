// Panels: a title that folds, and a body.
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";

export interface Panel {
  title: string;
  body: ComponentType;
  /** Beside the title, also while the panel is folded. */
  head?: ComponentType;
  /** Folded until it is opened. */
  folded?: boolean;
}

export function PanelColumn(props: { class: string; label: string; panels: Panel[] }) {
  return (
    <aside class={`column ${props.class}`} aria-label={props.label}>
      {props.panels.map((panel) => (
        <PanelBox key={panel.title} panel={panel} />
      ))}
    </aside>
  );
}

function PanelBox({ panel }: { panel: Panel }) {
  const folded = useSignal(panel.folded ?? false);
  const { body: Body, head: Head } = panel;
  return (
    <section class="panel" aria-label={panel.title}>
      <header>
        <h2>
          <button type="button" aria-expanded={!folded.value} onClick={() => (folded.value = !folded.value)}>
            {panel.title}
          </button>
        </h2>
        {Head !== undefined && <Head />}
      </header>
      {!folded.value && (
        <div class="body">
          <Body />
        </div>
      )}
    </section>
  );
}
