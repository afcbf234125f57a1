// Frames of the timeline. They are decoded when they are shown, because those of a large map need too much memory.

import { Sheet, decodeArray, decodeCells } from "tilewright-page";

const MAX_DECODED = 48;

export class Timeline {
  constructor({ frames, tilesets, sheets }) {
    this.frames = frames;
    this.tilesets = tilesets;
    this.sheets = new Map(Object.entries(sheets).map(([digest, sheet]) => [digest, Sheet.of(sheet)])); // promises
    this.opened = new Map(); // by number; the least recently used is first
  }

  get length() {
    return this.frames.length;
  }

  // Returns a frame with decoded cells and colors. The last frame is the map itself and is not opened.
  async open(number) {
    const known = this.opened.get(number);
    this.opened.delete(number);
    const opening = known ?? this.decode(this.frames[number]);
    this.opened.set(number, opening);
    if (this.opened.size > MAX_DECODED) this.opened.delete(this.opened.keys().next().value);
    return opening;
  }

  async decode(frame) {
    const [decoded, sheet] = await Promise.all([decodeFrame(frame), this.sheets.get(frame.sheet)]);
    return { ...decoded, sheet };
  }
}

export async function decodeFrame(frame) {
  const [cells, colors, looks] = await Promise.all([
    frame.cells ? decodeCells(frame.cells, frame.bits) : null,
    frame.colors ? decodeArray(frame.colors) : null,
    frame.looks ? decodeCells(frame.looks, 16) : null,
  ]);
  return { ...frame, cells, colors, looks };
}
