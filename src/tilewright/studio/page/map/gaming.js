// Methods of the canvas: the game on the current map, see `Play`.

import { Play } from "tilewright-page";
import { isTyping } from "./keys.js";

const PHONE = "(max-width: 700px)"; // on phones, the game fills the window

export const gaming = {
  startGame() {
    if (!this.canEdit || this.game) return;
    this.cancelGesture();
    this.playing = false;
    const fills = matchMedia(PHONE).matches;
    this.game = new Play(fills ? document.body : this.$refs.field, this.scene, {
      sprites: this.sprites,
      fills,
      back: "Back to editing",
      isTyping,
      onStop: () => (this.game = null),
    });
  },

  stopGame() {
    this.game?.stop();
  },
};
