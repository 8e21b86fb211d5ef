// Exporting: what, under which name, into the folder or as a download.
import { useSignal } from "@preact/signals";
import { ask } from "../connection";
import { Choice } from "../controls/choice";
import { doc, files, tab } from "../store";
import { Drawer } from "./files";

const OF_CLIPS = ["Edit", "Retarget"]; // tabs

export function ExportDrawer() {
  const chosen = useSignal("");
  const typed = useSignal<string | null>(null);
  const refused = useSignal(false);
  const known = files.value?.exports ?? [];
  const usual = OF_CLIPS.includes(tab.value) ? known.find((each) => each.title.startsWith("the clip")) : undefined;
  const one = known.find((each) => each.name === chosen.value) ?? usual ?? known[0];
  if (one === undefined) return null;
  const name = typed.value ?? `${doc.value?.title ?? "untitled"}${one.suffix}`;
  const write = async (overwrite: boolean) => {
    const own = typed.value === null && !overwrite ? null : name;
    refused.value = !(await ask({ kind: "export", what: one.name, name: own, overwrite }));
  };
  return (
    <Drawer name="export">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void write(false);
        }}
      >
        <h3>Export</h3>
        <Choice
          label="export as"
          value={one.name}
          options={known.map((each) => each.name)}
          shown={(each) => known.find((other) => other.name === each)?.title ?? each}
          change={(next) => {
            chosen.value = next;
            typed.value = null;
            refused.value = false;
          }}
        />
        <p class="line">
          <input
            aria-label="export name"
            value={name}
            onInput={(event) => {
              typed.value = event.currentTarget.value;
              refused.value = false;
            }}
          />
        </p>
        <p class="buttons">
          <button type="submit">Export to folder</button>
          {refused.value && (
            <button type="button" onClick={() => void write(true)}>
              Overwrite
            </button>
          )}
          {one.suffix !== "" && (
            <a class="button" href={`/export/${encodeURIComponent(one.name)}`} download={name}>
              Download
            </a>
          )}
        </p>
        <p class="quiet">{files.value?.folder}</p>
      </form>
    </Drawer>
  );
}
