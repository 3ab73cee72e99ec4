// A module of WebAssembly, changed to see what happens when something is short or broken. (https://webassembly.github.io/spec/core/binary)
'use strict';

// Reads numbers of LEB128 and names from `at` on.
class Reader {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
  }
  byte() {
    return this.bytes[this.at++];
  }
  number() {
    let value = 0;
    for (let factor = 1;; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }
  name() {
    const size = this.number();
    this.at += size;
    return this.bytes.toString('utf8', this.at - size, this.at);
  }
}

const MEMORY = 5, EXPORT = 7, CODE = 10;

function section(wasm, wanted) {
  const reader = new Reader(wasm, 8);
  for (;;) {
    const id = reader.byte(), size = reader.number();
    if (id === wanted) return new Reader(wasm, reader.at);
    reader.at += size;
  }
}

// The memory of its own cannot have more than these pages of 64 KiB.
exports.with_most_memory = (wasm, pages) => {
  const changed = Buffer.from(wasm), reader = section(changed, MEMORY);
  reader.number();  // of memories
  reader.byte();    // it has a maximum
  reader.number();  // of pages at first
  const begin = reader.at;
  reader.number();
  for (let at = begin, rest = pages; at < reader.at; ++at, rest >>= 7) changed[at] = (rest & 127) | (at + 1 < reader.at ? 128 : 0);
  return changed;
};

// A function that it exports does nothing but end the module; `imports`: how many functions it imports.
exports.with_trap = (wasm, name, imports) => {
  const changed = Buffer.from(wasm), names = section(changed, EXPORT), code = section(changed, CODE);
  let index = -1;
  for (let left = names.number(); left > 0; --left) {
    const found = names.name(), kind = names.byte(), number = names.number();
    if (kind === 0 && found === name) index = number;
  }
  code.number();  // of functions
  for (let number = imports;; ++number) {
    const size = code.number(), end = code.at + size;
    if (number === index) {
      for (let left = code.number(); left > 0; --left) {  // its variables
        code.number();
        code.byte();
      }
      changed[code.at] = 0x00;  // unreachable
      changed.fill(0x01, code.at + 1, end - 1);  // nothing
      return changed;
    }
    code.at = end;
  }
};
