// What the model computed for the text, number by number (inspect/inside_data.h).

// A matrix of numbers: `rows` tokens, or tokens of each head one below the other.
class Matrix {
  constructor({ shape: [rows, cols], heads, data }) {
    Object.assign(this, { rows, cols, heads });
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    this.values = new Float32Array(bytes.buffer);
  }

  row(index) {
    return this.values.subarray(index * this.cols, (index + 1) * this.cols);
  }

  col(index) {
    return Array.from({ length: this.rows }, (_, row) => this.values[row * this.cols + index]);
  }

  static of(rows, cols, values) {
    return Object.assign(Object.create(Matrix.prototype), { rows, cols, heads: 1, values });
  }

  // Columns of one of `count` heads that stand side by side.
  columnsOf(head, count) {
    const width = this.cols / count;
    const values = new Float32Array(this.rows * width);
    for (let row = 0; row < this.rows; ++row) values.set(this.row(row).subarray(head * width, (head + 1) * width), row * width);
    return Matrix.of(this.rows, width, values);
  }

  // Rows of one of the heads that stand one below the other.
  rowsOf(head) {
    const rows = this.rows / this.heads;
    return Matrix.of(rows, this.cols, this.values.subarray(head * rows * this.cols, (head + 1) * rows * this.cols));
  }
}

class Inside {
  constructor(data) {
    Object.assign(this, data);
    this.tokens = Object.fromEntries(Object.entries(data.tokens).map(([axis, labels]) => [axis, textsOf(labels)]));
    this.found = new Map(data.values.map((value) => [`${value.module} ${value.name}`, value]));
    this.decoded = new Map();
  }

  has(module, name) {
    return this.found.has(`${module} ${name}`);
  }

  // Decoded when first asked for; null if the model computes no such thing.
  get(module, name) {
    const key = `${module} ${name}`;
    if (!this.found.has(key)) return null;
    if (!this.decoded.has(key)) this.decoded.set(key, new Matrix(this.found.get(key)));
    return this.decoded.get(key);
  }

  // The weights of an attention, mean of its heads.
  meanWeights(module) {
    const key = `${module} mean`;
    if (!this.decoded.has(key)) {
      const weights = this.get(module, "weights");
      const mean = Matrix.of(weights.rows / weights.heads, weights.cols, new Float32Array(weights.values.length / weights.heads));
      weights.values.forEach((weight, i) => (mean.values[i % mean.values.length] += weight / weights.heads));
      this.decoded.set(key, mean);
    }
    return this.decoded.get(key);
  }

  // What is written behind a token that the decoder reads; undefined behind those before the first one.
  writtenAt(row) {
    return this.tokens.written[row - this.tokens.read.length + this.tokens.written.length];
  }

  // The stack: "encoder" or "decoder".
  tokensOf(stack) {
    return stack === "encoder" ? this.tokens.source : this.tokens.read;
  }
}

const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const deviationOf = (values) => Math.sqrt(meanOf(Array.from(values, (value) => (value - meanOf(values)) ** 2)));
const lengthOf = (values) => Math.hypot(...values);
const productOf = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
const cosineOf = (a, b) => productOf(a, b) / (lengthOf(a) * lengthOf(b));
