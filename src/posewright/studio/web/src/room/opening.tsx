// Opening files: by the Open button, by dropping them anywhere on the page, or from the folder.
import { signal } from "@preact/signals";
import { ask } from "../connection";
import { LARGEST_UPLOAD } from "../protocol";
import { files, tab, toast, uploading } from "../store";

const hovering = signal(false);

/** In the tab Retarget, what is opened is a source or target. */
const beside = () => tab.value === "Retarget";

export async function openFiles(chosen: File[]): Promise<void> {
  const uploads: string[] = [];
  uploading.value += 1;
  try {
    for (const file of chosen) {
      const name = await bring(file);
      if (name === null) return;
      uploads.push(name);
    }
    if (uploads.length > 0) await ask({ kind: "open", uploads, beside: beside() });
  } finally {
    uploading.value -= 1;
  }
}

/** Send a file to the server; what it is called there, or null where it was refused. */
async function bring(file: File): Promise<string | null> {
  if (file.size > LARGEST_UPLOAD) {
    toast(`${file.name} has ${Math.round(file.size / 2 ** 20)} MB; at most ${LARGEST_UPLOAD / 2 ** 20} MB are opened.`);
    return null;
  }
  try {
    const answer = await fetch(`/upload?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
    if (answer.ok) return ((await answer.json()) as { upload: string }).upload;
    toast(await answer.text());
  } catch {
    toast(`${file.name} could not be sent to the server.`);
  }
  return null;
}

export function chooseFiles(): void {
  document.getElementById("open-files")?.click();
}

export function OpenButton() {
  return (
    <label class="open" title="Open files (Ctrl+O), or drop them on the page">
      Open
      <input
        id="open-files"
        type="file"
        multiple
        accept={files.value?.suffixes.join(",")}
        aria-label="Open"
        onChange={(event) => {
          const input = event.currentTarget;
          void openFiles([...(input.files ?? [])]);
          input.value = ""; // the same file may be opened again
        }}
      />
    </label>
  );
}

export function listenToDrops(): void {
  const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragover", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    hovering.value = true;
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) hovering.value = false;
  });
  addEventListener("drop", (event) => {
    hovering.value = false;
    if (!carriesFiles(event)) return;
    event.preventDefault();
    void openFiles([...(event.dataTransfer?.files ?? [])]);
  });
}

export function DropHint() {
  if (!hovering.value) return null;
  return (
    <p class="drop-hint" aria-hidden="true">
      Drop to open{beside() ? " as source or target" : ""}
    </p>
  );
}

/** Files of the folder, each a button. */
export function FolderFiles() {
  const names = files.value?.names ?? [];
  return (
    <>
      <h3>Open from the folder</h3>
      {names.length === 0 && <p class="quiet">Nothing that can be opened: {files.value?.suffixes.join(" ")}</p>}
      <ul class="names">
        {names.map((name) => (
          <li key={name}>
            <button type="button" aria-label={`open ${name}`} onClick={() => void ask({ kind: "open", names: [name], beside: beside() })}>
              {name}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
