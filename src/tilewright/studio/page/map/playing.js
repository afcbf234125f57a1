// Methods of the canvas: the timeline.

import { markRaw } from "vue";
import { Film } from "./film.js";
import { pixelsOf } from "./picture.js";

const SECONDS = 6; // that a film takes at its usual speed, if that is neither too slow nor too fast
const [SLOWEST, FASTEST] = [4, 30]; // frames a second

export const playing = {
  film(told) {
    const isAwaited = this.isWaiting;
    this.isWaiting = false;
    this.playing = false;
    this.still = null;
    this.reel = told?.frames.length ? new Film(told) : null;
    this.frames = this.reel?.length ?? 0;
    this.frame = Math.max(0, this.frames - 1);
    for (const [digest, tiles] of Object.entries(told?.tilesets ?? {}))
      if (!this.tilesets.has(digest)) this.tilesets.set(digest, { tiles: markRaw(tiles), pixels: pixelsOf(tiles) });
    this.stage();
    if (this.reel && isAwaited) this.togglePlaying();
  },

  togglePlaying() {
    if (!this.mapKey || this.isWaiting) return;
    if (!this.reel) {
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

  // The next frame, when it is time for it.
  play(now) {
    if (!this.playing || !this.reel) return;
    const rate = Math.max(SLOWEST, Math.min(FASTEST, this.frames / SECONDS)) * this.speed;
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
    if (!this.reel) return;
    this.playing = false;
    this.goTo(Math.max(0, Math.min(this.frames - 1, this.frame + change)));
  },

  scrub(number) {
    this.playing = false;
    this.goTo(number);
  },

  // Look at a frame; the newest wish wins.
  async goTo(number) {
    this.frame = number;
    const wish = ++this.wish;
    const { reel } = this;
    if (!reel || this.isLast) {
      this.still = null;
      return this.stage();
    }
    this.dropGesture();
    const frame = await reel.open(number);
    if (wish !== this.wish || reel !== this.reel) return;
    this.still = this.dressed(frame);
    this.frameNote = [frame.stage, frame.note].filter(Boolean).join(": ");
    this.stage();
    if (this.playing && number + 1 < reel.length - 1) reel.open(number + 1);
  },
};
