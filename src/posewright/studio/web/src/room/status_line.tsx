// The status line. A span per fact, so that each can be read alone.
import { clip, frame, lastFrame } from "../clip/clip";
import type { JobInfo } from "../protocol";
import { readOnly } from "../recording";
import { ask } from "../connection";
import { connected, doc, editing, files, goals, jobs, showsGoals, slow, solvedPose } from "../store";

function saved(at: number | null): string {
  return at === null ? "" : `saved at ${new Date(1000 * at).toLocaleTimeString()}`;
}

/** A long edit of the clip. Nobody knows how many steps it will take, so the bar does not say. The button comes before what grows. */
function Edit() {
  const { what, steps, waiting } = editing.value;
  return (
    <>
      <button type="button" title="Stop; the clip stays as it is (Escape)" onClick={() => void ask({ kind: "stop_editing" })}>
        Stop editing
      </button>
      <span class="editing">
        <progress aria-label="editing the clip" /> {what}: step {steps}
        {waiting > 0 && `, ${waiting} more to come`}
      </span>
    </>
  );
}

/** Files that are read or written for long. */
function Job({ number, doing, step }: JobInfo) {
  return (
    <>
      <button type="button" title="Stop; nothing changes" onClick={() => void ask({ kind: "stop_job", number })}>
        Stop {doing}
      </button>
      <span class="editing">
        <progress aria-label={doing} /> {doing} {step}
      </span>
    </>
  );
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
        doc.value?.dragging ? "dragging" : slow.value && editing.value.what === "" && jobs.value.length === 0 ? "working…" : "",
        doc.value?.unsaved ? "not saved" : saved(files.value?.saved_at ?? null),
      ]
    : ["The server does not answer; trying again."];
  return (
    <div class={`status ${connected.value ? "" : "lost"}`} role="status">
      {facts.filter(Boolean).map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
      {slow.value && editing.value.what !== "" && <Edit />}
      {jobs.value.map((job) => (
        <Job key={job.number} {...job} />
      ))}
    </div>
  );
}
