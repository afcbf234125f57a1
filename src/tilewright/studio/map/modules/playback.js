// Methods of the canvas: playback of the timeline.

import { markRaw } from "vue";
import { tilePixels } from "tilewright-page";
import { Timeline } from "./timeline.js";

const SECONDS = 6; // duration of a timeline at speed 1, within the limits of the frame rate
const [MIN_RATE, MAX_RATE] = [4, 30]; // frames per second

export const playback = {
  film(payload) {
    const isAwaited = this.isWaiting;
    this.isWaiting = false;
    this.playing = false;
    this.timelineLayer = null;
    this.timeline = payload?.frames.length ? new Timeline(payload) : null;
    this.frames = this.timeline?.length ?? 0;
    this.frame = Math.max(0, this.frames - 1);
    for (const [digest, tiles] of Object.entries(payload?.tilesets ?? {}))
      if (!this.tilesets.has(digest)) this.tilesets.set(digest, { tiles: markRaw(tiles), pixels: tilePixels(tiles) });
    this.updateLayer();
    if (this.timeline && isAwaited) this.togglePlaying();
  },

  togglePlaying() {
    if (!this.mapKey || this.isWaiting) return;
    if (!this.timeline) {
      this.isWaiting = true;
      this.$emit("film");
      return;
    }
    this.playing = !this.playing;
    if (!this.playing) return;
    if (this.isLast) this.goTo(0);
    this.playedAt = performance.now();
    requestAnimationFrame(this.play);
  },

  // Shows the next frame when it is due.
  play(now) {
    if (!this.playing || !this.timeline) return;
    const rate = Math.max(MIN_RATE, Math.min(MAX_RATE, this.frames / SECONDS)) * this.speed;
    const passed = Math.floor(((now - this.playedAt) / 1000) * rate);
    if (passed > 0) {
      this.playedAt += (passed * 1000) / rate;
      if (!this.isLast) this.goTo(Math.min(this.frames - 1, this.frame + passed));
      else if (this.loop) this.goTo(0);
      else this.playing = false;
    }
    requestAnimationFrame(this.play);
  },

  step(change) {
    if (!this.timeline) return;
    this.playing = false;
    this.goTo(Math.max(0, Math.min(this.frames - 1, this.frame + change)));
  },

  scrub(number) {
    this.playing = false;
    this.goTo(number);
  },

  // Shows a frame; only the newest request counts.
  async goTo(number) {
    this.frame = number;
    const request = ++this.frameRequest;
    const { timeline } = this;
    if (!timeline || this.isLast) {
      this.timelineLayer = null;
      return this.updateLayer();
    }
    this.cancelGesture();
    const frame = await timeline.open(number);
    if (request !== this.frameRequest || timeline !== this.timeline) return;
    this.timelineLayer = this.withTiles(frame);
    this.frameNote = [frame.stage, frame.note].filter(Boolean).join(": ");
    this.updateLayer();
    if (this.playing && number + 1 < timeline.length - 1) timeline.open(number + 1);
  },
};
