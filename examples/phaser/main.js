// Show a TMJ map of Tilewright: index.html shows level.tmj, index.html?map=cave.tmj another file.
"use strict";

const FILE = new URLSearchParams(location.search).get("map") ?? "level.tmj";
const PIXELS_PER_SECOND = 600;

const setText = (id, text) => { document.getElementById(id).textContent = text; };

class Level extends Phaser.Scene {
  preload() {
    // The map names the pictures of its tilesets, which are in the same folder.
    this.load.on("filecomplete-tilemapJSON-level", (key, type, tmj) => {
      for (const tileset of tmj.tilesets) {
        this.load.image(tileset.name, new URL(tileset.image, new URL(FILE, location)).href);
      }
    });
    this.load.on("loaderror", (file) => setText("about", `cannot load ${file.url}`));
    this.load.tilemapTiledJSON("level", FILE);
  }

  create() {
    const map = this.map = this.make.tilemap({ key: "level" });
    if (!map.layers.length) {
      return;
    }
    const tilesets = map.tilesets.map((tileset) => map.addTilesetImage(tileset.name));
    for (const layer of map.layers) {
      map.createLayer(layer.name, tilesets);
    }
    for (const marker of map.getObjectLayer("markers")?.objects ?? []) {
      this.add.circle(marker.x, marker.y, map.tileWidth * 0.4).setStrokeStyle(2, 0xffffff);
      this.add.text(marker.x, marker.y - map.tileHeight, marker.name, { fontSize: "14px" }).setOrigin(0.5);
    }
    this.keys = this.input.keyboard.createCursorKeys();
    this.input.on("pointermove", (pointer) => this.point(pointer));
    this.input.on("wheel", (pointer, over, dx, dy) => this.zoom(dy > 0 ? 0.8 : 1.25));
    this.scale.on("resize", () => this.fit());
    this.fit();
    setText("about", `${map.width} x ${map.height} tiles, ${FILE}`);
  }

  // Fit the complete map into the window.
  fit() {
    const { width, height } = this.scale;
    const { widthInPixels, heightInPixels } = this.map;
    const camera = this.cameras.main;
    camera.setZoom(Math.min(width / widthInPixels, height / heightInPixels));
    camera.centerOn(widthInPixels / 2, heightInPixels / 2);
  }

  zoom(factor) {
    const camera = this.cameras.main;
    camera.setZoom(Phaser.Math.Clamp(camera.zoom * factor, 0.05, 8));
  }

  // Drag the map, or show the name of the tile under the pointer.
  point(pointer) {
    const camera = this.cameras.main;
    if (pointer.isDown) {
      camera.scrollX -= (pointer.x - pointer.prevPosition.x) / camera.zoom;
      camera.scrollY -= (pointer.y - pointer.prevPosition.y) / camera.zoom;
      return;
    }
    const { x, y } = camera.getWorldPoint(pointer.x, pointer.y);
    // The topmost tile. A layer that is shifted by half a cell has sprites between cells.
    const layers = this.map.layers.filter((one) => one.visible && one.x === 0).reverse();
    const tile = layers.map((one) => this.map.getTileAtWorldXY(x, y, false, camera, one.name)).find(Boolean);
    setText("tile", tile ? `${tile.properties.name} at ${tile.x}, ${tile.y}` : "");
  }

  update(time, milliseconds) {
    if (!this.keys) {
      return;
    }
    const camera = this.cameras.main;
    const step = (PIXELS_PER_SECOND * milliseconds) / 1000 / camera.zoom;
    camera.scrollX += step * (this.keys.right.isDown - this.keys.left.isDown);
    camera.scrollY += step * (this.keys.down.isDown - this.keys.up.isDown);
  }
}

window.game = new Phaser.Game({
  parent: "map",
  scene: Level,
  pixelArt: true,
  backgroundColor: "#1b1a20",
  scale: { mode: Phaser.Scale.RESIZE },
});
