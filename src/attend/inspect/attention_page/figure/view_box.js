// The view of a box of the figure: its formula, and its real numbers for this text.

const chooseRow = (stack) => (row) => {
  run.rows[stack] = row;
  showFigure();
  tell("moment");
  writeAddress();
};

// Pills, one of which is chosen.
function pills(label, texts, chosen, choose) {
  const list = make("div", { className: "pills", role: "group", ariaLabel: label }, make("span", { className: "quiet", textContent: label }));
  texts.forEach((textContent, index) => {
    const pill = make("button", { type: "button", textContent, onclick: () => choose(index) });
    pill.setAttribute("aria-pressed", String(index === chosen));
    list.append(pill);
  });
  return list;
}

function chooseHead(head) {
  run.head = head;
  const { kind, stack } = BOXES[run.box];
  if (kind && state.picture?.has(kind)) select(kind, run.layers[stack], head);
  else tell("moment");
  writeAddress();
}

const EXPLAIN = {
  embedding({ inside, stack, tokens, chosen, choose }) {
    const vectors = inside.get(stack, "tokens");
    const ids = inside.ids[stack === "encoder" ? "source" : "read"];
    return [
      formula(Math.abs(inside.embedding_scale / Math.sqrt(inside.d_model) - 1) < 1e-3 ? FORMULAS.embedding : FORMULAS.embeddingPlain),
      make("p", { textContent: `“${wordOf(tokens[chosen])}” is token ${ids[chosen]} of ${inside.vocabulary}. Its vector has ${inside.d_model} numbers: ${vectorText(vectors.row(chosen))}` }),
      numbersRow(numbersView({ name: "x", title: "vectors of the tokens", matrix: vectors, rows: tokens, chosen, choose })),
    ];
  },
  position({ inside, stack, tokens, chosen, choose }) {
    const [positions, sum] = [inside.get(stack, "positions"), inside.get(stack, "sum")];
    return [
      inside.positions === "sinusoidal" ? formula(FORMULAS.position) : "",
      make("p", { textContent: positions ? `Position ${chosen + 1} adds ${vectorText(positions.row(chosen))} to “${wordOf(tokens[chosen])}”.` : "Nothing is added here: this model has its positions in the scores of attention." }),
      numbersRow(
        positions && numbersView({ name: "PE", title: "positions", matrix: positions, rows: tokens, chosen, choose }),
        numbersView({ name: "x", title: "with positions", matrix: sum, rows: positions ? [] : tokens, chosen, choose }),
      ),
    ];
  },
  attention({ inside, module, id, stack, tokens, chosen, choose }) {
    const cross = id === "decoder-cross";
    const keyTokens = cross ? inside.tokens.source : tokens;
    const { heads } = inside;
    const [queries, keys, values] = ["queries", "keys", "values"].map((name) => inside.get(module, name));
    const groups = Math.round((keys.cols * heads) / queries.cols); // heads of keys
    const group = Math.floor((run.head * groups) / heads);
    const [q, k, v] = [queries.columnsOf(run.head, heads), keys.columnsOf(group, groups), values.columnsOf(group, groups)];
    const weights = inside.get(module, "weights").rowsOf(run.head);
    const scores = inside.get(module, "scores")?.rowsOf(run.head);
    const output = inside.get(module, "heads").columnsOf(run.head, heads);
    const picture = (name, title, matrix, more) => numbersView({ name, title, matrix, ...more });
    const views = {
      queries: picture("Q", "queries", q, { rows: tokens, chosen, choose }),
      keys: picture("K", "keys", k, { rows: keyTokens, of: cross ? "encoder" : "" }),
      values: picture("V", "values", v, { rows: keyTokens, of: cross ? "encoder" : "" }),
      scores: scores && picture("QKᵀ/√d", stack === "decoder" && !cross ? "scores, masked" : "scores", scores, { rows: tokens, cols: keyTokens, chosen, choose }),
      weights: picture("softmax", "weights", weights, { rows: scores ? [] : tokens, cols: keyTokens, chosen, weights: true, choose }),
      output: picture("softmax · V", "output of the head", output, { chosen, choose }),
    };
    return [
      pills("head", Array.from({ length: heads }, (_, head) => String(head + 1)), run.head, chooseHead),
      make("div", { className: "formulas" }, formula(FORMULAS.attention), make("div", {}, ...FORMULAS.projections(cross ? "M" : "X").map((line) => formula([line])))),
      make("p", { textContent: cross ? "X is what the decoder has, M the output of the encoder." : "X is what comes from below: a row for each token." }),
      scores ? sumOfQuery({ word: wordOf(tokens[chosen]), chosen, keyTokens, q: q.row(chosen), v, k, scores: scores.row(chosen), weights: weights.row(chosen), views }) : numbersRow(...Object.values(views)),
      formula(FORMULAS.heads),
      numbersRow(
        numbersView({ name: "heads", title: `${heads} side by side`, matrix: inside.get(module, "heads"), rows: tokens, chosen, choose }),
        numbersView({ name: "MultiHead", title: "output", matrix: inside.get(module, "output"), chosen, choose }),
      ),
    ];
  },
  norm({ inside, module, tokens, chosen, choose }) {
    const [sum, norm] = [inside.get(module, "sum"), inside.get(module, "norm")];
    const spread = (matrix) => `mean ${numberText(meanOf(matrix.row(chosen)))}, standard deviation ${numberText(deviationOf(matrix.row(chosen)))}`;
    return [
      formula(norm ? FORMULAS.norm : FORMULAS.preNorm),
      make("p", { textContent: `“${wordOf(tokens[chosen])}”, the sum: ${spread(sum)}.${norm ? ` Normalized, with the gain and shift that were learned: ${spread(norm)}.` : ""}` }),
      numbersRow(
        numbersView({ name: "x + Sublayer(x)", title: "the sum", matrix: sum, rows: tokens, chosen, choose }),
        norm && numbersView({ name: "LayerNorm", title: "normalized", matrix: norm, chosen, choose }),
      ),
    ];
  },
  feed({ inside, module, tokens, chosen, choose }) {
    const [hidden, output] = [inside.get(module, "hidden"), inside.get(module, "output")];
    const on = hidden.row(chosen).reduce((count, value) => count + (value !== 0), 0);
    return [
      inside.gated_ffn ? "" : formula(inside.activation === "relu" ? FORMULAS.feed : FORMULAS.feedOther(inside.activation)),
      make("p", { textContent: `For “${wordOf(tokens[chosen])}” ${on} of ${hidden.cols} hidden units are not zero.` }),
      numbersRow(
        numbersView({ name: "hidden", title: "after the nonlinearity", matrix: hidden, rows: tokens, chosen, choose }),
        numbersView({ name: "FFN", title: "output", matrix: output, chosen, choose }),
      ),
    ];
  },
  recurrence({ inside, module, tokens, chosen, choose }) {
    return [
      make("p", { textContent: "In place of attention, a simple recurrent unit carries what was read from token to token: a weighted mean of what it has and of what comes." }),
      numbersRow(numbersView({ name: "SSRU", title: "output", matrix: inside.get(module, "output"), rows: tokens, chosen, choose })),
    ];
  },
  experts({ inside, module, tokens, chosen, choose }) {
    const router = inside.get(module, "router");
    return [
      make("p", { textContent: `Of several networks a router chooses some for each token, by these probabilities; what they give is added.` }),
      numbersRow(
        router && numbersView({ name: "router", title: "probability of each expert", matrix: router, rows: tokens, chosen, weights: true, choose }),
        numbersView({ name: "FFN", title: "output", matrix: inside.get(module, "output"), rows: router ? [] : tokens, chosen, choose }),
      ),
    ];
  },
  output({ inside, tokens, chosen }) {
    const found = inside.next[chosen];
    const largest = found[0].probability;
    return [
      formula(FORMULAS.output),
      make("p", { textContent: `After “${wordOf(tokens[chosen])}”, the ${found.length} most probable of ${inside.vocabulary} tokens:` }),
      table(
        "The most probable tokens",
        ["token", "logit", "probability", ""],
        found.map(({ token, logit, probability: share }) => [wordOf(token), numberText(logit), `${(100 * share).toFixed(1)} %`, shareBar(share / largest)]),
      ),
    ];
  },
};

// Layers may have experts in place of one network.
const explained = (inside, opens, module) => (opens === "feed" && !inside.has(module, "hidden") ? "experts" : opens);

function showBox() {
  if (!run.inside) return;
  const { inside, box: id } = run;
  const { stack, opens, of } = BOXES[id];
  const layer = isInLayer(id) ? run.layers[stack] : 0;
  const module = of?.(layer)[0];
  const tokens = inside.tokensOf(stack);
  const chosen = Math.min(run.rows[stack], tokens.length - 1);
  const where = `${stack}${isInLayer(id) ? `, layer ${layer + 1}` : ""}`;
  const focused = document.activeElement?.closest("#box-numbers .pills") ? [...byId("box-numbers").querySelectorAll("button")].indexOf(document.activeElement) : -1;
  byId("box-name").textContent = titleOf(id);
  byId("box-where").textContent = isOfText(id) ? "behind the encoder, the whole text" : `${where}, “${wordOf(tokens[chosen])}”`;
  if (opens !== "attention") sumPlayer.pause();
  byId("box-numbers").replaceChildren(...EXPLAIN[explained(inside, opens, module)]({ inside, id, stack, tokens, chosen, module, choose: chooseRow(stack) }).filter(Boolean));
  for (const cells of byId("box-numbers").querySelectorAll(".cells")) cells.dataset.of ||= stack;
  if (focused >= 0) byId("box-numbers").querySelectorAll("button")[focused]?.focus();
}

views.push({
  connect() {
    byId("box-name").after(
      exportBar({
        name: "box",
        title: () => `${byId("box-name").textContent}: ${byId("box-where").textContent}`,
        drawing: () => byId("box-numbers"),
        data: () => boxNumbers(),
      }),
    );
  },
  show: showBox,
  moment: showBox,
});

// The numbers of the box, row by row.
function boxNumbers() {
  const { inside, box: id } = run;
  const { stack, of } = BOXES[id];
  const module = of?.(isInLayer(id) ? run.layers[stack] : 0)[0];
  if (!module) return isOfText(id) ? { classes: classShares(inside) } : { next: inside.next };
  return Object.fromEntries(
    inside.values.filter((value) => value.module === module).map(({ name, shape: [rows, cols] }) => [name, rowsOf(inside.get(module, name).values, rows, cols)]),
  );
}
