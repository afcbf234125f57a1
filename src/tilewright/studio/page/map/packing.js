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

// Bytes are stored as they are, for that is done at once: what a person does next must not overtake it.
export function packed(bytes) {
  const pieces = ["\x78\x01"];
  let [low, high] = [1, 0]; // of the checksum
  for (let start = 0; !start || start < bytes.length; start += BLOCK) {
    const block = bytes.subarray(start, start + BLOCK);
    const { length } = block;
    for (const byte of block) (low = (low + byte) % 65521), (high = (high + low) % 65521);
    const isLast = start + BLOCK >= bytes.length;
    pieces.push(asText([Number(isLast), length, length >> 8, ~length, ~length >> 8]), asText(block));
  }
  pieces.push(asText([high >> 8, high, low >> 8, low]));
  return btoa(pieces.join(""));
}

const asText = (bytes) => String.fromCharCode(...Uint8Array.from(bytes));

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
