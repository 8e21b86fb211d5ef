// The top bar: tabs, what is open, and what can be done at any time.
import { useSignal, useSignalEffect } from "@preact/signals";
import { action, ACTIONS } from "../actions";
import { doc, tab } from "../store";
import { TABS } from "../tabs";
import { theme } from "../theme";

export function TopBar() {
  const help = useSignal(false);
  useSignalEffect(() => {
    const title = doc.value?.title ?? "";
    document.title = `${doc.value?.unsaved ? "* " : ""}${title}${title && " · "}Posewright`;
  });
  return (
    <header class="top">
      <strong class="brand">Posewright</strong>
      <div class="tabs" role="tablist" aria-label="workflow">
        {TABS.map(({ name }, k) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={tab.value === name}
            aria-controls="tab-panel"
            tabIndex={tab.value === name ? 0 : -1}
            onClick={() => (tab.value = name)}
            onKeyDown={(event) => {
              const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
              if (step === undefined) return;
              event.preventDefault();
              tab.value = TABS[(k + step + TABS.length) % TABS.length]!.name;
              const own = event.currentTarget.parentElement!;
              (own.children[TABS.findIndex((one) => one.name === tab.value)] as HTMLElement).focus();
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <span class="title">
        {doc.value?.title}
        {doc.value?.unsaved ? " *" : ""}
      </span>
      <ActionButton name="Undo" about={doc.value?.undoes} />
      <ActionButton name="Redo" about={doc.value?.redoes} />
      <button type="button" aria-expanded={help.value} onClick={() => (help.value = !help.value)}>
        Help
      </button>
      <button type="button" onClick={() => (theme.value = theme.value === "dark" ? "light" : "dark")}>
        {theme.value === "dark" ? "Light" : "Dark"}
      </button>
      {help.value && <Help />}
    </header>
  );
}

function ActionButton({ name, about }: { name: string; about: string | null | undefined }) {
  const one = action(name);
  const title = `${name}${about ? ` ${about}` : ""} (${one.key})`;
  return (
    <button type="button" aria-label={name} title={title} disabled={!one.can()} onClick={one.run}>
      {name}
    </button>
  );
}

function Help() {
  return (
    <section class="help" aria-label="keys">
      <dl>
        {ACTIONS.map((one) => (
          <div key={one.name}>
            <dt>
              <kbd>{one.key}</kbd>
            </dt>
            <dd>{one.name}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>Escape</kbd>
          </dt>
          <dd>Cancel a drag</dd>
        </div>
        <div>
          <dt>
            <kbd>Arrows</kbd>
          </dt>
          <dd>Move the goal by 1 cm (with Shift by 10)</dd>
        </div>
      </dl>
    </section>
  );
}
