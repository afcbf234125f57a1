// Arrays as text: zlib-compressed and base64-encoded, as in payloads.py.

const BLOCK = 1 << 15; // maximum number of arguments of String.fromCharCode

async function transform(bytes, stream) {
  const writer = stream.writable.getWriter();
  writer.write(bytes).catch(() => {}); // errors are raised where the result is read
  writer.close().catch(() => {});
  return new Uint8Array(await new Response(stream.readable).arrayBuffer());
}

export async function decodeArray(text) {
  const packed = atob(text);
  const bytes = new Uint8Array(packed.length);
  for (let place = 0; place < packed.length; place++) bytes[place] = packed.charCodeAt(place);
  return transform(bytes, new DecompressionStream("deflate"));
}

// Stores the bytes uncompressed, because this is synchronous: events must be sent in order.
export function encodeArray(bytes) {
  const pieces = ["\x78\x01"];
  let [low, high] = [1, 0]; // Adler-32 checksum
  for (let start = 0; !start || start < bytes.length; start += BLOCK) {
    const block = bytes.subarray(start, start + BLOCK);
    const { length } = block;
    for (const byte of block) (low = (low + byte) % 65521), (high = (high + low) % 65521);
    const isLast = start + BLOCK >= bytes.length;
    pieces.push(toBinaryString([Number(isLast), length, length >> 8, ~length, ~length >> 8]), toBinaryString(block));
  }
  pieces.push(toBinaryString([high >> 8, high, low >> 8, low]));
  return btoa(pieces.join(""));
}

const toBinaryString = (bytes) => String.fromCharCode(...Uint8Array.from(bytes));

// Returns tile ids of 8 or 16 bits.
export async function decodeCells(text, bits) {
  const bytes = await decodeArray(text);
  return bits === 16 ? new Uint16Array(bytes.buffer) : bytes;
}

// Packs a byte per cell into a bit per cell, with the first cell in the lowest bit.
export function packBits(mask) {
  const bits = new Uint8Array(Math.ceil(mask.length / 8));
  for (let place = 0; place < mask.length; place++) if (mask[place]) bits[place >> 3] |= 1 << (place & 7);
  return bits;
}
