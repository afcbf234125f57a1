// Methods of the canvas: the game on the current map, see `Play`.

import { Play } from "tilewright-page";
import { isTyping } from "./keys.js";

const PHONE = "(max-width: 700px), (max-height: 500px)"; // on phones, the game fills the window

export const gaming = {
  startGame() {
    if (!this.canEdit || this.game) return;
    this.wantsGame = true;
    this.reportSprites();
    if (this.scene.lacksSprites && this.sprites) return; // The game starts when they are there.
    this.cancelGesture();
    this.playing = false;
    const fills = matchMedia(PHONE).matches;
    this.game = new Play(fills ? document.body : this.$refs.field, this.scene, {
      sprites: this.sprites,
      fills,
      back: "Back to editing",
      isTyping,
      onStop: () => {
        this.game = null;
        this.wantsGame = false;
      },
    });
  },

  stopGame() {
    this.game?.stop();
  },
};
