// Picture of the cells, in colors or sprites.
//
// Colors are drawn once with one pixel per cell, and enlarged. Sprites are drawn in blocks of cells when the blocks
// become visible, from the sheet's pixels or, for small cells, from a halved copy. Panning only moves blocks.

const BLOCK = 32; // edge length of a block of sprites, in cells
const SPARE = 24; // number of cached blocks in addition to the visible ones
const MIN_SPRITE_ZOOM = 12; // minimum pixels per cell for sprites; smaller cells are drawn as colors
const MIN_SHARP_ZOOM = 8; // the same on screens with at least MIN_SHARP_CELL screen pixels per cell, such as phones
const MIN_SHARP_CELL = 16;

export function surface(width, height) {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  return canvas;
}

export async function openImage(url) {
  const image = new Image();
  image.src = url;
  await image.decode();
  return image;
}

// Returns whether cells are large enough for sprites.
export function showsSprites(view) {
  return view.zoom >= MIN_SPRITE_ZOOM || (view.zoom >= MIN_SHARP_ZOOM && view.cell >= MIN_SHARP_CELL);
}

// Returns the color of each tile as a pixel of an ImageData.
export function tilePixels(tiles) {
  return Uint32Array.from(tiles, ({ color }) => {
    const rgb = parseInt(color.slice(1), 16);
    return (0xff000000 | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
  });
}

// Pixels of a sprite sheet, picture by picture and row by row, in several sizes (each half of the previous one). A sheet
// consists of pages and grows with further ones.
export class Sheet {
  static async of({ digest, side, pages }) {
    return new Sheet(digest, side, pages[0]).add(pages);
  }

  constructor(digest, side, firstPage) {
    Object.assign(this, { digest, side, firstPage });
    this.sizes = [{ side, pixels: new Uint32Array(0) }];
    for (let half = side / 2; half * 2 > 4 && Number.isInteger(half); half /= 2)
      this.sizes.push({ side: half, pixels: new Uint32Array(0) });
  }

  // Adds pages, and returns the sheet when their pictures are there.
  async add(pages) {
    const images = await Promise.all(pages.map(({ url }) => openImage(url)));
    pages.forEach((page, number) => this.addPixels(page, readPictures(images[number], page, this.side)));
    return this;
  }

  addPixels({ first, count }, pixels) {
    for (const [number, size] of this.sizes.entries()) {
      const area = size.side * size.side;
      size.pixels = withRoom(size.pixels, (first + count) * area);
      size.pixels.set(pixels, first * area);
      if (number + 1 < this.sizes.length) pixels = halve(pixels, size.side);
    }
  }

  // Returns the smallest size that is at least as large as a cell on the screen.
  sizeFor(cell) {
    return this.sizes.findLast(({ side }) => side >= cell) ?? this.sizes[0];
  }
}

// Returns an array of at least this length with the same content; it has spare room, because sheets grow often.
function withRoom(array, length) {
  if (array.length >= length) return array;
  const larger = new Uint32Array(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}

function readPictures(image, { columns, count }, side) {
  const canvas = surface(image.width, image.height);
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  pen.drawImage(image, 0, 0);
  const page = new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer);
  const pixels = new Uint32Array(count * side * side);
  for (let picture = 0, at = 0; picture < count; picture++) {
    const [left, top] = [(picture % columns) * side, Math.floor(picture / columns) * side];
    for (let row = 0; row < side; row++, at += side) {
      const from = (top + row) * image.width + left;
      pixels.set(page.subarray(from, from + side), at);
    }
  }
  return pixels;
}

function halve(pixels, side) {
  const half = side / 2;
  const small = new Uint32Array(pixels.length / 4);
  for (let line = 0, at = 0; line < pixels.length; line += 2 * side)
    for (let column = 0; column < half; column++, at++) {
      const one = line + 2 * column;
      small[at] = mean(pixels[one], pixels[one + 1], pixels[one + side], pixels[one + side + 1]);
    }
  return small;
}

// Returns the mean color of four pixels. Red and blue are added together, and green apart from them.
function mean(one, two, three, four) {
  const rest = 0xff00ff;
  const sum = (one & rest) + (two & rest) + (three & rest) + (four & rest) + 0x020002;
  const green = (one & 0xff00) + (two & 0xff00) + (three & 0xff00) + (four & 0xff00) + 0x0200;
  return (0xff000000 | ((sum >>> 2) & rest) | ((green >>> 2) & 0xff00)) >>> 0;
}

export class Picture {
  constructor() {
    this.layer = null;
    this.blocks = new Map(); // by size and position; the least recently used is first
  }

  // Sets what to draw: {width, height, depth, cells, looks, colors, pixels (of the tiles), sheet}. A layer whose sprites
  // are not there yet, `lacksSprites`, is drawn as colors.
  setLayer(layer, level) {
    const isOther = this.layer?.width !== layer.width || this.layer?.height !== layer.height;
    if (isOther || !this.flat) this.flat = surface(layer.width, layer.height);
    if (isOther) this.blocks.clear();
    Object.assign(this, { layer, level });
    this.first = level * layer.width * layer.height;
    this.update();
  }

  update() {
    const { width, height } = this.layer;
    this.flatten({ left: 0, top: 0, right: width, bottom: height });
    for (const block of this.blocks.values()) block.isStale = true;
  }

  // Redraws cells of the current level that have changed.
  updateBox(box) {
    this.flatten(box);
    for (const block of this.blocks.values()) {
      const isBeside = block.left >= box.right || block.left + BLOCK <= box.left;
      const isAboveOrBelow = block.top >= box.bottom || block.top + BLOCK <= box.top;
      block.isStale ||= !isBeside && !isAboveOrBelow;
    }
  }

  flatten({ left, top, right, bottom }) {
    if (right <= left || bottom <= top) return;
    const { width, cells, colors, pixels } = this.layer;
    const image = new ImageData(right - left, bottom - top);
    const target = new Uint32Array(image.data.buffer);
    for (let row = top, at = 0; row < bottom; row++) {
      const line = this.first + row * width;
      for (let place = line + left; place < line + right; place++, at++)
        target[at] = colors
          ? 0xff000000 | (colors[3 * place + 2] << 16) | (colors[3 * place + 1] << 8) | colors[3 * place]
          : pixels[cells[place]];
    }
    this.flat.getContext("2d").putImageData(image, left, top);
  }

  draw(pen, view, wantsSprites) {
    const { sheet, colors, lacksSprites } = this.layer;
    if (wantsSprites && sheet && !colors && !lacksSprites && showsSprites(view)) this.drawSprites(pen, view, sheet);
    else drawEnlarged(pen, view, this.flat);
  }

  drawSprites(pen, view, sheet) {
    const size = sheet.sizeFor(view.cell);
    const { left, top, right, bottom } = view.visible;
    let drawn = 0;
    pen.imageSmoothingEnabled = view.cell < size.side;
    pen.imageSmoothingQuality = "high";
    for (let row = top - (top % BLOCK); row < bottom; row += BLOCK)
      for (let column = left - (left % BLOCK); column < right; column += BLOCK, drawn++) {
        const { canvas } = this.block(size, column, row);
        const [x, y] = [view.x(column), view.y(row)];
        const wide = view.x(column + canvas.width / size.side) - x;
        pen.drawImage(canvas, x, y, wide, view.y(row + canvas.height / size.side) - y);
      }
    for (const key of this.blocks.keys()) {
      if (this.blocks.size <= drawn + SPARE) break;
      this.blocks.delete(key);
    }
  }

  block(size, left, top) {
    const key = `${size.side} ${left} ${top}`;
    let block = this.blocks.get(key);
    if (!block) {
      const wide = Math.min(BLOCK, this.layer.width - left);
      const high = Math.min(BLOCK, this.layer.height - top);
      block = { left, top, canvas: surface(wide * size.side, high * size.side), isStale: true };
    }
    this.blocks.delete(key);
    this.blocks.set(key, block);
    if (block.isStale) this.fill(block, size);
    return block;
  }

  fill(block, { side, pixels }) {
    const { width: wide, height: high } = block.canvas;
    const { width, cells, looks } = this.layer;
    const from = looks ?? cells;
    const image = this.scratch(wide, high);
    const target = new Uint32Array(image.data.buffer);
    const area = side * side;
    for (let row = 0; row < high / side; row++)
      for (let column = 0; column < wide / side; column++) {
        let at = from[this.first + (block.top + row) * width + block.left + column] * area;
        let to = row * side * wide + column * side;
        for (let line = 0; line < side; line++, to += wide)
          for (let pixel = 0; pixel < side; pixel++) target[to + pixel] = pixels[at++];
      }
    block.canvas.getContext("2d").putImageData(image, 0, 0);
    block.isStale = false;
  }

  // Returns a reusable buffer, because nearly all blocks have the same size.
  scratch(width, height) {
    if (this.image?.width !== width || this.image?.height !== height) this.image = new ImageData(width, height);
    return this.image;
  }
}

// Draws a picture with one pixel per cell over the map.
export function drawEnlarged(pen, view, picture) {
  const { left, top, right, bottom } = view.visible;
  if (right <= left || bottom <= top) return;
  pen.imageSmoothingEnabled = view.cell < 1;
  const [x, y] = [view.x(left), view.y(top)];
  const size = [right - left, bottom - top];
  pen.drawImage(picture, left, top, ...size, x, y, view.x(right) - x, view.y(bottom) - y);
}
