// A box to type in. What somebody is typing is theirs: nothing that the server sends replaces it before it is told,
// by Enter, by leaving the box or by the arrows of a number.
export default {
  template: `
    <q-input
      :model-value="text"
      :shadow-text="ending"
      @keydown.tab="complete"
      @update:model-value="type"
      @change="tell"
      @blur="tell"
      @keydown.enter="enter"
      @keydown.esc="forget"
    />
  `,
  props: { value: String, id: String, _autocomplete: Array },
  emits: ["commit", "cancel"],
  data() {
    return { text: this.value, isTyping: false };
  },
  watch: {
    value() {
      this.updateValue();
    },
  },
  computed: {
    // What is missing of the first suggestion that starts with the text.
    ending() {
      if (!this.isTyping || !this.text) return "";
      const start = String(this.text).toLowerCase();
      return this._autocomplete?.find((word) => word.startsWith(start))?.slice(start.length) ?? "";
    },
  },
  methods: {
    complete(event) {
      if (!this.ending) return;
      event.preventDefault();
      this.type(this.text + this.ending);
    },
    updateValue() {
      if (!this.isTyping) this.text = this.value;
    },
    type(text) {
      this.text = text;
      this.isTyping = true;
    },
    tell() {
      if (!this.isTyping) return;
      // Of what is no number at all, such as 1e, a browser gives nothing: that must not pass for an emptied box.
      if (this.$el.querySelector("input")?.validity.badInput) return this.forget();
      this.isTyping = false;
      this.$emit("commit", this.text);
    },
    enter(event) {
      if (event.target.tagName !== "TEXTAREA") this.tell();
    },
    forget() {
      this.isTyping = false;
      this.text = this.value;
      this.$emit("cancel");
    },
  },
};
