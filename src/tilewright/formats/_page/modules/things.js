// The things on a map that a game draws as figures: what moves or is taken, and tiles whose picture is only a color.

import { drawFigure, hasFigure } from "./figures.js";
import { drawMarkers } from "./marks.js";
import { clearCells } from "./roles.js";
import { positionOf } from "./steps.js";

const TARGETS = { crate_on_target: "target", player_on_target: "target" }; // what remains in their cells

export class Things {
  // `moving` has the roles of things that the game draws itself, in its states, and `taken` those of things that can be
  // taken. The cells of both are cleared, with the ground of the cells of a mask.
  constructor(scene, { moving, taken = [], isNear }) {
    const { cells, tiles, markers, icons, width, height, game } = scene;
    this.size = { width, height };
    this.still = []; // [role, cell]
    this.markers = { markers: [], icons: icons && { ...icons, numbers: [] }, hasNames: false };
    const cleared = [];
    const add = (role, place) => {
      const shown = TARGETS[role] ?? role;
      if (!moving.includes(shown) && hasFigure(shown)) this.still.push([shown, place]);
    };
    cells.forEach((tile, place) => {
      const { role, plain } = tiles[tile];
      const isCleared = [...moving, ...taken].includes(role) || role in TARGETS || (plain && hasFigure(role));
      if (!isCleared) return;
      cleared.push(place);
      add(role, place);
    });
    markers.forEach((marker, number) => {
      const [name, x, y] = marker;
      const role = game.markers[name];
      if (role && (moving.includes(role) || hasFigure(role))) return add(role, y * width + x);
      this.markers.markers.push(marker);
      this.markers.icons.numbers.push(icons.numbers[number]);
    });
    clearCells(scene, cleared, isNear);
  }

  // Draws all things except those that were removed.
  draw(pen, view, isRemoved = () => false) {
    if (this.markers.markers.length) drawMarkers(pen, view, this.markers, 0);
    const { left, top, right, bottom } = view.visible;
    for (const [role, place] of this.still) {
      const [x, y] = positionOf(this.size, place);
      const isVisible = x >= left && x < right && y >= top && y < bottom;
      if (isVisible && !isRemoved(role, place)) drawFigure(pen, view, role, [x, y]);
    }
  }
}
