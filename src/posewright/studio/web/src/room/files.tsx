// Files: what can be opened, saving under a name, and sessions that were not saved.
import { useLayoutEffect, useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { ask } from "../connection";
import { doc, drawer, files } from "../store";
import { FolderFiles } from "./opening";

/** A drawer below the top bar, which Escape closes. */
export function Drawer(props: { name: string; children: preact.ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  const open = drawer.value === props.name;
  useLayoutEffect(() => {
    if (open) box.current?.focus();
  }, [open]);
  if (!open) return null;
  const close = () => (drawer.value = "");
  return (
    <section class="help drawer" role="dialog" aria-label={props.name} tabIndex={-1} ref={box} onKeyDown={(event) => event.key === "Escape" && close()}>
      <button type="button" class="close" aria-label={`Close ${props.name}`} onClick={close}>
        ×
      </button>
      {props.children}
    </section>
  );
}

export function FilesDrawer() {
  const known = files.value;
  if (known === null) return null;
  return (
    <Drawer name="files">
      <SaveAs />
      <FolderFiles />
      {known.notices.length > 0 && (
        <ul aria-label="notices">
          {known.notices.map((notice) => (
            <li key={notice}>{notice}</li>
          ))}
        </ul>
      )}
    </Drawer>
  );
}

function SaveAs() {
  const typed = useSignal<string | null>(null);
  const refused = useSignal(false);
  const own = files.value?.project ?? `${doc.value?.title ?? "untitled"}.posewright`;
  const name = typed.value ?? (own.startsWith("/") ? own.slice(own.lastIndexOf("/") + 1) : own); // outside the folder
  const save = async (overwrite: boolean) => {
    const saved = await ask({ kind: "save", name, overwrite });
    refused.value = !saved;
    if (saved) drawer.value = "";
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save(false);
      }}
    >
      <h3>Save as</h3>
      <p class="line">
        <input
          aria-label="project name"
          value={name}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
            refused.value = false;
          }}
        />
        <button type="submit">Save as</button>
        {refused.value && (
          <button type="button" onClick={() => void save(true)}>
            Overwrite
          </button>
        )}
      </p>
      <p class="quiet">In {files.value?.folder ?? "no folder"}.</p>
    </form>
  );
}

/** Sessions that were not saved, in a corner, until they are recovered or discarded. */
export function Recoveries() {
  const known = (files.value?.recoveries ?? []).filter((one) => one.crashed);
  const one = known[0];
  if (one === undefined || doc.value?.undoes != null) return null;
  const when = new Date(1000 * one.when).toLocaleString();
  return (
    <section class="recovery" aria-label="recovery">
      <p>
        Work on {one.title} of {when} was not saved.
      </p>
      <p class="buttons">
        <button type="button" onClick={() => void ask({ kind: "recover", name: one.name })}>
          Recover
        </button>
        <button type="button" onClick={() => void ask({ kind: "discard", name: one.name })}>
          Discard
        </button>
      </p>
    </section>
  );
}
