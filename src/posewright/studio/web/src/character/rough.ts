// A mesh in far fewer triangles, for while things move where the processor draws: points that are near each other, look to the
// same side and are moved by the same joint come together at one of them.
import { Box3, BufferAttribute, BufferGeometry, Vector3 } from "three";

const FEW = 8000; // triangles that are never too many
const [MOST_CELLS, FEWEST_CELLS] = [80, 24]; // along the diagonal of the mesh
const UV_CELLS = 16; // along a side of a picture: what lies far apart in it stays apart
const WELDED = 1e-5; // of the diagonal: points so near are the same one

/** Each part anew; null: all parts together have few. */
export function roughParts(parts: BufferGeometry[]): (BufferGeometry | null)[] {
  const all = parts.reduce((sum, part) => sum + part.index!.count / 3, 0);
  if (all <= FEW) return parts.map(() => null);
  const box = new Box3();
  for (const part of parts) box.union(new Box3().setFromBufferAttribute(part.getAttribute("position") as BufferAttribute));
  const welded = parts.map((part) => new Welded(part, box));
  for (let cells = MOST_CELLS; ; ) {
    const found = welded.map((one) => one.joined(cells));
    const count = found.reduce((sum, one) => sum + one.index!.count / 3, 0);
    if (count <= FEW || cells <= FEWEST_CELLS) return found;
    cells = Math.max(FEWEST_CELLS, 0.9 * cells * Math.sqrt(FEW / count));
  }
}

/** Numbers for keys, from 0 on. */
class Numbers extends Map<number, number> {
  of(key: number): number {
    let found = this.get(key);
    if (found === undefined) this.set(key, (found = this.size));
    return found;
  }
}

/** A part whose points at one place are one: a picture's seams and sharp edges do not come apart. */
class Welded {
  private readonly size: number; // diagonal of all parts
  private readonly place: Uint32Array; // of each point
  private readonly places: number[] = []; // x, y, z from the corner of the box
  private readonly normals: number[] = []; // their sums
  private readonly joints: number[] = []; // that move them most
  private readonly points: number[] = []; // one at each place

  constructor(
    private readonly part: BufferGeometry,
    box: Box3,
  ) {
    this.size = box.getSize(new Vector3()).length();
    const at = part.getAttribute("position") as BufferAttribute;
    const normal = part.getAttribute("normal") as BufferAttribute;
    const [joint, weight] = [part.getAttribute("skinIndex") as BufferAttribute, part.getAttribute("skinWeight") as BufferAttribute];
    this.place = new Uint32Array(at.count);
    const known = new Numbers();
    for (let k = 0; k < at.count; k++) {
      const [x, y, z] = [at.getX(k) - box.min.x, at.getY(k) - box.min.y, at.getZ(k) - box.min.z];
      const place = (this.place[k] = known.of(key([x, y, z], WELDED * this.size, 1 << 17)));
      if (place === this.points.length) {
        let heaviest = 0;
        for (let j = 1; j < 4; j++) if (weight.getComponent(k, j) > weight.getComponent(k, heaviest)) heaviest = j;
        this.points.push(k);
        this.places.push(x, y, z);
        this.normals.push(0, 0, 0);
        this.joints.push(joint.getComponent(k, heaviest));
      }
      for (let axis = 0; axis < 3; axis++) this.normals[3 * place + axis]! += normal.getComponent(k, axis);
    }
  }

  /** So many cells along the diagonal: what is alike in a cell comes together. */
  joined(cells: number): BufferGeometry {
    const owner = this.owners(cells);
    const uv = this.part.getAttribute("uv") as BufferAttribute | undefined;
    const made = new Numbers(); // a point for each place, side and part of the picture
    const [shapes, looks]: [number[], number[]] = [[], []]; // points of the part that each is made from
    const turned = new Uint32Array(this.place.length);
    const normal = this.part.getAttribute("normal") as BufferAttribute;
    for (let k = 0; k < turned.length; k++) {
      const place = owner[this.place[k]!]!;
      const side = octant([normal.getX(k), normal.getY(k), normal.getZ(k)]);
      const [u, v] = uv === undefined ? [0, 0] : [uv.getX(k), uv.getY(k)].map((x) => Math.floor(UV_CELLS * x) & (UV_CELLS - 1));
      const number = (turned[k] = made.of(((place * 8 + side) * UV_CELLS + u!) * UV_CELLS + v!));
      if (number < looks.length) continue;
      shapes.push(this.points[place]!);
      looks.push(k);
    }
    const found = new BufferGeometry();
    const given = this.part.index!.array;
    const triangles: number[] = [];
    for (let k = 0; k < given.length; k += 3) {
      const corners = [turned[given[k]!]!, turned[given[k + 1]!]!, turned[given[k + 2]!]!] as const;
      const [a, b, c] = corners.map((one) => shapes[one]!);
      if (a !== b && b !== c && c !== a) triangles.push(...corners);
    }
    found.setIndex(triangles);
    for (const [name, own] of Object.entries(this.part.attributes)) {
      found.setAttribute(name, picked(own as BufferAttribute, name === "uv" || name === "color" || name === "normal" ? looks : shapes));
    }
    return found;
  }

  /** For each place the one that stands for its cell: the nearest to their middle. */
  private owners(cells: number): Uint32Array {
    const known = new Numbers();
    const sums: number[] = []; // x, y, z and how many, per cell
    const place = (k: number): [number, number, number] => [this.places[3 * k]!, this.places[3 * k + 1]!, this.places[3 * k + 2]!];
    const cell = Uint32Array.from(this.points, (_, k) => {
      const side = octant([this.normals[3 * k]!, this.normals[3 * k + 1]!, this.normals[3 * k + 2]!]);
      const own = known.of((key(place(k), this.size / cells, 1 << 8) * 8 + side) * 65536 + this.joints[k]!);
      if (4 * own === sums.length) sums.push(0, 0, 0, 0);
      place(k).forEach((value, axis) => (sums[4 * own + axis]! += value));
      sums[4 * own + 3]! += 1;
      return own;
    });
    const best = new Uint32Array(known.size);
    const gaps = new Float64Array(known.size).fill(Infinity);
    cell.forEach((own, k) => {
      const gap = Math.hypot(...place(k).map((value, axis) => value - sums[4 * own + axis]! / sums[4 * own + 3]!));
      if (gap < gaps[own]!) [gaps[own], best[own]] = [gap, k];
    });
    return cell.map((own) => best[own]!);
  }
}

/** A number for a cell of some side, fewer than `most` along each axis. */
function key(at: [number, number, number], side: number, most: number): number {
  return at.reduce((sum, value) => sum * most + Math.min(most - 1, Math.floor(value / side)), 0);
}

/** To which of eight sides something looks. */
function octant(normal: [number, number, number]): number {
  return normal.reduce((sum, value) => 2 * sum + (value > 0 ? 1 : 0), 0);
}

/** Some of the points of an attribute. */
function picked({ array, itemSize: size, normalized }: BufferAttribute, points: number[]): BufferAttribute {
  const made = new (array.constructor as Float32ArrayConstructor)(size * points.length);
  points.forEach((point, k) => made.set(array.subarray(size * point, size * (point + 1)), size * k));
  return new BufferAttribute(made, size, normalized);
}
