// The canvas component: state, keyboard and life cycle. Its other methods are in the folder map.

import { reactive } from "vue";
import { OverlayList, StatusLine, TilePalette, TimelineBar, ToolButton, template } from "tilewright-map";
import { Picture, View, display, gaming, keys, painting, playback } from "tilewright-map";
import { LANDMARK_TOOLS, LandmarkCard, LandmarkPalette, MarkerLegend } from "tilewright-map";
import { landmarkComputed, landmarkState, landmarks } from "tilewright-map";

const TOOLS = [
  { name: "hand", icon: "back_hand", label: "Move the map", hint: "H, or hold Space" },
  { name: "select", icon: "highlight_alt", label: "Select; Shift adds to the selection", hint: "S" },
  { name: "brush", icon: "brush", label: "Brush", hint: "B" },
  { name: "rectangle", icon: "rectangle", label: "Rectangle", hint: "M" },
  { name: "bucket", icon: "format_color_fill", label: "Fill", hint: "K" },
  { name: "picker", icon: "colorize", label: "Pick a tile", hint: "I, Alt+click or right click" },
  ...LANDMARK_TOOLS,
];
const PAINTING = ["brush", "rectangle", "bucket"];
const BUSY_DELAY = 150; // milliseconds before the busy state is shown

export default {
  template,
  components: {
    OverlayList, StatusLine, TilePalette, TimelineBar, ToolButton, LandmarkCard, LandmarkPalette, MarkerLegend,
  },
  props: { simple: Boolean, overlays: { type: Array, default: () => [] }, suggested: Object },
  emits: ["ready", "paint", "lock", "unlock", "undo", "redo", "regenerate", "film", "look", "landmarks", "sprites"],

  data() {
    return {
      // set by Python
      grid: false, sprites: true, overlayName: "", locking: true, pending: false, busy: false, facts: "",
      tool: this.simple ? "brush" : "hand",
      // the map
      width: 0, height: 0, depth: 1, level: 0, mapKey: "", tiles: [], sheet: null, note: "", painted: 0,
      lockedCount: 0, selectedCount: 0, legend: "", progressNote: "", done: null, isSlow: false,
      // tools
      tile: 0, size: 1, zoom: 8, lastPainting: "brush", isSpaceDown: false, isMenuOpen: false,
      ...landmarkState(),
      // timeline
      frame: 0, frames: 0, frameNote: "", playing: false, isWaiting: false, speed: 1, loop: false,
    };
  },

  computed: {
    tools() {
      const full = ["select", ...LANDMARK_TOOLS.map(({ name }) => name)];
      return this.simple ? TOOLS.filter(({ name }) => !full.includes(name)) : TOOLS;
    },
    ...landmarkComputed,
    overlayOptions() {
      return [{ name: "", label: "none" }, ...this.overlays];
    },
    chosenOverlay() {
      return this.overlayName.split(",")[0];
    },
    overlayLabel() {
      return this.overlayOptions.find(({ name }) => name && name === this.chosenOverlay)?.label ?? "Overlay";
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
      clearTimeout(this.busyTimer);
      this.isSlow = false;
      if (isBusy) this.busyTimer = setTimeout(() => (this.isSlow = true), BUSY_DELAY);
    },
  },

  // Not reactive: values that change with every pointer move, or that hold complete maps.
  created() {
    this.view = new View();
    this.picture = new Picture();
    this.views = new Map();
    this.tilesets = new Map();
    this.sheets = new Map();
    this.pointers = new Map();
    this.pointer = reactive({ x: 0, y: 0, level: 0, tile: "", color: "", room: null, markers: "", isLocked: false });
    this.frameColor = "#34313f";
    this.scene = this.progressLayer = this.timelineLayer = this.overlayLayer = this.timeline = null;
    this.selection = this.gesture = this.hovered = this.drawing = this.game = null;
    this.strokes = [];
    this.editCount = 0; // of markers and rooms
    this.dressing = null; // sprites of the map with the same key
    this.measured = null; // fewest moves of the game on the map with the same key
    this.needsSprites = this.wantsGame = false;
    this.pointedAt = null; // last position of the pointer in the window
    this.strokeCount = this.mapRequest = this.progressRequest = this.overlayRequest = this.frameRequest = 0;
  },

  mounted() {
    this.readTheme();
    this.sizes = new ResizeObserver(() => this.measure());
    this.sizes.observe(this.$refs.field);
    this.themes = new MutationObserver(() => this.readTheme());
    this.themes.observe(document.body, { attributeFilter: ["class", "style"] });
    this.$refs.canvas.addEventListener("wheel", this.wheel, { passive: false });
    window.addEventListener("keydown", this.onKeyDown);
    window.addEventListener("keyup", this.onKeyUp);
    window.addEventListener("blur", this.onKeyUp);
    keys.register(this);
    this.$emit("ready", {});
  },

  beforeUnmount() {
    this.stopGame();
    keys.unregister(this);
    this.sizes.disconnect();
    this.themes.disconnect();
    clearTimeout(this.busyTimer);
    cancelAnimationFrame(this.drawing);
    this.playing = false;
    window.removeEventListener("keydown", this.onKeyDown);
    window.removeEventListener("keyup", this.onKeyUp);
    window.removeEventListener("blur", this.onKeyUp);
  },

  methods: {
    ...display,
    ...gaming,
    ...landmarks,
    ...painting,
    ...playback,

    changeView(change) {
      const { overlay = this.overlayName, grid = this.grid, sprites = this.sprites } = change;
      Object.assign(this, { grid, sprites, overlayName: overlay });
      this.redraw();
      this.$emit("look", { grid, sprites, overlay });
    },

    chooseOverlay(overlay) {
      this.isMenuOpen = false;
      this.changeView({ overlay });
    },

    goToLevel(level) {
      if (level < 0 || level >= this.depth) return;
      this.cancelGesture();
      this.level = level;
      this.updateLayer();
    },

    onKeyDown(event) {
      if (!keys.hasFocus(this) || keys.isTyping(event)) return;
      if (event.key === " ") {
        this.isSpaceDown = true;
        return event.preventDefault();
      }
      const command = keys.commandOf(event);
      if (command && this.runCommand(command)) event.preventDefault();
    },

    onKeyUp(event) {
      if (event.type === "blur" || event.key === " ") this.isSpaceDown = false;
    },

    // Runs a command of a key; returns false if this canvas does not have it.
    runCommand(command) {
      if (this.runLandmarkCommand(command)) return true;
      if (this.tools.some(({ name }) => name === command)) return (this.tool = command), true;
      if (command.startsWith("tile ")) {
        const tile = Number(command.slice(5)) - 1;
        if (tile < this.tiles.length) this.choose(tile);
        return true;
      }
      const common = {
        grid: () => this.changeView({ grid: !this.grid }),
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
      const full = {
        all: this.selectAll,
        lock: this.lockSelection,
        unlock: this.unlockSelection,
        regenerate: () => this.mapKey && this.$emit("regenerate"),
        play: this.togglePlaying,
        game: this.startGame,
        back: () => this.step(-1),
        forward: () => this.step(1),
        up: () => this.goToLevel(this.level + 1),
        down: () => this.goToLevel(this.level - 1),
      };
      const action = common[command] ?? (this.simple ? undefined : full[command]);
      action?.();
      return Boolean(action);
    },
  },
};
