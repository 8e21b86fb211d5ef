// The status line. A span per fact, so that each can be read alone.
import { clip, frame, lastFrame } from "../clip/clip";
import { readOnly } from "../recording";
import { connected, doc, files, goals, showsGoals, slow, solvedPose } from "../store";

function saved(at: number | null): string {
  return at === null ? "" : `saved at ${new Date(1000 * at).toLocaleTimeString()}`;
}

export function StatusLine() {
  const on = goals.value.filter((goal) => goal.enabled);
  const reached = on.filter((goal) => goal.reached).length;
  const facts = readOnly
    ? ["to look at", clip.value === null ? "" : `frame ${frame.value}/${lastFrame.value}`]
    : connected.value
    ? [
        doc.value?.solver ?? "",
        solvedPose.value === null ? "" : `${solvedPose.value.milliseconds.toFixed(1)} ms`,
        !showsGoals.value ? "" : `reached ${reached} of ${on.length}`,
        clip.value === null ? "" : `frame ${frame.value}/${lastFrame.value}`,
        doc.value?.dragging ? "dragging" : slow.value ? "working…" : "",
        doc.value?.unsaved ? "not saved" : saved(files.value?.saved_at ?? null),
      ]
    : ["The server does not answer; trying again."];
  return (
    <div class={`status ${connected.value ? "" : "lost"}`} role="status">
      {facts.filter(Boolean).map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </div>
  );
}
