// Heatmap of an archive: a cell for each pair of bins, colored by the objective of its best map. The mouse, a finger or
// the arrow keys inspect cells; a drag, or Shift with the arrow keys, selects a rectangle.
const STOPS = [[72, 60, 130], [128, 62, 142], [190, 74, 122], [226, 108, 76], [242, 165, 65], [250, 219, 122]];
const HOVER_DELAY = 60;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const MAX_TICKS = 4;

const colorOf = (share) => {
  const place = Math.min(Math.max(share, 0), 1) * (STOPS.length - 1);
  const first = Math.min(Math.floor(place), STOPS.length - 2);
  const mix = STOPS[first].map((part, at) => Math.round(part + (STOPS[first + 1][at] - part) * (place - first)));
  return `rgb(${mix.join(" ")})`;
};

const format = (number) => {
  const digits = Math.abs(number) >= 100 || Number.isInteger(number) ? 0 : 3;
  return digits ? String(Number(number.toPrecision(digits))) : Math.round(number).toLocaleString("en");
};

export default {
  template: `
    <div class="tw-heat" data-testid="heatmap" :data-filled="filled" :data-columns="columns" :data-rows="rows"
      :data-cell="cursor && cursor.join(',')" :data-selected="box && box.join(',')">
      <div class="tw-heat-name tw-heat-up" aria-hidden="true"><span>{{ scene.yLabel }}</span></div>
      <div class="tw-heat-ticks tw-heat-up" aria-hidden="true">
        <span v-for="tick in ticks(scene.yEdges)" :style="{ bottom: tick.place }">{{ tick.text }}</span>
      </div>
      <div class="tw-heat-plot" ref="plot" tabindex="0" role="application" aria-roledescription="heatmap"
        :aria-label="label" :style="{ '--columns': columns, '--rows': rows, touchAction: selects ? 'none' : 'manipulation' }"
        @pointerdown="press" @pointermove="move" @pointerup="release" @pointercancel="cancel" @pointerleave="leave"
        @keydown="type" @focus="focus">
        <canvas ref="canvas"></canvas>
        <div v-if="box" class="tw-heat-box" :style="frame(box)"></div>
        <div v-if="scene.best" class="tw-heat-best" :style="frame([...scene.best, ...scene.best])"></div>
        <div v-if="pointed" class="tw-heat-cursor" :style="frame([...pointed, ...pointed])"></div>
        <slot></slot>
      </div>
      <div class="tw-heat-ticks tw-heat-along" aria-hidden="true">
        <span v-for="tick in ticks(scene.xEdges)" :style="{ left: tick.place }">{{ tick.text }}</span>
      </div>
      <div class="tw-heat-name tw-heat-along" aria-hidden="true"><span>{{ scene.xLabel }}</span></div>
      <div class="tw-heat-scale" v-if="scene.low !== null">
        <span>{{ shownValue(scene.low) }}</span><i :style="{ background: gradient }"></i>
        <span>{{ shownValue(scene.high) }}</span><span class="tw-faint">{{ scene.objective }}</span>
      </div>
      <div class="tw-unseen" role="status">{{ said }}</div>
    </div>
  `,
  props: { selects: Boolean },
  emits: ["ready", "inspect", "open", "select"],
  data() {
    return {
      scene: { values: [], xEdges: [], yEdges: [], xLabel: "", yLabel: "", objective: "", low: null, high: null,
        sign: 1, best: null },
      columns: 20, rows: 20, cursor: null, hovered: null, box: null, said: "",
    };
  },
  computed: {
    filled() {
      return this.scene.values.filter((value) => value !== null).length;
    },
    pointed() {
      return this.hovered ?? this.cursor;
    },
    gradient() {
      const parts = STOPS.map((_, at) => colorOf(at / (STOPS.length - 1)));
      return `linear-gradient(90deg, ${parts.join(", ")})`;
    },
    label() {
      return `Heatmap of ${this.scene.xLabel} and ${this.scene.yLabel}: ${this.filled} of ${this.columns * this.rows} `
        + "cells have a map. Arrow keys inspect cells, Shift and an arrow key select, Enter opens a map.";
    },
  },
  mounted() {
    this.drag = null;
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.$refs.plot);
    this.$emit("ready");
  },
  unmounted() {
    this.observer.disconnect();
  },
  methods: {
    // -- from the server
    show(scene) {
      const isOther = scene.key !== this.scene.key;
      this.scene = scene;
      [this.columns, this.rows] = scene.shape;
      if (isOther) [this.cursor, this.hovered, this.box, this.said] = [null, null, null, ""];
      this.$nextTick(() => this.draw());
    },
    clearSelection() {
      this.select(null);
    },
    place(x, y) {  // center of a cell in the window, for tests
      const { left, top, width, height } = this.$refs.plot.getBoundingClientRect();
      return [left + ((x + 0.5) / this.columns) * width, top + (1 - (y + 0.5) / this.rows) * height];
    },

    // -- display
    draw() {
      const { plot, canvas } = this.$refs;
      if (!plot) return;
      const ratio = window.devicePixelRatio || 1;
      const [width, height] = [plot.clientWidth * ratio, plot.clientHeight * ratio].map(Math.round);
      if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
      const pen = canvas.getContext("2d");
      pen.clearRect(0, 0, width, height);
      const { values, low, high } = this.scene;
      const gap = width / this.columns > 8 * ratio ? ratio : 0;
      values.forEach((value, at) => {
        if (value === null) return;
        const [x, y] = [Math.floor(at / this.rows), at % this.rows];
        const left = Math.round((x * width) / this.columns);
        const right = Math.round(((x + 1) * width) / this.columns);
        const top = Math.round(((this.rows - 1 - y) * height) / this.rows);
        const bottom = Math.round(((this.rows - y) * height) / this.rows);
        pen.fillStyle = colorOf(high > low ? (value - low) / (high - low) : 1);
        pen.fillRect(left, top, right - left - gap, bottom - top - gap);
      });
    },
    frame([left, bottom, right, top]) {
      return {
        left: `${(100 * left) / this.columns}%`, bottom: `${(100 * bottom) / this.rows}%`,
        width: `${(100 * (right - left + 1)) / this.columns}%`, height: `${(100 * (top - bottom + 1)) / this.rows}%`,
      };
    },
    ticks(edges) {
      const bins = edges.length - 1;
      if (bins < 1) return [];
      const step = Math.max(1, Math.round(bins / MAX_TICKS));
      const places = [];
      for (let at = 0; at <= bins; at += step) places.push(at);
      if (places.at(-1) !== bins) bins - places.at(-1) < step / 2 ? places.splice(-1, 1, bins) : places.push(bins);
      return places.map((at) => ({ place: `${(100 * at) / bins}%`, text: format(edges[at]) }));
    },
    shownValue(value) {
      return format(this.scene.sign * value);
    },
    describe([x, y]) {
      const { xEdges, yEdges, xLabel, yLabel, objective } = this.scene;
      if (xEdges.length < 2) return "";
      const value = this.valueAt([x, y]);
      const range = (edges, at) => `${format(edges[at])} to ${format(edges[at + 1])}`;
      const found = value === null ? "no map" : `${objective} ${this.shownValue(value)}`;
      return `${xLabel} ${range(xEdges, x)}, ${yLabel} ${range(yEdges, y)}: ${found}`;
    },
    valueAt([x, y]) {
      return this.scene.values[x * this.rows + y] ?? null;
    },

    // -- actions
    cellAt(event) {
      const { left, top, width, height } = this.$refs.plot.getBoundingClientRect();
      const x = Math.floor(((event.clientX - left) / width) * this.columns);
      const y = this.rows - 1 - Math.floor(((event.clientY - top) / height) * this.rows);
      return [Math.min(Math.max(x, 0), this.columns - 1), Math.min(Math.max(y, 0), this.rows - 1)];
    },
    inspect(cell) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.$emit("inspect", cell), HOVER_DELAY);
    },
    select(box) {
      this.box = box;
      this.$emit("select", box);
    },
    selectTo([x, y]) {
      const [fromX, fromY] = this.drag.from;
      this.box = [Math.min(x, fromX), Math.min(y, fromY), Math.max(x, fromX), Math.max(y, fromY)];
    },
    press(event) {
      if (event.button > 0) return;
      this.drag = { from: this.cellAt(event), isMoved: false };
      if (event.pointerType === "mouse" || this.selects) this.$refs.plot.setPointerCapture(event.pointerId);
    },
    move(event) {
      const cell = this.cellAt(event);
      const canSelect = event.pointerType === "mouse" || this.selects;
      if (this.drag && canSelect && (this.drag.isMoved || String(cell) !== String(this.drag.from))) {
        this.drag.isMoved = true;
        this.selectTo(cell);
      } else if (event.pointerType === "mouse" && String(cell) !== String(this.hovered)) {
        this.hovered = cell;
        this.inspect(cell);
      }
    },
    release(event) {
      const drag = this.drag;
      this.drag = null;
      if (!drag) return;
      if (drag.isMoved) return this.select(this.box);
      this.cursor = drag.from;
      this.hovered = null;
      this.inspect(this.cursor);
      if (this.box) this.select(null);
      else if (event.pointerType === "mouse" && this.valueAt(drag.from) !== null) this.$emit("open", drag.from);
    },
    cancel() {
      this.drag = null;
    },
    leave() {
      if (this.drag || !this.hovered) return;
      this.hovered = null;
      this.inspect(this.cursor);
    },
    focus() {
      if (!this.$refs.plot.matches(":focus-visible") || this.cursor) return;
      this.goTo(this.scene.best ?? [0, 0]);
    },
    goTo(cell) {
      this.cursor = cell;
      this.hovered = null;
      this.said = this.describe(cell);
      this.inspect(cell);
    },
    type(event) {
      const step = STEPS[event.key];
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (step) {
        const [x, y] = this.cursor ?? this.scene.best ?? [0, 0];
        const cell = [x + step[0], y + step[1]];
        cell[0] = Math.min(Math.max(cell[0], 0), this.columns - 1);
        cell[1] = Math.min(Math.max(cell[1], 0), this.rows - 1);
        if (event.shiftKey) {
          if (!this.anchor || !this.box) this.anchor = [x, y];
          this.drag = { from: this.anchor };
          this.selectTo(cell);
          this.drag = null;
          this.select(this.box);
        }
        this.goTo(cell);
      } else if (event.key === "Enter" && this.cursor && this.valueAt(this.cursor) !== null) {
        this.$emit("open", this.cursor);
      } else if (event.key === "Escape" && this.box) {
        this.select(null);
      } else return;
      event.preventDefault();
      event.stopPropagation();
    },
  },
};
