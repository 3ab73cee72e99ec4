// The boxes behind an encoder: one vector of the text, and the classes that a classifier makes of it (view_box.js).

const isOfSeveral = ({ configuration }) => configuration.problem_type === "multi_label";
const activationOf = ({ configuration }, id) => (id === "head" ? configuration.head : configuration.dense_activation);

function titleOfText(id, inside) {
  if (id === "class-shares") return isOfSeveral(inside) ? "Sigmoid" : "Softmax";
  if (BOXES[id].opens !== "dense" || id === "head-norm") return BOXES[id].title;
  const activation = activationOf(inside, id);
  return activation === "none" ? "Linear" : `Linear & ${activation}`;
}

// {label, logit, probability} of each class, the most probable first: the softmax of the logits, or of each its sigmoid.
function classShares(inside) {
  const logits = Array.from(inside.get("output", "logits").values);
  const largest = Math.max(...logits);
  const sum = logits.reduce((all, logit) => all + Math.exp(logit - largest), 0);
  const shares = logits.map((logit) => (isOfSeveral(inside) ? 1 / (1 + Math.exp(-logit)) : Math.exp(logit - largest) / sum));
  return inside.labels.map((label, i) => ({ label, logit: logits[i], probability: shares[i] })).sort((a, b) => b.probability - a.probability);
}

// The vector that a box reads: that of the box before it.
function readBy(inside, id) {
  const before = OUTPUTS.encoder.slice(0, OUTPUTS.encoder.indexOf(id)).filter((one) => BOXES[one].of && hasBox(inside, one));
  return leaves(inside, before.at(-1), 0);
}

const poolingsOf = ({ configuration: { pooling, more_pooling: more = [] } }) => [pooling, ...more];

const POOLED = {
  max: "of each column the largest number",
  mean: "the mean of all rows",
  first: "the first row",
  last: "the last row",
  mean_sqrt: "the sum of all rows, divided by the root of their number",
  weighted_mean: "the mean of all rows, in which later ones count more",
};

const vectorView = (name, title, matrix, more) => numbersView({ name, title, matrix, of: "text", ...more });

Object.assign(EXPLAIN, {
  pooling({ inside, tokens, chosen, choose }) {
    const kinds = poolingsOf(inside);
    return [
      ...kinds.map((kind) => formula(FORMULAS.pooling[kind])),
      make("p", { textContent: `The vector of the text is ${kinds.map((kind) => POOLED[kind]).join(", and beside it ")}.` }),
      numbersRow(
        numbersView({ name: "x", title: "what leaves the encoder", matrix: encodedBy(inside), rows: tokens, chosen, choose }),
        vectorView("v", "the vector of the text", inside.get("pooling", "output")),
      ),
    ];
  },
  dense({ inside, id, module }) {
    const bias = id === "head" ? inside.configuration.head_bias : inside.configuration.dense_bias;
    const [before, after] = [readBy(inside, id), inside.get(module, "output")];
    return [
      formula(id === "head-norm" ? FORMULAS.headNorm : FORMULAS.dense(activationOf(inside, id), bias)),
      make("p", { textContent: `The vector of the text, before: ${vectorText(before.row(0))}, and after: ${vectorText(after.row(0))}.` }),
      numbersRow(vectorView("v", "before", before), vectorView("y", "after", after)),
    ];
  },
  classes({ inside }) {
    const found = classShares(inside);
    const before = readBy(inside, "classes");
    return [
      formula(isOfSeveral(inside) ? FORMULAS.severalClasses : FORMULAS.classes),
      make("p", { textContent: `Of ${before.cols} numbers one for each class: its logit.` }),
      numbersRow(vectorView("v", "the vector of the text", before), vectorView("z", "logits", inside.get("output", "logits"), { cols: inside.labels })),
      table(
        "The classes",
        ["class", "logit", "probability", ""],
        found.map(({ label, logit, probability: share }) => [label, numberText(logit), `${(100 * share).toFixed(1)} %`, shareBar(share / found[0].probability)]),
      ),
    ];
  },
  normalize({ inside }) {
    const [before, after] = [readBy(inside, "normalize"), inside.get("normalize", "output")];
    return [
      formula(FORMULAS.normalize),
      make("p", { textContent: `The vector has length ${numberText(lengthOf(before.row(0)))}, then ${numberText(lengthOf(after.row(0)))}: the product of two such vectors is their cosine.` }),
      numbersRow(vectorView("v", "before", before), vectorView("y", "the vector of the text", after)),
    ];
  },
});
