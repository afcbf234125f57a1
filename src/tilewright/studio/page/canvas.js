// The canvas component: its state, its keys, its life. The rest lies in the folder map.

import { reactive } from "vue";
import { FilmLine, StatusLine, TilePalette, ToolButton, template } from "tilewright-map";
import { Picture, View, keys, painting, playing, showing } from "tilewright-map";

const TOOLS = [
  { name: "hand", icon: "back_hand", label: "Move the map", hint: "H, or hold Space" },
  { name: "select", icon: "highlight_alt", label: "Select; Shift adds", hint: "S" },
  { name: "brush", icon: "brush", label: "Brush", hint: "B" },
  { name: "rectangle", icon: "rectangle", label: "Rectangle", hint: "M" },
  { name: "bucket", icon: "format_color_fill", label: "Fill", hint: "K" },
  { name: "picker", icon: "colorize", label: "Pick a tile", hint: "I, Alt+click or right click" },
];
const PAINTING = ["brush", "rectangle", "bucket"];
const PATIENCE = 150; // milliseconds of work before anybody is told of it

export default {
  template,
  components: { FilmLine, StatusLine, TilePalette, ToolButton },
  props: { simple: Boolean, overlays: { type: Array, default: () => [] } },
  emits: ["ready", "paint", "lock", "unlock", "undo", "redo", "regenerate", "film", "look"],

  data() {
    return {
      // what Python sets
      grid: false, sprites: true, overlayName: "", locking: true, pending: false, undo: false, redo: false, busy: false,
      tool: this.simple ? "brush" : "hand",
      // the map
      width: 0, height: 0, depth: 1, level: 0, mapKey: "", tiles: [], sheet: null, note: "", painted: 0,
      lockedCount: 0, selectedCount: 0, legend: "", progressNote: "", done: null, isSlow: false,
      // tools
      tile: 0, size: 1, zoom: 8, lastPainting: "brush", isSpaceDown: false, isMenuOpen: false,
      // timeline
      frame: 0, frames: 0, frameNote: "", playing: false, isWaiting: false, speed: 1, loop: false,
    };
  },

  computed: {
    tools() {
      return this.simple ? TOOLS.filter(({ name }) => name !== "select") : TOOLS;
    },
    offered() {
      return [{ name: "", label: "none" }, ...this.overlays];
    },
    chosenOverlay() {
      return this.overlayName.split(",")[0];
    },
    overlayLabel() {
      return this.offered.find(({ name }) => name && name === this.chosenOverlay)?.label ?? "Overlay";
    },
    isLast() {
      return this.frame >= this.frames - 1;
    },
    isBusy() {
      return Boolean(this.progressNote) || (this.busy && this.isSlow);
    },
    canEdit() {
      return Boolean(this.mapKey) && !this.progressNote && this.isLast;
    },
    cursor() {
      if (this.isSpaceDown || this.tool === "hand" || !this.canEdit) return "grab";
      return this.tool === "picker" ? "pick" : "draw";
    },
    zoomLabel() {
      return `${this.zoom < 10 ? Math.round(this.zoom * 10) / 10 : Math.round(this.zoom)} px`;
    },
    sizeLabel() {
      if (!this.width) return "";
      return [this.width, this.height, ...(this.depth > 1 ? [this.depth] : [])].join(" × ");
    },
  },

  watch: {
    tool(name) {
      if (PAINTING.includes(name)) this.lastPainting = name;
      this.redraw();
    },
    busy(isBusy) {
      clearTimeout(this.patience);
      this.isSlow = false;
      if (isBusy) this.patience = setTimeout(() => (this.isSlow = true), PATIENCE);
    },
  },

  // What changes with every move or holds whole maps is none of Vue's business.
  created() {
    this.view = new View();
    this.picture = new Picture();
    this.views = new Map();
    this.tilesets = new Map();
    this.sheets = new Map();
    this.pointers = new Map();
    this.pointer = reactive({ x: 0, y: 0, level: 0, tile: "", color: "", room: null, markers: "", isLocked: false });
    this.frameColor = "#34313f";
    this.scene = this.work = this.still = this.over = this.reel = this.selection = this.gesture = this.hovered = null;
    this.drawing = null;
    this.strokes = [];
    this.strokeCount = this.turn = this.glance = this.overlayTurn = this.wish = 0;
  },

  mounted() {
    this.readTheme();
    this.sizes = new ResizeObserver(() => this.measure());
    this.sizes.observe(this.$refs.field);
    this.themes = new MutationObserver(() => this.readTheme());
    this.themes.observe(document.body, { attributeFilter: ["class", "style"] });
    this.$refs.canvas.addEventListener("wheel", this.wheel, { passive: false });
    window.addEventListener("keydown", this.pressed);
    window.addEventListener("keyup", this.released);
    window.addEventListener("blur", this.released);
    keys.join(this);
    this.$emit("ready", {});
  },

  beforeUnmount() {
    keys.leave(this);
    this.sizes.disconnect();
    this.themes.disconnect();
    clearTimeout(this.patience);
    cancelAnimationFrame(this.drawing);
    this.playing = false;
    window.removeEventListener("keydown", this.pressed);
    window.removeEventListener("keyup", this.released);
    window.removeEventListener("blur", this.released);
  },

  methods: {
    ...showing,
    ...painting,
    ...playing,

    look(change) {
      const { overlay = this.overlayName, grid = this.grid, sprites = this.sprites } = change;
      Object.assign(this, { grid, sprites, overlayName: overlay });
      this.redraw();
      this.$emit("look", { grid, sprites, overlay });
    },

    goToLevel(level) {
      if (level < 0 || level >= this.depth) return;
      this.dropGesture();
      this.level = level;
      this.stage();
    },

    pressed(event) {
      if (!keys.isMeant(this) || keys.isTyping(event)) return;
      if (event.key === " ") {
        this.isSpaceDown = true;
        return event.preventDefault();
      }
      const word = keys.asked(event);
      if (word && this.obey(word)) event.preventDefault();
    },

    released(event) {
      if (event.type === "blur" || event.key === " ") this.isSpaceDown = false;
    },

    // Do what a key asks for; false where this canvas has no such thing.
    obey(word) {
      if (this.tools.some(({ name }) => name === word)) return (this.tool = word), true;
      if (word.startsWith("tile ")) {
        const tile = Number(word.slice(5)) - 1;
        if (tile < this.tiles.length) this.choose(tile);
        return true;
      }
      const common = {
        grid: () => this.look({ grid: !this.grid }),
        fit: this.fit,
        actual: this.actualSize,
        larger: () => this.stepZoom(1),
        smaller: () => this.stepZoom(-1),
        thinner: () => this.resizeBrush(-1),
        thicker: () => this.resizeBrush(1),
        undo: () => this.$emit("undo"),
        redo: () => this.$emit("redo"),
        escape: this.escape,
      };
      const whole = {
        all: this.selectAll,
        lock: this.lockSelection,
        unlock: this.unlockSelection,
        regenerate: () => this.mapKey && this.$emit("regenerate"),
        play: this.togglePlaying,
        back: () => this.step(-1),
        forward: () => this.step(1),
        up: () => this.goToLevel(this.level + 1),
        down: () => this.goToLevel(this.level - 1),
      };
      const action = common[word] ?? (this.simple ? undefined : whole[word]);
      action?.();
      return Boolean(action);
    },
  },
};
