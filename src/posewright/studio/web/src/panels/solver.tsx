// The solver: which one, every solver's answer side by side, several distinct answers to flip through.
import { useEffect, useRef } from "preact/hooks";
import { ask, run } from "../connection";
import { Choice } from "../controls/choice";
import type { ProposalInfo } from "../protocol";
import type { Panel } from "../room/panel";
import { chosenProposal, doc, proposals } from "../store";
import { shownError, shownTime } from "../units";
import { PROPOSAL_COLOURS } from "../viewport/ghosts";
import { leavePath, SearchPath } from "./search_path";

function Body() {
  const { running, wanted, proposals: found, refusals } = proposals.value;
  const chosen = found[chosenProposal.value];
  return (
    <>
      <Choice
        label="solver"
        value={doc.value?.solver ?? ""}
        options={doc.value?.solvers ?? []}
        shown={(name) => name.replaceAll("_", " ")}
        change={(solver) => void run({ kind: "set_solver", solver })}
      />
      <p class="buttons">
        <button type="button" title="Solve the goals from the current pose" onClick={() => void run({ kind: "solve" })}>
          Solve
        </button>
        <button type="button" title="Every solver's answer, from the rest pose" onClick={() => void ask({ kind: "propose", what: "solvers" })}>
          Compare
        </button>
        <button
          type="button"
          title="Several different poses that meet the goals, by Monte Carlo"
          onClick={() => void ask({ kind: "propose", what: "answers" })}
        >
          Other answers
        </button>
        {running && (
          <button type="button" onClick={() => void ask({ kind: "stop_proposing" })}>
            Stop
          </button>
        )}
      </p>
      {running && <progress aria-label="answers found" max={wanted} value={found.length} />}
      {found.length > 0 && <Table found={found} />}
      {chosen !== undefined && (
        <p class="buttons">
          <button type="button" aria-label="Previous answer" onClick={() => flip(-1, found.length)}>
            ‹
          </button>
          <button type="button" aria-label="Next answer" onClick={() => flip(1, found.length)}>
            ›
          </button>
          <button type="button" onClick={() => void ask({ kind: "accept", number: chosenProposal.value })}>
            Accept
          </button>
          <button type="button" onClick={() => void ask({ kind: "reject" })}>
            Reject
          </button>
        </p>
      )}
      {chosen !== undefined && <SearchPath of={chosen} />}
      {refusals.map((refusal) => (
        <p key={refusal} class="why">
          {refusal}
        </p>
      ))}
    </>
  );
}

function flip(by: number, count: number): void {
  leavePath();
  chosenProposal.value = (chosenProposal.value + by + count) % count;
}

function Table({ found }: { found: ProposalInfo[] }) {
  const table = useRef<HTMLTableElement>(null);
  useEffect(() => table.current?.closest(".panel")?.scrollIntoView({ block: "end" }), [found.length]);
  return (
    <table class="answers" aria-label="answers" ref={table}>
      <thead>
        <tr>
          <th scope="col">answer</th>
          <th scope="col">worst</th>
          <th scope="col">time</th>
          <th scope="col" title="iterations">
            it.
          </th>
        </tr>
      </thead>
      <tbody>
        {found.map((one, k) => {
          const missed = one.errors.filter((error) => !error.reached);
          const worst = [...(missed.length > 0 ? missed : one.errors)].sort((a, b) => b.error - a.error)[0];
          return (
            <tr key={k} class={k === chosenProposal.value ? "chosen" : ""} title={one.errors.map((e) => `${e.goal}: ${shownError(e.error, e.unit)}`).join("\n")}>
              <th scope="row">
                <button type="button" aria-pressed={k === chosenProposal.value} onClick={() => flip(k - chosenProposal.value, found.length)}>
                  <i style={{ background: PROPOSAL_COLOURS[k % PROPOSAL_COLOURS.length]! }} />
                  {one.name.replaceAll("_", " ")}
                </button>
              </th>
              <td>{worst === undefined ? "" : `${shownError(worst.error, worst.unit)}${missed.length > 0 ? " missed" : ""}`}</td>
              <td>{shownTime(one.milliseconds)}</td>
              <td>{one.iterations}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

export const solver: Panel = { title: "Solver", body: Body };
