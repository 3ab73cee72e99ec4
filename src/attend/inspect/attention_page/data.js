// A picture of attention: what labels the axes of the maps, and the maps themselves (inspect/attention_data.h).

// One map of weights: row r looks at column c with share(r, c) of its attention.
class WeightMap {
  constructor(rows, cols, values) {
    this.rows = rows;
    this.cols = cols;
    this.values = values;
  }

  static decode(rows, cols, base64, scale) {
    const bytes = atob(base64);
    const values = new Float32Array(rows * cols);
    for (let i = 0; i < values.length; ++i) values[i] = bytes.charCodeAt(i) / scale;
    return new WeightMap(rows, cols, values);
  }

  static mean(maps) {
    const { rows, cols } = maps[0];
    const values = new Float32Array(rows * cols);
    for (const map of maps) {
      for (let i = 0; i < values.length; ++i) values[i] += map.values[i] / maps.length;
    }
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

const textsOf = (labels) => labels.map(({ text }) => text);

// Row by row, for people to read.
const rowsOf = (values, rows, cols) => Array.from({ length: rows }, (_, row) => Array.from(values.slice(row * cols, (row + 1) * cols), (v) => Number(v.toFixed(4))));

const UNITS = ["words", "pieces"];

// The three attentions of an encoder-decoder, and how to speak of them. `looks` and `lookedAt` take the texts of one label and of a list;
// `about` and `roles` take what is read: "source", or "text" of a model that has nothing else.
const KINDS = {
  encoder: {
    name: "Encoder self-attention",
    axes: { row: "source", col: "source" },
    roles: (read) => ({ row: `Every word looks at the whole ${read}` }),
    about: (read) => `How the words of the ${read} look at each other.`,
    looks: (word, list) => `${word} looks at ${list}.`,
    lookedAt: (word, list) => `${word} is looked at by ${list}.`,
  },
  decoder: {
    name: "Decoder self-attention",
    axes: { row: "written", col: "read" },
    roles: () => ({ row: "To write", col: "the decoder looks back at" }),
    about: () =>
      "How the decoder looks back at what it has written. A row is named after the word written there: " +
      "it sees the words before, and the pieces of its own word that are already written.",
    looks: (word, list) => `To write ${word}, the decoder looks back at ${list}.`,
    lookedAt: (word, list) => `${word} is looked back at to write ${list}.`,
  },
  cross: {
    name: "Cross-attention",
    axes: { row: "written", col: "source" },
    roles: () => ({ row: "To write", col: "the decoder looks at the source" }),
    about: () => "Where in the source the decoder looks. A row is named after the word written there: its weights chose this word.",
    looks: (word, list) => `To write ${word}, the decoder looks at ${list}.`,
    lookedAt: (word, list) => `${word} is looked at to write ${list}.`,
  },
};

class Picture {
  constructor(data) {
    this.data = data;
    this.decoded = new Map();
    this.read = data.axes.written ? "source" : "text";
  }

  // A recurrent model has only the cross-attention, a classifier only that of the encoder.
  has(kind) {
    return this.data.maps[kind].pieces.length > 0;
  }

  kinds() {
    return Object.keys(KINDS).filter((kind) => this.has(kind));
  }

  // {text, marks: "start" | "end" | undefined, log_probability}
  labels(kind, side, unit) {
    return this.data.axes[KINDS[kind].axes[side]][unit];
  }

  // All maps of a kind: {all, layers: [{mean, heads: [...]}]}, all and mean being averages. Decoded when first asked for.
  maps(kind, unit) {
    const key = `${kind}/${unit}`;
    if (!this.decoded.has(key)) {
      const rows = this.labels(kind, "row", unit).length;
      const cols = this.labels(kind, "col", unit).length;
      const layers = this.data.maps[kind][unit].map((encoded) => {
        const heads = encoded.map((base64) => WeightMap.decode(rows, cols, base64, this.data.scale));
        return { mean: WeightMap.mean(heads), heads };
      });
      this.decoded.set(key, { all: WeightMap.mean(layers.map((layer) => layer.mean)), layers });
    }
    return this.decoded.get(key);
  }

  // `layer`, `head`: null for the mean over all of them.
  map(kind, unit, layer, head) {
    const maps = this.maps(kind, unit);
    if (layer === null) return maps.all;
    return head === null ? maps.layers[layer].mean : maps.layers[layer].heads[head];
  }

  // The heads that a map shows, as the model file names them: "decoder.layers.1.cross_attn:0".
  heads(kind, layer = null, head = null) {
    const { modules, pieces } = this.data.maps[kind];
    return modules.flatMap((module, l) =>
      layer !== null && l !== layer ? [] : pieces[l].map((_, h) => `${module}:${h}`).filter((_, h) => head === null || h === head),
    );
  }

  // Where a head of that name is shown.
  placeOf(name) {
    const [module, head] = name.split(":");
    for (const kind of this.kinds()) {
      const layer = this.data.maps[kind].modules.indexOf(module);
      if (layer >= 0) return { kind, layer, head: Number(head) };
    }
    return null;
  }
}
