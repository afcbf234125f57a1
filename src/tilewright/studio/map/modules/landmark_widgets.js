// Parts of the canvas for markers and rooms: the legend, the names to choose from, and the card of the selection.

const ICON = 20; // edge length of an icon in pixels
const MAX_PROPERTIES = 20; // rows that the card shows

// Returns the style of an icon of a row of pictures.
function iconStyle({ url, side, colors }, icon) {
  return { background: `url(${url}) -${icon * ICON}px 0 / ${colors.length * ICON}px ${ICON}px` };
}

export const MarkerLegend = {
  props: { kinds: Array, icons: Object, hidden: Array, highlighted: String, opened: Boolean },
  emits: ["highlight", "hide"],
  data: () => ({ wasOpened: null }), // null until the user opens or closes the legend
  template: `
    <div v-if="kinds.length" class="tw-legend" data-testid="marker-legend">
      <button class="tw-legend-head" :aria-expanded="isOpen" data-testid="legend-toggle" @mousedown.prevent
        @click="wasOpened = !isOpen">
        {{ total === 1 ? "1 marker" : total + " markers" }}
        <q-icon :name="isOpen ? 'expand_less' : 'expand_more'" size="16px" />
      </button>
      <ul v-if="isOpen">
        <li v-for="one in kinds" :key="one.name" :class="{ 'tw-on': one.name === highlighted,
          'tw-hidden': hidden.includes(one.name) }" :data-testid="'legend-' + one.name">
          <button class="tw-legend-name" :aria-pressed="one.name === highlighted" :title="'Highlight ' + one.name"
            @mousedown.prevent @click="$emit('highlight', one.name)">
            <span class="tw-icon" :style="style(one.icon)"></span>
            <span class="tw-legend-word">{{ one.name }}</span><span class="tw-faint">{{ one.count }}</span>
          </button>
          <button class="tw-legend-eye" :aria-label="(hidden.includes(one.name) ? 'Show ' : 'Hide ') + one.name"
            @mousedown.prevent @click="$emit('hide', one.name)">
            <q-icon :name="hidden.includes(one.name) ? 'visibility_off' : 'visibility'" size="16px" />
          </button>
        </li>
      </ul>
    </div>`,
  computed: {
    isOpen() {
      return this.wasOpened ?? this.opened;
    },
    total() {
      return this.kinds.reduce((sum, { count }) => sum + count, 0);
    },
  },
  methods: {
    style(icon) {
      return iconStyle(this.icons, icon);
    },
  },
};

export const LandmarkPalette = {
  props: { tool: String, suggested: Object, kinds: Array, icons: Object, name: String },
  emits: ["tool", "choose"],
  data: () => ({ TOOLS: [["marker", "place", "Markers"], ["room", "meeting_room", "Rooms"]] }),
  template: `
    <div class="tw-palette tw-markers" data-testid="landmark-palette">
      <div class="tw-kinds" role="group" aria-label="Markers or rooms">
        <button v-for="[one, icon, label] in TOOLS" :key="one" class="tw-chip" :class="{ 'tw-on': one === tool }"
          :aria-pressed="one === tool" :data-testid="'edit-' + one + 's'" @mousedown.prevent @click="$emit('tool', one)">
          <q-icon :name="icon" size="18px" />{{ label }}
        </button>
      </div>
      <span v-if="tool === 'room'" class="tw-faint tw-usage">
        Drag to draw a room. Drag a room to move it, or a corner to resize it. Tiles stay as they are.
      </span>
      <div v-if="tool === 'marker'" class="tw-chips" role="group" aria-label="Name of the next marker">
        <button v-for="one in choices" :key="one.name" class="tw-chip" :class="{ 'tw-on': one.name === name }"
          :aria-pressed="one.name === name" :data-testid="'marker-' + one.name" @mousedown.prevent
          @click="$emit('choose', one.name)">
          <span class="tw-icon" :style="one.style"></span>{{ one.name }}
        </button>
      </div>
      <input v-if="tool === 'marker'" class="tw-name" :value="isOther ? name : ''" placeholder="other name"
        maxlength="100" aria-label="Other name of the next marker" data-testid="marker-other"
        @change="type($event.target.value)" @keydown.enter="$event.target.blur()" />
    </div>`,
  computed: {
    choices() {
      const { names, numbers } = this.suggested;
      const own = this.kinds.filter((one) => !names.includes(one.name));
      return [
        ...own.map(({ name, icon }) => ({ name, style: iconStyle(this.icons, icon) })),
        ...names.map((name, number) => ({ name, style: iconStyle(this.suggested, numbers[number]) })),
      ];
    },
    isOther() {
      return !this.choices.some(({ name }) => name === this.name);
    },
  },
  mounted() {
    this.$el.querySelector(".tw-chips .tw-on")?.scrollIntoView({ inline: "center", block: "nearest" });
  },
  methods: {
    type(text) {
      if (text.trim()) this.$emit("choose", text.trim());
    },
  },
};

export const LandmarkCard = {
  props: { chosen: Object, icons: Object, names: Array },
  emits: ["change", "remove", "close"],
  data: () => ({ name: "", rows: [] }),
  template: `
    <form class="tw-card-box" data-testid="landmark-card" @submit.prevent="done">
      <div class="tw-card-row">
        <template v-if="isMarker">
          <span class="tw-icon" :style="style"></span>
          <input ref="name" class="tw-name" v-model="name" maxlength="100" aria-label="Name of the marker"
            list="tw-marker-names" data-testid="landmark-name" @change="rename" />
          <datalist id="tw-marker-names"><option v-for="one in names" :key="one" :value="one"></option></datalist>
        </template>
        <template v-else>
          <b data-testid="landmark-room">room {{ chosen.number }}</b>
          <input ref="name" class="tw-name" v-model="name" maxlength="100" placeholder="name"
            aria-label="Name of the room" data-testid="landmark-name" @change="renameRoom(name.trim())" />
        </template>
        <span class="tw-faint tw-card-place" data-testid="landmark-place">{{ place }}</span>
        <button v-if="isMarker" type="button" class="tw-card-button" aria-label="Add a property" title="Add a property"
          data-testid="add-property" @click="addRow"><q-icon name="playlist_add" size="20px" /></button>
        <button type="button" class="tw-card-button" aria-label="Remove" title="Remove (Delete)"
          data-testid="remove-landmark" @click="$emit('remove')"><q-icon name="delete_outline" size="20px" /></button>
        <button type="button" class="tw-card-button" aria-label="Close" title="Close (Escape)"
          data-testid="close-landmark" @click="$emit('close')"><q-icon name="close" size="20px" /></button>
      </div>
      <div v-for="(row, number) in rows" :key="number" class="tw-card-row">
        <input class="tw-name" v-model="row.name" placeholder="property" maxlength="200" aria-label="Name of a property"
          :data-testid="'property-name-' + number" @change="save" />
        <input class="tw-name" v-model="row.text" placeholder="value" maxlength="1000" aria-label="Value of a property"
          :data-testid="'property-value-' + number" @change="save" />
        <button type="button" class="tw-card-button" aria-label="Remove the property" @click="removeRow(number)">
          <q-icon name="remove" size="20px" /></button>
      </div>
      <button type="submit" hidden></button>
    </form>`,
  computed: {
    isMarker() {
      return this.chosen.kind === "marker";
    },
    style() {
      return iconStyle(this.icons, this.icons.numbers[this.chosen.number] ?? 0);
    },
    place() {
      const [first, x, y, high] = this.chosen.item;
      return this.isMarker ? `${x}, ${y}` : `${y} × ${high} at ${first}, ${x}`;
    },
    savedName() {
      return (this.isMarker ? this.chosen.item[0] : this.chosen.item[4]) ?? "";
    },
    key() {
      return JSON.stringify([this.chosen.kind, this.chosen.number, this.chosen.item[4]]);
    },
  },
  watch: {
    key: { immediate: true, handler: "readRows" },
    // A map that arrives while the user types a name must not replace what was typed.
    savedName: { immediate: true, handler(saved) { this.name = saved; } },
  },
  methods: {
    readRows() {
      const properties = this.isMarker ? Object.entries(this.chosen.item[4] ?? {}) : [];
      this.rows = properties.slice(0, MAX_PROPERTIES).map(([name, value]) => ({ name, value, text: String(value) }));
    },
    focusName() {
      this.$refs.name?.focus();
      this.$refs.name?.select();
    },
    done() {
      document.activeElement?.blur?.(); // sends a changed field
    },
    rename() {
      const name = this.name.trim();
      if (!name) this.name = this.savedName;
      else if (name !== this.savedName) this.$emit("change", [name, ...this.chosen.item.slice(1)]);
    },
    renameRoom(name) {
      this.$emit("change", [...this.chosen.item.slice(0, 4), ...(name ? [name] : [])]);
    },
    addRow() {
      this.rows.push({ name: "", value: "", text: "" });
      this.$nextTick(() => this.$el.querySelector(`[data-testid=property-name-${this.rows.length - 1}]`)?.focus());
    },
    removeRow(number) {
      this.rows.splice(number, 1);
      this.save();
    },
    save() {
      const [name, x, y, level, before = {}] = this.chosen.item;
      const left = Object.entries(before).slice(MAX_PROPERTIES);
      const shown = this.rows.filter((row) => row.name.trim() && row.text.trim());
      // A value that was not edited keeps its type.
      const value = (row) => (row.text === String(row.value) ? row.value : parseValue(row.text.trim()));
      const properties = Object.fromEntries([...shown.map((row) => [row.name.trim(), value(row)]), ...left]);
      if (JSON.stringify(properties) === JSON.stringify(before)) return;
      this.$emit("change", [name, x, y, level, properties]);
    },
  },
};

// Returns a typed value: true, false, a number or a string.
function parseValue(text) {
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d+(\.\d+)?$/.test(text) && Number.isFinite(Number(text)) ? Number(text) : text;
}
