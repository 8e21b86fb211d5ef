// The mesh of a character as it arrives (mesh_file.py): a header, then numbers and pictures in one buffer.
import type { Block, MeshInfo } from "../protocol";

export class MeshFile {
  readonly info: MeshInfo;
  private readonly data: number; // where it begins

  constructor(private readonly bytes: ArrayBuffer) {
    const length = new DataView(bytes).getUint32(0, true);
    this.info = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length))) as MeshInfo;
    this.data = 4 + length;
  }

  float32(block: Block): Float32Array<ArrayBuffer> {
    return new Float32Array(this.bytes, this.data + block.start, block.count);
  }

  int16(block: Block): Int16Array<ArrayBuffer> {
    return new Int16Array(this.bytes, this.data + block.start, block.count);
  }

  uint16(block: Block): Uint16Array<ArrayBuffer> {
    return new Uint16Array(this.bytes, this.data + block.start, block.count);
  }

  uint32(block: Block): Uint32Array<ArrayBuffer> {
    return new Uint32Array(this.bytes, this.data + block.start, block.count);
  }

  uint8(block: Block): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.bytes, this.data + block.start, block.count);
  }
}
