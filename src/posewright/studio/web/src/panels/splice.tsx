// The splice: its parts with their colours, what each is blended from, and another donor for it.
import { ask, run } from "../connection";
import { Choice } from "../controls/choice";
import { Switch } from "../controls/switch";
import { design } from "../design/design";
import type { SampleInfo, SetDesign, SplicedInfo } from "../protocol";
import type { Panel } from "../room/panel";
import { goals, tab } from "../store";
import { shownError } from "../units";

const BLEND = "blend";
const AS_NEEDED = "as needed";
const LEVELS = [AS_NEEDED, "limb", "limb+spine", "whole"];
type Level = NonNullable<SetDesign["recruiting"]>[string];

function Body() {
  const result = design.value?.result ?? null;
  if (result === null) {
    return <p class="empty">A posture is spliced from the database for the goals of the tab Pose, part by part, and refined to meet them.</p>;
  }
  const missed = result.errors.filter((one) => !one.reached);
  return (
    <>
      <p>{missed.length === 0 ? "Every goal is reached." : `${missed.length} of ${result.errors.length} goals are missed.`}</p>
      {missed.map((one) => (
        <p key={one.goal} class="why">
          {one.goal} missed by {shownError(one.error, one.unit)}
        </p>
      ))}
      <p class="buttons">
        <button type="button" class="main" title="Use this pose" onClick={accept}>
          Accept
        </button>
      </p>
      <div role="table" aria-label="parts">
        {result.parts.map((part) => (
          <Part key={part.name} part={part} />
        ))}
        <div class="part" role="row" aria-label="part the rest">
          <span class="name" role="cell">
            <i style={{ background: result.rest_colour }} /> the rest
          </span>
          <span class="joints" role="cell">
            {result.rest}
          </span>
        </div>
      </div>
      {result.warnings.map((warning) => (
        <p key={warning} class="why">
          {warning}
        </p>
      ))}
      <p class="empty">
        Spliced in {result.splice_ms} ms, refined in {Math.max(0, result.milliseconds - result.splice_ms).toFixed(1)} ms.
      </p>
    </>
  );
}

function accept(): void {
  void ask({ kind: "take_design" }).then((taken) => {
    if (taken) tab.value = "Pose";
  });
}

function Part({ part }: { part: SplicedInfo }) {
  const named = (sample: SampleInfo) => `${sample.clip} ${sample.frame}`;
  const about = (id: string) => {
    if (id === BLEND) return `blend of ${part.samples.length}`;
    const sample = part.samples.find((one) => String(one.posture) === id);
    return sample === undefined ? `posture ${id}` : `${named(sample)} (${sample.weight.toFixed(2).replace(/^-(?=0\.00$)/, "")})`;
  };
  const donor = part.donor === null ? BLEND : String(part.donor);
  const options = [...new Set([BLEND, donor, ...part.samples.map((one) => String(one.posture))])];
  const { joints } = part;
  return (
    <div class="part" role="row" aria-label={`part ${part.name}`}>
      <span class="name" role="cell">
        <i style={{ background: part.colour }} /> {part.name}
      </span>
      <span class="joints" role="cell" title={joints.join(", ")}>
        {joints.length > 3 ? `${joints.slice(0, 2).join(", ")} … ${joints.at(-1)}` : joints.join(", ")}
      </span>
      <span role="cell">
        {part.samples.length > 0 ? (
          <Choice
            label="donor"
            value={donor}
            options={options}
            shown={about}
            change={(id) => void run({ kind: "set_donor", part: part.name, posture: id === BLEND ? null : Number(id) })}
          />
        ) : (
          <span class="joints">placed by its goals</span>
        )}
      </span>
    </div>
  );
}

function Recruiting() {
  const told = design.value;
  if (told === null) return <p class="empty">Nothing to design yet.</p>;
  return (
    <>
      <p class="line">
        <span>keep the rest of the pose</span>
        <Switch label="keep the rest of the pose" on={told.keep_rest} change={(keep_rest) => void run({ kind: "set_design", keep_rest })} />
      </p>
      <p class="empty">How much of the body is spliced for a goal:</p>
      {goals.value
        .filter((goal) => goal.enabled)
        .map(({ name }) => (
          <Choice
            key={name}
            label={name}
            value={told.recruiting[name] ?? AS_NEEDED}
            options={LEVELS}
            change={(level) => void run({ kind: "set_design", recruiting: { [name]: level === AS_NEEDED ? null : (level as Level) } })}
          />
        ))}
    </>
  );
}

export const splice: Panel = { title: "Splice", body: Body };
export const recruiting: Panel = { title: "Recruiting", body: Recruiting };
