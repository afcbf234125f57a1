// Components around the map. Each is rendered again only if its props change.

const MAX_CHIPS = 600; // maximum number of tiles in the palette
const CHIP = 20; // edge length of a tile's picture in the palette, in pixels
const SPEEDS = [0.25, 0.5, 1, 2, 4];

export const ToolButton = {
  props: {
    icon: String, text: String, name: String, hint: String, test: String, on: Boolean, disable: Boolean, side: Boolean,
  },
  emits: ["press"],
  template: `
    <q-btn flat dense class="tw-button" :class="{ 'tw-on': on }" :icon="icon" :label="text" :disable="disable"
      :aria-label="name" :aria-pressed="on || null" :data-testid="test" @mousedown.prevent @click="$emit('press')">
      <q-tooltip v-if="side" anchor="center right" self="center left">{{ tooltip }}</q-tooltip>
      <q-tooltip v-else>{{ tooltip }}</q-tooltip>
    </q-btn>`,
  computed: {
    tooltip() {
      return this.hint ? `${this.name} (${this.hint})` : this.name;
    },
  },
};

export const OverlayList = {
  props: { options: Array, chosen: String, test: { type: String, default: "overlay" } },
  emits: ["choose"],
  template: `
    <q-list dense class="tw-overlays" role="listbox" aria-label="Overlay">
      <q-item v-for="one in options" :key="one.name" clickable role="option" :aria-selected="one.name === chosen"
        :active="one.name === chosen" :data-testid="test + '-' + (one.name || 'none')"
        @click="$emit('choose', one.name)">
        <q-item-section>
          <q-item-label>{{ one.label }}</q-item-label>
          <q-item-label v-if="one.summary" caption>{{ one.summary }}</q-item-label>
        </q-item-section>
      </q-item>
    </q-list>`,
};

export const TilePalette = {
  props: { tiles: Array, sheet: Object, tile: Number },
  emits: ["choose"],
  data: () => ({ isOpen: false, isFull: false }),
  template: `
    <div class="tw-palette" :class="{ 'tw-open': isOpen }" v-show="tiles.length">
      <div class="tw-chips" ref="chips" role="listbox" aria-label="Tiles" @wheel="scroll">
        <button v-for="(one, number) in shown" :key="number" class="tw-chip" :class="{ 'tw-on': number === tile }"
          role="option" :aria-selected="number === tile" :data-testid="'tile-' + one.name" :title="title(one, number)"
          @mousedown.prevent @click="$emit('choose', number)">
          <span class="tw-swatch" :style="swatch(one, number)"></span>{{ one.name }}
        </button>
        <span v-if="tiles.length > shown.length" class="tw-faint">
          and {{ tiles.length - shown.length }} more: pick them on the map
        </span>
      </div>
      <tool-button v-if="isFull || isOpen" :icon="isOpen ? 'expand_less' : 'expand_more'"
        :name="isOpen ? 'Fewer tiles' : 'All tiles'" test="all-tiles" @press="isOpen = !isOpen" />
    </div>`,
  computed: {
    shown() {
      return this.tiles.slice(0, MAX_CHIPS);
    },
  },
  mounted() {
    this.sizes = new ResizeObserver(() => this.measure());
    this.sizes.observe(this.$refs.chips);
  },
  beforeUnmount() {
    this.sizes.disconnect();
  },
  watch: {
    tiles() {
      this.$nextTick(() => this.measure());
    },
    tile() {
      const nearest = { block: "nearest", inline: "nearest" };
      this.$nextTick(() => this.$refs.chips.querySelector(".tw-on")?.scrollIntoView(nearest));
    },
  },
  methods: {
    measure() {
      const chips = this.$refs.chips;
      if (!this.isOpen) this.isFull = chips.scrollWidth > chips.clientWidth + 1;
    },
    scroll(event) {
      if (this.isOpen || event.deltaX || !this.isFull) return;
      this.$refs.chips.scrollLeft += event.deltaY;
      event.preventDefault();
    },
    title(tile, number) {
      const key = number < 9 ? ` (${number + 1})` : "";
      return `${tile.name}${key}: ${tile.passable ? "passable" : "impassable"}`;
    },
    swatch({ color }, number) {
      if (!this.sheet) return { background: color };
      const { url, columns, count } = this.sheet.firstPage;
      const [left, top] = [(number % columns) * CHIP, Math.floor(number / columns) * CHIP];
      const size = `${columns * CHIP}px ${Math.ceil(count / columns) * CHIP}px`;
      return { background: `${color} url(${url}) -${left}px -${top}px / ${size}` };
    },
  },
};

export const TimelineBar = {
  props: {
    frame: Number, frames: Number, playing: Boolean, waiting: Boolean, speed: Number, loop: Boolean, ready: Boolean,
  },
  emits: ["play", "go", "step", "speed", "loop"],
  data: () => ({ SPEEDS }),
  template: `
    <div class="tw-film" data-testid="timeline">
      <q-btn flat dense class="tw-button" :icon="playing ? 'pause' : 'play_arrow'" :loading="waiting" :disable="!ready"
        :aria-label="playing ? 'Pause' : 'Play'" data-testid="play" @mousedown.prevent @click="$emit('play')">
        <q-tooltip>{{ playing ? "Pause (P)" : "Play the generation (P)" }}</q-tooltip>
      </q-btn>
      <tool-button icon="chevron_left" name="Previous frame" hint="," :disable="!frames || frame <= 0" test="frame-back"
        @press="$emit('step', -1)" />
      <tool-button icon="chevron_right" name="Next frame" hint="." :disable="!frames || frame >= frames - 1"
        test="frame-forward" @press="$emit('step', 1)" />
      <q-slider v-if="frames" dense class="tw-scrub" :model-value="frame" :min="0" :max="frames - 1" aria-label="Frame"
        data-testid="scrub" @update:model-value="$emit('go', $event)" />
      <span v-else class="tw-scrub tw-faint">
        {{ waiting ? "Recording the generation …" : "Press play to animate the generation" }}
      </span>
      <template v-if="frames">
        <span class="tw-number" data-testid="frame-number">{{ frame + 1 }} / {{ frames }}</span>
        <q-btn flat dense no-caps class="tw-button tw-speed" :label="speed + '×'" aria-label="Speed"
          data-testid="speed" @mousedown.prevent>
          <q-tooltip>Speed</q-tooltip>
          <q-menu class="tw-menu" auto-close>
            <q-list dense>
              <q-item v-for="one in SPEEDS" :key="one" clickable :active="one === speed" @click="$emit('speed', one)">
                <q-item-section>{{ one }}×</q-item-section>
              </q-item>
            </q-list>
          </q-menu>
        </q-btn>
        <tool-button icon="repeat" name="Loop" :on="loop" test="loop" @press="$emit('loop')" />
      </template>
    </div>`,
};

export const StatusLine = {
  props: { pointer: Object, depth: Number, facts: String, note: String, locked: Number, selected: Number },
  template: `
    <div class="tw-status" data-testid="map-status">
      <template v-if="pointer.tile">
        <span class="tw-place" data-testid="hover-place">{{ place }}</span>
        <span class="tw-swatch tw-small" :style="{ background: pointer.color }"></span>
        <span data-testid="hover-tile">{{ pointer.tile }}</span>
        <span v-if="pointer.room !== null" class="tw-faint" data-testid="hover-room">room {{ pointer.room }}</span>
        <span v-if="pointer.markers" class="tw-marker" data-testid="hover-markers">{{ pointer.markers }}</span>
        <q-icon v-if="pointer.isLocked" name="lock" size="13px" class="tw-locked" />
      </template>
      <span v-else class="tw-faint">{{ note }}</span>
      <span class="tw-space"></span>
      <span v-if="selected" class="tw-faint">{{ selected.toLocaleString("en") }} selected</span>
      <span v-if="locked" class="tw-faint">{{ locked.toLocaleString("en") }} locked</span>
      <span class="tw-faint" data-testid="facts">{{ facts }}</span>
    </div>`,
  computed: {
    place() {
      const { x, y, level } = this.pointer;
      return this.depth > 1 ? `${x}, ${y}, level ${level}` : `${x}, ${y}`;
    },
  },
};

for (const part of [TilePalette, TimelineBar]) part.components = { ToolButton };
