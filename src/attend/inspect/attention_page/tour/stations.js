// The ten stations of the tour, in the order of docs/tutorials/paper.md.

// ---- numbers of the model that the stations check

const modulesOf = (kind) => run.inside.values.filter(({ module, name }) => name === "weights" && isOfKind(module, kind)).map(({ module }) => module);
const isOfKind = (module, kind) => (kind === "cross" ? module.endsWith("cross_attn") : module.startsWith(`${kind}.`) && module.endsWith("self_attn"));
const allModules = () => ["encoder", "decoder", "cross"].flatMap(modulesOf);

// How many tokens a row looks at: exp of the entropy of its weights, mean of all rows and heads.
function tokensLookedAt(weights) {
  let sum = 0;
  for (let row = 0; row < weights.rows; ++row) {
    let entropy = 0;
    for (const weight of weights.row(row)) if (weight > 0) entropy -= weight * Math.log(weight);
    sum += Math.exp(entropy);
  }
  return sum / weights.rows;
}
const lookedAtNow = () => meanOf(allModules().map((module) => tokensLookedAt(run.inside.get(module, "weights"))));

// The word whose row is the clearest example: its largest weight on a token that is not the end is the largest of all rows.
function clearestRow(module) {
  const { read, source } = run.inside.tokens;
  const strength = read.map((_, row) => {
    const weights = run.inside.meanWeights(module).row(row);
    const best = largestAt(weights);
    return run.inside.writtenAt(row) !== undefined && row < read.length - 1 && best < source.length - 1 ? weights[best] : 0;
  });
  return largestAt(strength);
}

// Two places of one token in the source; null if there is none.
function repeatedToken() {
  const ids = run.inside.ids.source;
  for (let i = 0; i < ids.length; ++i) {
    const j = ids.indexOf(ids[i], i + 1);
    if (j > 0) return [i, j];
  }
  return null;
}

const lastLayer = (stack) => run.inside.layers[stack] - 1;
const encoderOutput = () => leaves(run.inside, "encoder-ffn-norm", lastLayer("encoder"));
const share = (value) => `${(100 * value).toFixed(0)} %`;
const sortedIds = (ids) => [...ids].sort((a, b) => a - b).join();
const before = { translation: "", ids: null, output: null, without: false };

function remember() {
  Object.assign(before, { translation: state.answer?.translation ?? "", ids: run.inside?.ids.source ?? null, output: run.inside ? encoderOutput() : null, without: state.without.has("positions") });
}

// How much of the attention goes to tokens behind the one that looks, mean of all rows and heads.
function shareOfLater(weights) {
  const length = weights.cols;
  let sum = 0;
  for (let row = 0; row < weights.rows; ++row) for (let col = (row % length) + 1; col < length; ++col) sum += weights.row(row)[col];
  return sum / weights.rows;
}

// Where each token is now and where it was, one of several equal ones after the other.
function movedTokens(before, now) {
  const left = before.map((id, place) => ({ id, place }));
  return now.map((id, i) => [i, left.splice(left.findIndex((one) => one.id === id), 1)[0].place]);
}

// ---- the stations

const STATIONS = [
  {
    title: "A weighted mean",
    where: "figure-source",
    text: [
      "Attention lets a token look at a set of others. It gives each of them a weight, all weights sum to 1, and what it gets is the mean of their values with these weights.",
      "In the figure the model translates, box by box. Press Play, or open a box. To write a word, the cross-attention looks at the source.",
    ],
    box: "decoder-cross",
    layer: "last",
    ask() {
      const module = modulesOf("cross").at(-1);
      return `Which token of the source gets the largest weight when “${wordOf(run.inside.writtenAt(clearestRow(module)))}” is written, in the last layer, over all heads? Click it in the line of inputs below the figure.`;
    },
    begin() {
      this.chosen = null;
      this.first = run.rows.encoder;
    },
    check() {
      const module = modulesOf("cross").at(-1);
      const weights = run.inside.meanWeights(module).row(clearestRow(module));
      const chosen = run.rows.encoder;
      if (this.first === undefined) this.first = chosen;
      if (chosen === this.first && !tour.done.has(0)) return null;
      const word = wordOf(run.inside.tokens.source[chosen]);
      const done = chosen === largestAt(weights);
      return { done, text: done ? `Yes: “${word}” gets ${share(weights[chosen])}.` : `“${word}” gets ${share(weights[chosen])}. Another one gets more.` };
    },
  },
  {
    title: "Soft and hard",
    where: "beta",
    text: [
      "Weights come from scores by softmax. A factor β of the scores says how hard the choice is: at 0 all tokens count alike, at 1 it is as trained, and a large β takes the token with the largest score alone.",
      "Soft attention can be trained, since a small change of a score changes the result a little. Hard attention cannot: nothing changes until everything does.",
    ],
    box: "encoder-self",
    ask: "Set the sharpness of all heads, below the maps, so high that each row puts at least 99 % on a single token.",
    check() {
      const least = Math.min(...allModules().map((module) => {
        const weights = run.inside.get(module, "weights");
        return meanOf(Array.from({ length: weights.rows }, (_, row) => Math.max(...weights.row(row))));
      }));
      if (state.betas.all === 1) return null;
      const text = `β = ${state.betas.all}: the largest weight of a row is ${share(least)} in the softest layer. The translation: ${state.answer.translation}`;
      return { done: least >= 0.99, text };
    },
  },
  {
    title: "Queries, keys, values, and why √d",
    where: "beta",
    text: [
      "Each token asks with a query, is found by its key and gives its value: three linear maps of its vector. A score is the dot product of a query and a key.",
      "A sum of d products grows like √d. Without the division by √d the scores of wide heads would be large, softmax would be nearly hard, and little gradient would pass.",
    ],
    box: "encoder-self",
    ask() {
      const width = Math.round(run.inside.get(modulesOf("encoder")[0], "queries").cols / run.inside.heads);
      return `A head is ${width} wide, and √${width} = ${Math.sqrt(width).toFixed(1)}. Take the division away: set the sharpness of all heads to about ${Math.sqrt(width).toFixed(1)}.`;
    },
    check() {
      if (state.betas.all === 1) before.looked = lookedAtNow();
      const width = run.inside.get(modulesOf("encoder")[0], "queries").cols / run.inside.heads;
      if (state.betas.all === 1) return { done: false, text: `Now a row looks at ${before.looked.toFixed(1)} tokens, if one counts them by their weights.` };
      const was = before.looked ? `, and at ${before.looked.toFixed(1)} with it` : "";
      return { done: Math.abs(Math.log(state.betas.all / Math.sqrt(width))) < 0.15, text: `β = ${state.betas.all}: a row looks at ${lookedAtNow().toFixed(1)} tokens without the division${was}.` };
    },
  },
  {
    title: "Heads",
    where: "importance",
    text: [
      "One softmax is one place to look at. Several heads look at several places, each with queries, keys and values of its own. Their outputs stand side by side and go through one more linear map.",
      "Heads learn jobs. Some are nearly a dictionary, some look at the neighbor, and some do little.",
    ],
    box: "decoder-cross",
    layer: "last",
    ask: "Switch off as few heads as you can so that the translation changes. The button for the importance of every head tells where to begin.",
    begin: remember,
    check() {
      if (state.off.size === 0) return null;
      const done = state.answer.translation !== state.unchanged?.translation;
      const heads = state.off.size === 1 ? [...state.off].join() : `${state.off.size} heads`;
      return { done, text: `Without ${heads}: ${done ? `“${state.answer.translation}” instead of “${state.unchanged?.translation}”.` : "the translation stays."}` };
    },
  },
  {
    title: "The encoder",
    where: "text",
    text: [
      "The encoder reads the whole source. In each layer every token looks at all others and is then changed by itself. What leaves the last layer is a vector for each token that knows its sentence.",
    ],
    box: "encoder-ffn-norm",
    layer: "last",
    ask: "Show a text in which a word stands twice, such as “The old dog sees the old cat.” Both have one embedding. Do they have one vector in the end?",
    check() {
      const pair = repeatedToken();
      if (!pair) return null;
      const [a, b] = pair;
      const tokens = run.inside.get("encoder", "tokens");
      const output = encoderOutput();
      return {
        done: true,
        text: `“${wordOf(run.inside.tokens.source[a])}” stands at ${a + 1} and ${b + 1}. The cosine of its two vectors is ${cosineOf(tokens.row(a), tokens.row(b)).toFixed(2)} before the positions are added, and ${cosineOf(output.row(a), output.row(b)).toFixed(2)} behind the encoder: each knows its place and its neighbors.`,
      };
    },
  },
  {
    title: "The decoder",
    where: "prefix",
    text: [
      "The decoder writes one token after the other. It knows the source by cross-attention, and of the translation what is written so far: nothing else.",
    ],
    box: "decoder-self",
    ask: "Let it begin otherwise: click a word of the translation, type another one in its place, and continue from there.",
    begin: remember,
    check() {
      if (!question.prefix) {
        before.translation = state.answer.translation;
        return null;
      }
      const done = !before.translation.startsWith(question.prefix.trim());
      return { done, text: done ? `It went on from your words: “${state.answer.translation}” instead of “${before.translation}”.` : "These are the words that it would have written itself." };
    },
  },
  {
    title: "The mask",
    where: "no-mask",
    text: [
      "In training the decoder is shown the whole translation at once, and asked for every next token. So a token must not see those behind it, or it would read the answer: their scores are −∞, and their weights 0.",
      "In the scores of the masked attention, the hatched half is masked.",
    ],
    box: "decoder-self",
    ask: "Lift the mask, by the box below the maps. How much of their attention do tokens give to those that come after them?",
    check() {
      if (!state.without.has("mask")) return null;
      const later = meanOf(modulesOf("decoder").map((module) => shareOfLater(run.inside.get(module, "weights"))));
      const change = state.answer.log_probability - state.unchanged.log_probability;
      return {
        done: later > 0,
        text: `${share(later)} of it, and with the mask nothing. This model has never seen later tokens, so they only disturb it: the log-probability of its translation changes by ${signed(change)}. One trained like that would copy the answer, and could not write.`,
      };
    },
  },
  {
    title: "Positions",
    where: "no-positions",
    text: [
      "Attention is an operation on a set: it does not know which token is the first. Therefore the position of each token is added to its vector, as sines and cosines of different wavelengths.",
    ],
    box: "encoder-position",
    ask: "Switch the positions off, by the box below the maps. Then exchange two words of the text. Do the vectors behind the encoder change?",
    begin: remember,
    check() {
      const ids = run.inside.ids.source;
      const isSame = ids.join() === before.ids?.join();
      if (isSame || sortedIds(ids) !== sortedIds(before.ids ?? []) || before.without !== state.without.has("positions")) {
        remember();
        return null;
      }
      const [now, then] = [encoderOutput(), before.output];
      const moved = movedTokens(before.ids, ids);
      const largest = Math.max(...moved.flatMap(([i, j]) => Array.from(now.row(i), (value, d) => Math.abs(value - then.row(j)[d]))));
      const found = `${moved.filter(([i, j]) => i !== j).length} tokens moved.`;
      if (before.without) return { done: largest < 1e-3, text: `${found} No number of their vectors has changed by more than ${largest.toExponential(0)}: the vectors only moved along. What is left of a sentence is a bag of words.` };
      const cosine = meanOf(moved.filter(([i, j]) => i !== j).map(([i, j]) => cosineOf(now.row(i), then.row(j))));
      return { done: false, text: `${found} With positions, the cosine between their vectors before and now is ${cosine.toFixed(2)}. Try it without.` };
    },
  },
  {
    title: "Residuals and norms",
    text: [
      "A sublayer does not replace what comes in: it adds to it, and the sum is normalized. So every vector is a sum of what all sublayers have found, and the gradient has a straight way back.",
    ],
    box: "decoder-self-norm",
    ask: () => `Which sublayer of the decoder adds the longest vector to “${wordOf(run.inside.tokens.read[run.rows.decoder])}”? Open its box.`,
    begin() {
      this.first = `${run.box}${run.layers.decoder}`;
    },
    check() {
      if (`${run.box}${run.layers.decoder}` === this.first) return null;
      const { stack, of, opens } = BOXES[run.box];
      if (stack !== "decoder" || !of || !["attention", "feed"].includes(opens)) return null;
      const row = run.rows.decoder;
      const lengths = new Map(run.inside.values.filter(({ module, name }) => name === "output" && module.startsWith("decoder.")).map(({ module }) => [module, lengthOf(run.inside.get(module, "output").row(row))]));
      const [module] = of(run.layers.decoder);
      const longest = Math.max(...lengths.values());
      const done = lengths.get(module) === longest;
      return { done, text: `${titleOf(run.box)}, layer ${run.layers.decoder + 1}, adds a vector of length ${lengths.get(module).toFixed(2)}.${done ? " No other adds more." : " Another one adds more."}` };
    },
  },
  {
    title: "What it costs",
    where: "text",
    text: [
      "Every token looks at every token: n² pairs, each a dot product of d numbers. The linear maps cost n d². For a sentence n is smaller than d, and attention is the cheap part. For a book it is the other way round.",
      "What it buys: any two tokens are one step apart, and all are computed at once.",
    ],
    box: "encoder-self",
    ask() {
      this.first ??= run.inside.tokens.source.length;
      return `Each head of the encoder computed ${this.first ** 2} scores for ${this.first} tokens. Show a text for which it computes at least four times as many.`;
    },
    begin() {
      this.first = run.inside.tokens.source.length;
    },
    check() {
      const n = run.inside.tokens.source.length;
      const d = run.inside.d_model;
      if (n === (this.first ?? n)) return null;
      return { done: n >= 2 * this.first, text: `n = ${n} tokens: ${n * n} scores in each head. n² d = ${(n * n * d).toLocaleString("en")}, n d² = ${(n * d * d).toLocaleString("en")}.` };
    },
  },
];
