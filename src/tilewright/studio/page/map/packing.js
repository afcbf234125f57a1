// Arrays as text: base64 over zlib over bytes, as scene.py packs them.

const BLOCK = 1 << 15; // arguments that String.fromCharCode takes at once

async function through(bytes, stream) {
  const writer = stream.writable.getWriter();
  writer.write(bytes).catch(() => {}); // what is wrong with the bytes is told where they are read
  writer.close().catch(() => {});
  return new Uint8Array(await new Response(stream.readable).arrayBuffer());
}

export async function unpacked(text) {
  const packed = atob(text);
  const bytes = new Uint8Array(packed.length);
  for (let place = 0; place < packed.length; place++) bytes[place] = packed.charCodeAt(place);
  return through(bytes, new DecompressionStream("deflate"));
}

export async function packed(bytes) {
  const small = await through(bytes, new CompressionStream("deflate"));
  let text = "";
  for (let start = 0; start < small.length; start += BLOCK)
    text += String.fromCharCode(...small.subarray(start, start + BLOCK));
  return btoa(text);
}

// Tile ids in as many bits as the tileset needs.
export async function unpackedCells(text, bits) {
  const bytes = await unpacked(text);
  return bits === 16 ? new Uint16Array(bytes.buffer) : bytes;
}

// A byte per cell as a bit per cell, the first cell in the lowest bit.
export function asBits(mask) {
  const bits = new Uint8Array(Math.ceil(mask.length / 8));
  for (let place = 0; place < mask.length; place++) if (mask[place]) bits[place >> 3] |= 1 << (place & 7);
  return bits;
}
