// The top bar: tabs, what is open, and what can be done at any time.
import { useSignalEffect } from "@preact/signals";
import { action } from "../actions";
import { keyOf } from "../key_maps";
import { doc, drawer, files, helpOpen, tab } from "../store";
import { readOnly, shown, shows } from "../recording";
import { TABS } from "../tabs";
import { theme } from "../theme";
import { ExportDrawer } from "./export";
import { FilesDrawer } from "./files";
import { Help } from "./help";
import { OpenButton } from "./opening";

export function TopBar() {
  useSignalEffect(() => {
    const title = files.value?.project ?? doc.value?.title ?? "";
    document.title = `${doc.value?.unsaved ? "* " : ""}${title}${title && " · "}Posewright`;
  });
  if (readOnly) return <ViewingBar />;
  return (
    <header class="top">
      <h1 class="brand">Posewright</h1>
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
        {files.value?.project ?? doc.value?.title}
        {doc.value?.unsaved ? " *" : ""}
      </span>
      <OpenButton />
      <ActionButton name="Save" about={files.value?.project} />
      <button type="button" aria-expanded={drawer.value === "files"} onClick={() => (drawer.value = drawer.value === "files" ? "" : "files")}>
        Files
      </button>
      <button type="button" aria-expanded={drawer.value === "export"} title="Export (Ctrl+E)" onClick={action("Export").run}>
        Export
      </button>
      <ActionButton name="Undo" about={doc.value?.undoes} />
      <ActionButton name="Redo" about={doc.value?.redoes} />
      <HelpAndTheme />
      <Help />
      <FilesDrawer />
      <ExportDrawer />
    </header>
  );
}

/** Where there is nothing to edit: what is shown, and which of several. */
function ViewingBar() {
  return (
    <header class="top">
      <h1 class="brand">Posewright</h1>
      {shows.value.length > 1 ? (
        <select aria-label="file" value={shown.value} onChange={(event) => (shown.value = Number(event.currentTarget.value))}>
          {shows.value.map((name, k) => (
            <option key={k} value={k}>
              {name}
            </option>
          ))}
        </select>
      ) : (
        <span class="title">{doc.value?.title}</span>
      )}
      <span class="room-to-grow" />
      <HelpAndTheme />
      <Help />
    </header>
  );
}

function HelpAndTheme() {
  return (
    <>
      <button type="button" aria-expanded={helpOpen.value} title="Keys (?)" onClick={() => (helpOpen.value = !helpOpen.value)}>
          Help
        </button>
        <button type="button" onClick={() => (theme.value = theme.value === "dark" ? "light" : "dark")}>
          {theme.value === "dark" ? "Light" : "Dark"}
        </button>
    </>
  );
}

function ActionButton({ name, about }: { name: string; about: string | null | undefined }) {
  const one = action(name);
  const title = `${name}${about ? ` ${about}` : ""} (${keyOf(one)})`;
  return (
    <button type="button" aria-label={name} title={title} disabled={!one.can()} onClick={one.run}>
      {name}
    </button>
  );
}
