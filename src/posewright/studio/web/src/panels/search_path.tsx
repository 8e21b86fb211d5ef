// The path of a search: played, stepped through, with the particles that were drawn on it.
import { effect, signal } from "@preact/signals";
import type { ProposalInfo } from "../protocol";
import { chosenProposal, pathFrame, proposals, showsParticles } from "../store";

const SECONDS = 4; // a path takes about that long
const SLOWEST = 4; // frames per second, however short it is
const FASTEST = 30;

const playing = signal(false);

effect(() => {
  const frames = proposals.value.proposals[chosenProposal.value]?.frames ?? 0;
  if (!playing.value) return;
  const fps = Math.min(FASTEST, Math.max(SLOWEST, frames / SECONDS));
  const began = performance.now();
  const player = setInterval(() => {
    const frame = Math.floor(((performance.now() - began) * fps) / 1000);
    pathFrame.value = frame < frames ? frame : null;
    if (frame >= frames) playing.value = false;
  }, 1000 / FASTEST);
  return () => clearInterval(player);
});

/** Show the answer, not the way to it. */
export function leavePath(): void {
  playing.value = false;
  pathFrame.value = null;
}

export function SearchPath({ of }: { of: ProposalInfo }) {
  if (of.frames < 2) return null;
  const last = of.frames - 1;
  const step = pathFrame.value ?? last;
  return (
    <>
      <p class="buttons">
        <button type="button" aria-pressed={playing.value} onClick={() => (playing.value ? leavePath() : (playing.value = true))}>
          {playing.value ? "Stop path" : "Play path"}
        </button>
        {of.has_particles && (
          <button
            type="button"
            aria-pressed={showsParticles.value}
            title="Random samples of each step of the search"
            onClick={() => (showsParticles.value = !showsParticles.value)}
          >
            Particles
          </button>
        )}
      </p>
      <label class="slider">
        <span>step</span>
        <input
          type="range"
          aria-label="step of the search"
          min={0}
          max={last}
          value={step}
          aria-valuetext={`${step} of ${last}`}
          onInput={(event) => {
            playing.value = false;
            pathFrame.value = event.currentTarget.valueAsNumber;
          }}
        />
        <output>
          {step}/{last}
        </output>
      </label>
    </>
  );
}
