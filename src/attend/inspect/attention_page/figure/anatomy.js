// The boxes of the figure (Vaswani et al. 2017, figure 1) and what they show of a pass: for each its module in layer `layer`, and the name of
// the values that leave it; `has`: whether a model has a box that nothing leaves. `opens`: how it is explained (view_box.js).
const BOXES = {
  "encoder-embedding": { stack: "encoder", title: "Input embedding", opens: "embedding", color: "embed", of: () => ["encoder", "tokens"] },
  "encoder-position": { stack: "encoder", title: "Positional encoding", opens: "position", color: "position", of: () => ["encoder", "sum"] },
  "encoder-self": { stack: "encoder", title: "Multi-head attention", opens: "attention", color: "attend", kind: "encoder", of: (l) => [`encoder.layers.${l}.self_attn`, "output"] },
  "encoder-self-norm": { stack: "encoder", title: "Add & norm", opens: "norm", color: "norm", of: (l) => [`encoder.layers.${l}.self_attn`, "norm"] },
  "encoder-ffn": { stack: "encoder", title: "Feed forward", opens: "feed", color: "feed", of: (l) => [`encoder.layers.${l}.feed_forward`, "output"] },
  "encoder-ffn-norm": { stack: "encoder", title: "Add & norm", opens: "norm", color: "norm", of: (l) => [`encoder.layers.${l}.feed_forward`, "norm"] },
  "decoder-embedding": { stack: "decoder", title: "Output embedding", opens: "embedding", color: "embed", of: () => ["decoder", "tokens"] },
  "decoder-position": { stack: "decoder", title: "Positional encoding", opens: "position", color: "position", of: () => ["decoder", "sum"] },
  "decoder-self": { stack: "decoder", title: "Masked multi-head attention", opens: "attention", color: "attend", kind: "decoder", of: (l) => [`decoder.layers.${l}.self_attn`, "output"] },
  "decoder-self-norm": { stack: "decoder", title: "Add & norm", opens: "norm", color: "norm", of: (l) => [`decoder.layers.${l}.self_attn`, "norm"] },
  "decoder-recurrence": { stack: "decoder", title: "Recurrent unit", opens: "recurrence", color: "attend", of: (l) => [`decoder.layers.${l}.recurrence`, "output"] },
  "decoder-recurrence-norm": { stack: "decoder", title: "Add & norm", opens: "norm", color: "norm", of: (l) => [`decoder.layers.${l}.recurrence`, "norm"] },
  "decoder-cross": { stack: "decoder", title: "Multi-head attention", opens: "attention", color: "attend", kind: "cross", of: (l) => [`decoder.layers.${l}.cross_attn`, "output"] },
  "decoder-cross-norm": { stack: "decoder", title: "Add & norm", opens: "norm", color: "norm", of: (l) => [`decoder.layers.${l}.cross_attn`, "norm"] },
  "decoder-ffn": { stack: "decoder", title: "Feed forward", opens: "feed", color: "feed", of: (l) => [`decoder.layers.${l}.feed_forward`, "output"] },
  "decoder-ffn-norm": { stack: "decoder", title: "Add & norm", opens: "norm", color: "norm", of: (l) => [`decoder.layers.${l}.feed_forward`, "norm"] },
  linear: { stack: "decoder", title: "Linear", opens: "output", color: "linear", has: ({ next }) => next?.length },
  softmax: { stack: "decoder", title: "Softmax", opens: "output", color: "softmax", has: ({ next }) => next?.length },
  // What makes one vector of a text, and classes of it; of an embedding model the vector is the answer.
  pooling: { stack: "encoder", title: "Pooling", opens: "pooling", color: "norm", of: () => ["pooling", "output"] },
  head: { stack: "encoder", title: "Linear & activation", opens: "dense", color: "feed", of: () => ["head", "output"] },
  "head-norm": { stack: "encoder", title: "Norm", opens: "dense", color: "norm", of: () => ["head_norm", "output"] },
  classes: { stack: "encoder", title: "Linear", opens: "classes", color: "linear", of: () => ["output", "logits"] },
  "class-shares": { stack: "encoder", title: "Softmax", opens: "classes", color: "softmax", has: ({ labels }) => labels },
  dense: { stack: "encoder", title: "Linear & activation", opens: "dense", color: "feed", of: () => ["dense", "output"] },
  "second-dense": { stack: "encoder", title: "Linear & activation", opens: "dense", color: "feed", of: () => ["second_dense", "output"] },
  normalize: { stack: "encoder", title: "Length 1", opens: "normalize", color: "norm", of: () => ["normalize", "output"] },
};

// In the order of computation: those of a stack's input, and those that every layer repeats.
const INPUTS = { encoder: ["encoder-embedding", "encoder-position"], decoder: ["decoder-embedding", "decoder-position"] };
const LAYER = {
  encoder: ["encoder-self", "encoder-self-norm", "encoder-ffn", "encoder-ffn-norm"],
  decoder: ["decoder-self", "decoder-self-norm", "decoder-recurrence", "decoder-recurrence-norm", "decoder-cross", "decoder-cross-norm", "decoder-ffn", "decoder-ffn-norm"],
};
const OUTPUTS = {
  encoder: ["pooling", "head", "head-norm", "classes", "class-shares", "dense", "second-dense", "normalize"],
  decoder: ["linear", "softmax"],
};

const isInLayer = (id) => LAYER[BOXES[id].stack].includes(id);
// What is behind the encoder computes one vector for the whole text.
const isOfText = (id) => OUTPUTS.encoder.includes(id);

// Models without an encoder have no cross-attention, those that normalize before a sublayer have other names for what leaves the sum.
const leaves = (inside, id, layer) => {
  const [module, name] = BOXES[id].of(layer);
  return inside.get(module, name) ?? (name === "norm" ? inside.get(module, "sum") : null);
};
const hasBox = (inside, id) => (BOXES[id].of ? leaves(inside, id, 0) !== null : Boolean(BOXES[id].has(inside)));
// The vectors that leave the encoder.
const encodedBy = (inside) => inside.get("encoder", "output") ?? leaves(inside, "encoder-ffn-norm", inside.layers.encoder - 1) ?? inside.get("encoder", "sum");

// The moments of a run: {id, layer, row}: a box computes, for token `row` of the decoder or for all tokens (null). The first token that is
// written goes through every box, the others are shown layer by layer, as otherwise nobody would see the end.
function momentsOf(inside, stepByStep) {
  const moments = [];
  const add = (id, layer, row) => hasBox(inside, id) && moments.push({ id, layer, row });
  const through = (stack, row, brief) => {
    for (const id of INPUTS[stack]) if (!brief || id === INPUTS[stack][0]) add(id, 0, row);
    for (let layer = 0; layer < (inside.layers[stack] ?? 0); ++layer)
      for (const id of LAYER[stack]) if (!brief || id === LAYER[stack].at(-1)) add(id, layer, row);
  };
  through("encoder", null, false);
  for (const id of OUTPUTS.encoder) add(id, 0, null);
  const rows = stepByStep ? (inside.tokens.read ?? []).map((_, row) => row) : [null];
  for (const row of rows) {
    through("decoder", row, row > 0);
    for (const id of OUTPUTS.decoder) if (!(row > 0) || id === "softmax") add(id, 0, row);
  }
  return moments;
}
