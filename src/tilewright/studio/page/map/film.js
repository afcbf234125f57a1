// The frames of the work. They stay packed until they are looked at: all of a large map's would not fit.

import { unpacked, unpackedCells } from "./packing.js";

const MOST_UNPACKED = 48;

export class Film {
  constructor({ frames, tilesets }) {
    this.frames = frames;
    this.tilesets = tilesets;
    this.opened = new Map(); // by number; the one used last stands last
  }

  get length() {
    return this.frames.length;
  }

  // A frame's cells and colours; the last frame is the map itself, and not asked for here.
  async open(number) {
    const known = this.opened.get(number);
    this.opened.delete(number);
    const opening = known ?? unpackedFrame(this.frames[number]);
    this.opened.set(number, opening);
    if (this.opened.size > MOST_UNPACKED) this.opened.delete(this.opened.keys().next().value);
    return opening;
  }
}

export async function unpackedFrame(frame) {
  const [cells, colors] = await Promise.all([
    frame.cells ? unpackedCells(frame.cells, frame.bits) : null,
    frame.colors ? unpacked(frame.colors) : null,
  ]);
  return { ...frame, cells, colors };
}
