// Bytes from the text of an element, as core/strings/page_text.h writes them.
const CHANGED = [0, 8, 9, 10, 11, 12, 13, 26, 27, 28, 29, 30, 60, 127];

function bytesOfText(text) {
  const bytes = new Uint8Array(Math.ceil((text.length * 14) / 8));
  let size = 0;
  let rest = 0; // of its bits, the lowest are in no byte yet
  let bits = 0;
  for (let i = 0; i < text.length; ++i) {
    const code = text.charCodeAt(i);
    if (code < 128) {
      rest = (rest << 7) | code;
      bits += 7;
    } else {
      rest = (rest << 14) | (CHANGED[(code >> 7) - 2] << 7) | (code & 127);
      bits += 14;
    }
    for (; bits >= 8; bits -= 8) bytes[size++] = rest >> (bits - 8);
  }
  // A 1 and zeros follow the bytes: they may fill one more.
  const ended = (rest & ((1 << bits) - 1)) !== 0;
  return bytes.subarray(0, ended ? size : size - 1);
}
