// An input field. While the user is typing, values from the server do not replace the text. It is committed by Enter,
// by leaving the field or by the arrows of a number.
export default {
  template: `
    <q-input
      :model-value="text"
      :shadow-text="ending"
      @keydown.tab="complete"
      @update:model-value="type"
      @change="commit"
      @blur="commit"
      @keydown.enter="enter"
      @keydown.esc="cancel"
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
    // The rest of the first suggestion that starts with the text.
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
    commit() {
      if (!this.isTyping) return;
      // For an invalid number, such as 1e, the browser returns an empty text, which would reset the field.
      if (this.$el.querySelector("input")?.validity.badInput) return this.cancel();
      this.isTyping = false;
      this.$emit("commit", this.text);
    },
    enter(event) {
      if (event.target.tagName !== "TEXTAREA") this.commit();
    },
    cancel() {
      this.isTyping = false;
      this.text = this.value;
      this.$emit("cancel");
    },
  },
};
