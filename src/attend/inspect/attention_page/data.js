// The data of the page: what labels the axes of the maps, and the maps themselves.
//
//   axes.<axis>.<unit>                  labels: {text, marks: "start" | "end" | undefined}
//   maps.<kind>.<unit>[layer][head]     base64 of bytes, row by row; a weight is byte / scale
const data = JSON.parse(document.getElementById("data").textContent);

// One map of weights: row r looks at column c with share(r, c) of its attention.
class WeightMap {
  constructor(rows, cols, values) {
    this.rows = rows;
    this.cols = cols;
    this.values = values;
  }

  static decode(rows, cols, base64) {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return new WeightMap(rows, cols, Float32Array.from(bytes, (byte) => byte / data.scale));
  }

  static mean(maps) {
    const { rows, cols } = maps[0];
    const values = new Float32Array(rows * cols);
    for (const map of maps) map.values.forEach((value, i) => (values[i] += value / maps.length));
    return new WeightMap(rows, cols, values);
  }

  share(row, col) {
    return this.values[row * this.cols + col];
  }

  // What a row looks at, or who looks at a column.
  sharesOf(side, index) {
    return side === "row"
      ? Array.from({ length: this.cols }, (_, col) => this.share(index, col))
      : Array.from({ length: this.rows }, (_, row) => this.share(row, index));
  }
}

const UNITS = ["words", "pieces"];

// What the encoder reads: a classifier has nothing else.
const READ = data.axes.written ? "source" : "text";

// The three attentions of an encoder-decoder, and how to speak of them. `looks` and `lookedAt` take the texts of one label and of a list.
const KINDS = {
  cross: {
    axes: { row: "written", col: "source" },
    roles: { row: "To write", col: "the decoder looks at the source" },
    about: "Where in the source the decoder looks. A row is named after the word written there: its weights chose this word.",
    looks: (word, list) => `To write ${word}, the decoder looks at ${list}.`,
    lookedAt: (word, list) => `${word} is looked at to write ${list}.`,
  },
  encoder: {
    axes: { row: "source", col: "source" },
    roles: { row: `Every word looks at the whole ${READ}` },
    about: `How the words of the ${READ} look at each other.`,
    looks: (word, list) => `${word} looks at ${list}.`,
    lookedAt: (word, list) => `${word} is looked at by ${list}.`,
  },
  decoder: {
    axes: { row: "written", col: "read" },
    roles: { row: "To write", col: "the decoder looks back at" },
    about:
      "How the decoder looks back at what it has written. A row is named after the word written there: " +
      "it sees the words before, and the pieces of its own word that are already written.",
    looks: (word, list) => `To write ${word}, the decoder looks back at ${list}.`,
    lookedAt: (word, list) => `${word} is looked back at to write ${list}.`,
  },
};

function labelsOf(kind, side, unit) {
  return data.axes[KINDS[kind].axes[side]][unit];
}

const decoded = new Map();

// All maps of a kind: {all, layers: [{mean, heads: [...]}]}, all and mean being averages. Decoded when first asked for.
function mapsOf(kind, unit) {
  const key = `${kind}/${unit}`;
  if (!decoded.has(key)) {
    const rows = labelsOf(kind, "row", unit).length;
    const cols = labelsOf(kind, "col", unit).length;
    const layers = data.maps[kind][unit].map((encoded) => {
      const heads = encoded.map((base64) => WeightMap.decode(rows, cols, base64));
      return { mean: WeightMap.mean(heads), heads };
    });
    decoded.set(key, { all: WeightMap.mean(layers.map((layer) => layer.mean)), layers });
  }
  return decoded.get(key);
}
