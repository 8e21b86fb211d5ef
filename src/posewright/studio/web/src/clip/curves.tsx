// Curves: dofs of the selected joint, or how it moves, over time, before and after, over the lower part of the view.
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { Choice } from "../controls/choice";
import type { CurveInfo, Curves as Told } from "../protocol";
import { theme } from "../theme";
import { clip, frame, seek, showsClip } from "./clip";
import { curves, curvesJoint, curvesOpen } from "./curves_data";

const COLOURS = { dark: ["#ff8a73", "#7cd992", "#79b4ff", "#e7c46a", "#c79bff", "#6fd6d6"], light: ["#b3261e", "#22732b", "#1d57b5", "#8a5a00", "#6b3fb0", "#0b7373"] };
const LEAST = 110; // px
const KINDS: CurveInfo["of"][] = ["dofs", "height", "speed", "jerk"];

export function Curves() {
  const of = useSignal<CurveInfo["of"]>("dofs");
  const height = useSignal(190);
  const all = curves.value?.joint === curvesJoint.value ? curves.value : null;
  const told = useMemo(() => all && { ...all, curves: all.curves.filter((one) => one.of === of.value) }, [all, of.value]);
  if (!curvesOpen.value || !showsClip.value) return null;
  const grow = (by: number) => (height.value = Math.max(LEAST, Math.min(0.7 * innerHeight, height.value + by)));
  return (
    <section class="curves" data-chrome aria-label="Curves" style={{ height: `${height.value}px` }}>
      <span
        class="taller"
        role="separator"
        aria-orientation="horizontal"
        aria-label="height of the curves"
        aria-valuemin={LEAST}
        aria-valuemax={Math.round(0.7 * innerHeight)}
        aria-valuenow={height.value}
        tabIndex={0}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && grow(-event.movementY)}
        onKeyDown={(event) => {
          const by = { ArrowUp: 16, ArrowDown: -16 }[event.key];
          if (by === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          grow(by);
        }}
      />
      <header>
        <h2>{curvesJoint.value}</h2>
        <Choice label="curves of" value={of.value} options={[...KINDS]} change={(next) => (of.value = next as CurveInfo["of"])} />
        <Legend told={told} />
        <button type="button" aria-label="Close the curves" onClick={() => (curvesOpen.value = false)}>
          ×
        </button>
      </header>
      {told === null ? null : told.curves.length === 0 ? <p class="empty">This joint does not move.</p> : <Plot told={told} />}
    </section>
  );
}

function Legend({ told }: { told: Told | null }) {
  const colours = COLOURS[theme.value === "dark" ? "dark" : "light"];
  const at = told === null ? -1 : nearest(told.frames, frame.value);
  return (
    <p class="legend">
      {told?.curves.map((curve, k) => (
        <span key={curve.name}>
          <i style={{ background: colours[k % colours.length] }} />
          {curve.of === "dofs" ? curve.name.slice(told.joint.length + 1) : curve.name} {shown(curve.edited[at], curve.unit)}
        </span>
      ))}
      <span class="quiet">dashed: the source</span>
    </p>
  );
}

function shown(value: number | undefined, unit: CurveInfo["unit"]): string {
  if (value === undefined) return "";
  return unit === "rad" ? `${((180 / Math.PI) * value).toFixed(1)}°` : `${Number(value.toPrecision(3))} ${unit}`;
}

function nearest(frames: number[], at: number): number {
  let best = 0;
  frames.forEach((one, k) => {
    if (Math.abs(one - at) < Math.abs(frames[best]! - at)) best = k;
  });
  return best;
}

function Plot({ told }: { told: Told }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const dark = theme.value === "dark";
  const shape = `${told.joint} ${told.frames.length} ${told.curves.map((one) => one.name).join()} ${dark}`;
  useEffect(() => {
    const own = box.current!;
    const made = new uPlot(options(told, dark, own), data(told), own);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: own.clientWidth, height: own.clientHeight }));
    resized.observe(own);
    return () => {
      resized.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape]);
  useEffect(() => plot.current?.setData(data(told)), [told]);
  useSignalEffect(() => {
    void frame.value;
    plot.current?.redraw(false, false);
  });
  const about = told.curves.map((curve) => `${curve.name} from ${shown(Math.min(...curve.edited), curve.unit)} to ${shown(Math.max(...curve.edited), curve.unit)}`);
  return <div class="plot" ref={box} role="img" aria-label={about.join("; ")} onPointerDown={(event) => seekUnder(event, plot.current)} onPointerMove={(event) => event.buttons === 1 && seekUnder(event, plot.current)} />;
}

function seekUnder(event: PointerEvent, plot: uPlot | null): void {
  if (plot === null || clip.value === null) return;
  const area = plot.over.getBoundingClientRect();
  seek(plot.posToVal(event.clientX - area.left, "x"));
}

const DEGREES = 180 / Math.PI;

/** Frames, then of each dof the source and as edited; angles in degrees. */
function data(told: Told): uPlot.AlignedData {
  const rows = told.curves.flatMap(({ unit, source, edited }) => {
    const factor = unit === "rad" ? DEGREES : 1;
    return [source.map((value) => factor * value), edited.map((value) => factor * value)];
  });
  return [told.frames, ...rows];
}

function options(told: Told, dark: boolean, own: HTMLElement): uPlot.Options {
  const colours = COLOURS[dark ? "dark" : "light"];
  const [text, grid] = dark ? ["#a7b0bb", "#363c43"] : ["#48525d", "#ccd2d9"];
  const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 }, font: "11px system-ui" };
  const units = [...new Set(told.curves.map((curve) => curve.unit))];
  return {
    width: own.clientWidth,
    height: own.clientHeight,
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    scales: { x: { time: false } },
    axes: [
      { ...axis, size: 30 },
      ...units.map((unit, k) => ({
        ...axis,
        scale: unit,
        side: (k === 0 ? 3 : 1) as 1 | 3,
        size: (_: uPlot, ticks: string[] | null) => 18 + 6.5 * Math.max(4, ...(ticks ?? []).map((tick) => tick.length)),
        grid: { show: k === 0, stroke: grid, width: 1 },
        values: (_: uPlot, ticks: number[]) => ticks.map((tick) => (unit === "rad" ? `${+tick.toFixed(2)}°` : `${+tick.toFixed(3)} ${unit}`)),
      })),
    ],
    series: [
      {},
      ...told.curves.flatMap(({ name, unit }, k) => {
        const stroke = colours[k % colours.length]!;
        const common = { scale: unit, stroke, points: { show: false } };
        return [
          { ...common, label: `${name} before`, width: 1, dash: [4, 4], alpha: 0.7 },
          { ...common, label: name, width: 1.8 },
        ];
      }),
    ],
    hooks: {
      draw: [
        (plot) => {
          const x = Math.round(plot.valToPos(frame.peek(), "x", true));
          plot.ctx.fillStyle = dark ? "#e9714f" : "#b8401d";
          plot.ctx.fillRect(x - 1, plot.bbox.top, 2, plot.bbox.height);
        },
      ],
    },
  };
}
