// The websocket: requests out, replies and poses in. A dropped connection is opened again, and everything is sent anew.
import { batch } from "@preact/signals";
import { previewed, receiveClip } from "./clip/clip";
import { curves } from "./clip/curves_data";
import { modelling } from "./clip/modelling";
import { design, receiveDesign } from "./design/design";
import { receiveRetargetFrames, receiveStaged, retargeting } from "./retarget/retarget";
import { letGo } from "./hand";
import { mark } from "./marks";
import { ParticleFrame, PoseFrame, ProposalFrame } from "./pose_frame";
import { CLIP_FRAME, DESIGNED, PARTICLE_FRAME, PROPOSAL_FRAME, RETARGET_SOURCE, VERSION, type Command, type Reply, type Request } from "./protocol";
import { playRecording, readOnly, recordedBytes } from "./recording";
import { drawAnswer } from "./viewport/view";
import {
  chosenProposal,
  connected,
  doc,
  editing,
  files,
  jobs,
  pathFrame,
  proposalParticles,
  proposalPoses,
  proposals,
  sessionScene,
  solvedPose,
  toast,
  waiting,
} from "./store";

type WithoutId<T> = T extends Request ? Omit<T, "id"> : never;
export type Question = WithoutId<Request>;

let socket: WebSocket | null = null;
let nextId = 1;
let pause = 250; // ms until the next try
const unanswered = new Map<number, (carriedOut: boolean) => void>();

/** Ask the server for something; true if it was carried out. What is refused is told by a toast. */
export function ask(question: Question): Promise<boolean> {
  if (readOnly) toast("This is only to look at: posewright studio opens it for editing.");
  if (socket === null || socket.readyState !== WebSocket.OPEN) return Promise.resolve(false);
  const id = nextId++;
  socket.send(JSON.stringify({ id, ...question }));
  return new Promise((resolve) => {
    unanswered.set(id, resolve);
    waiting.value = unanswered.size;
  });
}

export function run(command: Command): Promise<boolean> {
  return ask({ kind: "run", command });
}

/** What the server has at an address, such as a mesh. */
export async function fetchBytes(address: string): Promise<ArrayBuffer> {
  if (readOnly) return recordedBytes(address);
  const answer = await fetch(`/${address}`);
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer.arrayBuffer();
}

export function connect(): void {
  if (readOnly) return void look();
  socket = new WebSocket(`ws://${location.host}/socket`);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    pause = 250;
    connected.value = true;
  };
  socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
    if (typeof event.data === "string") receive(JSON.parse(event.data) as Reply);
    else receivePoses(event.data);
  };
  socket.onclose = () => {
    connected.value = false;
    letGo();
    for (const id of [...unanswered.keys()]) answer(id, false);
    setTimeout(connect, pause);
    pause = Math.min(2 * pause, 4000);
  };
}

async function look(): Promise<void> {
  connected.value = true;
  try {
    await playRecording({ reply: receive, poses: receivePoses });
  } catch (error) {
    toast(`What there is to see could not be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function receivePoses(bytes: ArrayBuffer): void {
  const kind = new DataView(bytes).getUint32(0, true);
  if (kind === CLIP_FRAME) {
    const which = new DataView(bytes).getUint32(4, true);
    if (which === DESIGNED) receiveDesign(bytes);
    else if (which >= RETARGET_SOURCE) receiveRetargetFrames(bytes);
    else receiveClip(bytes);
  }
  else if (kind === PROPOSAL_FRAME) {
    const { number, frames } = new ProposalFrame(bytes);
    proposalPoses.value = new Map(proposalPoses.value).set(number, frames);
  } else if (kind === PARTICLE_FRAME) {
    const particles = new ParticleFrame(bytes);
    proposalParticles.value = new Map(proposalParticles.value).set(particles.number, particles);
  } else {
    mark("pose");
    solvedPose.value = new PoseFrame(bytes);
  }
  drawAnswer();
}

function receive(reply: Reply): void {
  switch (reply.kind) {
    case "scene":
      if (reply.version !== VERSION) toast("The server is of another version: reload the page.");
      batch(() => {
        sessionScene.value = reply;
        solvedPose.value = null;
        doc.value = null;
      });
      break;
    case "document":
      batch(() => {
        doc.value = reply;
        previewed.value = null;
      });
      break;
    case "editing":
      editing.value = reply;
      break;
    case "jobs":
      jobs.value = reply.jobs;
      break;
    case "curves":
      curves.value = reply;
      break;
    case "modelling":
      modelling.value = reply;
      break;
    case "previewed":
      previewed.value = reply.clip;
      break;
    case "files": {
      const told = files.value?.notices ?? [];
      const known = told.every((one, k) => one === reply.notices[k]) ? told.length : 0; // else the server is another one
      for (const notice of reply.notices.slice(known)) toast(notice);
      files.value = reply;
      break;
    }
    case "proposals":
      batch(() => {
        proposals.value = reply;
        if (reply.proposals.length > 0) return;
        proposalPoses.value = new Map();
        proposalParticles.value = new Map();
        chosenProposal.value = 0;
        pathFrame.value = null;
      });
      break;
    case "retargeting":
      retargeting.value = reply;
      break;
    case "design":
      design.value = reply;
      break;
    case "staged":
      receiveStaged(reply);
      break;
    case "done":
      answer(reply.id, true);
      break;
    case "error":
      toast(reply.message);
      if (reply.id !== null) answer(reply.id, false);
      break;
  }
}

function answer(id: number, carriedOut: boolean): void {
  const resolve = unanswered.get(id);
  unanswered.delete(id);
  waiting.value = unanswered.size;
  resolve?.(carriedOut);
}
