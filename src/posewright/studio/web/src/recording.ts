// A page without a server to ask: it shows what was recorded, from beside it or from inside itself, and edits nothing.
import { batch, signal } from "@preact/signals";
import type { Block, RecordingInfo } from "./protocol";

const inside = document.getElementById("recording");
const beside = document.querySelector<HTMLMetaElement>('meta[name="recording"]');

/** Whether there is nothing to edit here. */
export const readOnly = inside !== null || beside !== null;
/** What can be looked at, and which of it is. */
export const shows = signal<string[]>([]);
export const shown = signal(0);

let info: RecordingInfo | null = null;
let bytes = new ArrayBuffer(0);
let data = 0; // where it begins

async function recorded(): Promise<ArrayBuffer> {
  if (inside === null) {
    const answer = await fetch(beside!.content);
    if (!answer.ok) throw new Error((await answer.text()).trim());
    return answer.arrayBuffer();
  }
  const packed = Uint8Array.from(atob(inside.textContent.trim()), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/** What a server would send; poses and meshes as copies, which begin where numbers may. */
export interface Receiver {
  reply(reply: RecordingInfo["shows"][0]["scene"] | RecordingInfo["shows"][0]["document"]): void;
  poses(message: ArrayBuffer): void;
}

export async function playRecording(receiver: Receiver): Promise<void> {
  bytes = await recorded();
  const length = new DataView(bytes).getUint32(0, true);
  info = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length))) as RecordingInfo;
  data = 4 + length;
  shows.value = info.shows.map((one) => one.name);
  shown.subscribe((number) => {
    const one = info!.shows[number]!;
    batch(() => {
      receiver.reply(one.scene);
      receiver.reply(one.document);
      for (const block of one.poses) receiver.poses(copy(block));
    });
  });
}

/** What was recorded at an address. */
export function recordedBytes(address: string): ArrayBuffer {
  const found = info?.shows.find((one) => one.scene.mesh === address)?.mesh;
  if (found == null) throw new Error(`${address} was not recorded`);
  return copy(found);
}

function copy(block: Block): ArrayBuffer {
  return bytes.slice(data + block.start, data + block.start + block.count);
}
