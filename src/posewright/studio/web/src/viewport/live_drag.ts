// A drag as the server sees it: begun, moved live (one request under way, the newest place next), ended or cancelled.
import { signal } from "@preact/signals";
import { ask } from "../connection";
import type { Command } from "../protocol";
import { doc, mode, select, symmetric, type Vec3 } from "../store";

export type Turn = [number, number, number, number]; // xyzw

export interface Held {
  name: string;
  target: Vec3 | null;
  turn: Turn | null;
}

/** The goal in the user's hand and where it is wanted: shown there at once, whatever the server does. */
export const held = signal<Held | null>(null);

/** Settled when the last drag is over on the server too: what undoes it waits for this. */
export let lastDrag: Promise<unknown> = Promise.resolve();

const SOON = 50; // ms
let asked = -Infinity; // when the answer that is not there yet was asked for, ms

/** Whether the server will soon have answered the last move. */
export const answerIsDue = (): boolean => performance.now() - asked < SOON;

export class LiveDrag {
  private readonly begun: Promise<boolean>;
  private wanted: { target: Vec3 | null; turn: Turn | null } | null = null;
  private sending = false;
  private over = false;

  /** Take hold of a goal, or of the one that a command makes. */
  constructor(
    private name: string | null,
    first: Command | null,
  ) {
    const known = new Set(doc.value?.goals.map((goal) => goal.name));
    const goals = name === null ? [] : [name];
    const begin = { kind: "begin_drag", first, goals, mode: mode.value, symmetric: symmetric.value } as const;
    const asked = lastDrag.then(() => ask(begin)); // the one before may still be ending
    this.begun = asked.then((accepted) => {
      if (accepted && first !== null) {
        const made = doc.value!.goals.find((goal) => !known.has(goal.name)); // the first one: a partner comes after it
        this.name = made?.name ?? null;
        if (this.name !== null) select("goal", this.name);
      }
      if (accepted) void this.send();
      return accepted;
    });
  }

  move(target: Vec3 | null, turn: Turn | null): void {
    this.wanted = { target, turn };
    if (this.name !== null) held.value = { name: this.name, target, turn };
    void this.send();
  }

  end(): void {
    this.over = true;
    lastDrag = this.begun.then(async (accepted) => {
      if (accepted) {
        void this.ask();
        await ask({ kind: "end_drag" });
      }
      held.value = null;
    });
  }

  cancel(): void {
    this.over = true;
    held.value = null;
    lastDrag = this.begun.then((accepted) => accepted && ask({ kind: "cancel_drag" }));
  }

  private async send(): Promise<void> {
    if (this.sending || !(await this.begun) || this.sending) return;
    this.sending = true;
    while (this.wanted !== null && !this.over) await this.ask();
    this.sending = false;
  }

  private ask(): Promise<boolean> {
    const wanted = this.wanted;
    this.wanted = null;
    if (wanted === null || this.name === null) return Promise.resolve(false);
    const { target, turn } = wanted;
    asked = performance.now();
    return ask({
      kind: "move_drag",
      targets: target === null ? {} : { [this.name]: target },
      turns: turn === null ? {} : { [this.name]: [turn[3], turn[0], turn[1], turn[2]] },
    }).finally(() => (asked = -Infinity));
  }
}
