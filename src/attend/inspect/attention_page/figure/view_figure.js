// The view of the model at work: figure 1 of the paper, in which the vectors of the text flow. A box opens (view_box.js).
//
// run.inside      what was computed; null before the first answer, and where there is no figure
// run.refused     why there is none; empty where there is one
// run.moments     the steps of the computation, and run.at, the last one that has been made
// run.stepByStep  whether the decoder writes one token after the other, or is told all of them at once, as in training
// run.layers      the layer of each stack that is shown
// run.box         the box that is open, and run.head and run.rows, its head and the tokens of each stack that it explains
const run = { inside: null, refused: "", of: "", moments: [], at: 0, stepByStep: true, layers: { encoder: 0, decoder: 0 }, box: "encoder-self", head: 0, rows: { encoder: 0, decoder: 0 } };

const figureBoxes = () => [...byId("figure-boxes").children];
const boxElement = (id) => byId("figure-boxes").querySelector(`[data-id=${id}]`);
const momentNow = () => run.moments[run.at];
const titleOf = (id) => {
  if (isInLayer(id)) return id.endsWith("-norm") && run.inside?.norm_first ? "Add" : BOXES[id].title;
  return isOfText(id) && run.inside ? titleOfText(id, run.inside) : BOXES[id].title;
};

const SAYS = {
  embedding: (tokens) => `Each of ${tokens} becomes a vector: a row of a table that was learned.`,
  position: () => "Where a token stands is added to its vector, for attention alone knows no order.",
  "encoder-self": () => "Each token looks at all tokens of the sentence and takes a weighted mean of their values.",
  "decoder-self": () => "Each token looks back at those before it. The mask hides those that come after.",
  "decoder-cross": () => "The decoder looks at the source: queries come from what is written, keys and values from the encoder.",
  recurrence: () => "What was read is carried on from token to token.",
  norm: () => "What was found is added to what was there, and the sum is normalized.",
  feed: () => "Each token is changed by itself, by two linear maps with a nonlinearity between.",
  linear: () => "A score for each word of the vocabulary.",
  pooling: (tokens) => `The vectors of ${tokens} become one, that of the text.`,
  dense: () => "The vector of the text goes through a layer of its own.",
  classes: () => "A score for each class, and of the scores probabilities.",
  normalize: () => "The vector is divided by its length: only its direction counts.",
  softmax: () => "Scores become probabilities. The most probable word is a good choice; beam search looks further.",
};

function captionOf({ id, layer, row }) {
  if (!figurePlayer.isRunning() && run.at === run.moments.length - 1) return ["All of it is computed", "Play shows how, step by step. Point at a vector, or at a token below, to follow it. Click a box to open it: its formula and its numbers for this text."];
  const { stack, opens } = BOXES[id];
  const { read = [], source = [] } = run.inside.tokens;
  const tokens = row === null ? `the ${(stack === "encoder" ? source : read).length} tokens` : `“${wordOf(read[row])}”`;
  const says = SAYS[id] ?? SAYS[opens];
  const where = isInLayer(id) ? `, layer ${layer + 1}` : "";
  const next = id === "softmax" && row !== null ? run.inside.writtenAt(row) : undefined;
  const written = next === undefined ? "" : ` Written: “${wordOf(next)}”.`;
  return [`${isOfText(id) ? "Behind the encoder" : stack === "encoder" ? "Encoder" : "Decoder"}${where}: ${titleOf(id).toLowerCase()}`, says(tokens) + written];
}

// The moment in which a box last computed, up to now: its layer, and the tokens that it has.
function stateOfBox(id) {
  const { stack } = BOXES[id];
  const layer = isInLayer(id) ? run.layers[stack] : 0;
  let rows = -1;
  for (const moment of run.moments.slice(0, run.at + 1)) {
    if (BOXES[moment.id].stack !== stack) continue;
    const passed = moment.id === id ? moment.layer >= layer : isAfter(moment, id, layer);
    if (passed) rows = moment.row === null ? Infinity : Math.max(rows, moment.row);
  }
  return { layer, rows };
}

// Whether a moment comes after this box in its stack: then the box has computed, too.
function isAfter(moment, id, layer) {
  const { stack } = BOXES[id];
  const rank = (one, l) => (INPUTS[stack].includes(one) ? INPUTS[stack].indexOf(one) : OUTPUTS[stack].includes(one) ? 1e6 + OUTPUTS[stack].indexOf(one) : 100 + 10 * l + LAYER[stack].indexOf(one));
  return rank(moment.id, moment.layer) > rank(id, layer);
}

function makeBox(id) {
  const box = make("button", { type: "button", className: `box ${BOXES[id].color}` }, make("span", { className: "name" }), make("canvas"));
  const { x, y, width, height } = boxPlace(id);
  box.style.cssText = `left:${(100 * x) / FIGURE.width}%;top:${(100 * y) / FIGURE.height}%;width:${(100 * width) / FIGURE.width}%;height:${(100 * height) / FIGURE.height}%`;
  box.dataset.id = id;
  return box;
}

function frameOf(stack, has) {
  const ids = LAYER[stack].filter(has);
  if (!ids.length) return [];
  const x = FIGURE.column[stack] - FIGURE.box / 2 - 30;
  const y = TOPS[ids.at(-1)] - 34;
  return [svgElement("rect", { class: "frame", x, y, width: FIGURE.box + 60, height: TOPS[ids[0]] + HIGH + 24 - y, rx: 14 })];
}

// Which layer a tower shows.
function layerSwitch(stack, has) {
  const ids = LAYER[stack].filter(has);
  const count = run.inside.layers[stack] ?? 0;
  if (!ids.length || count < 2) return [];
  const select = make("select", {}, ...Array.from({ length: count }, (_, layer) => make("option", { value: layer, textContent: `layer ${layer + 1} of ${count}` })));
  select.setAttribute("aria-label", `Layer of the ${stack}`);
  select.dataset.stack = stack;
  select.className = "layer";
  select.style.cssText = `left:${(100 * (FIGURE.column[stack] - FIGURE.box / 2 - 22)) / FIGURE.width}%;top:${(100 * (TOPS[ids.at(-1)] - 29)) / FIGURE.height}%`;
  return [select];
}

function makeFigure() {
  const has = (id) => hasBox(run.inside, id);
  const ids = Object.keys(BOXES).filter(has);
  const svg = byId("figure-lines");
  svg.setAttribute("viewBox", `0 0 ${FIGURE.width} ${FIGURE.height}`);
  const lines = figureLines(has).flatMap(({ to, path, tip, skip }) => {
    const drawn = [svgElement("path", { d: path, class: skip ? "line skip" : "line" }), svgElement("path", { d: tip, class: "tip" })];
    for (const part of drawn) part.dataset.to = to;
    return drawn;
  });
  const waves = ["encoder", "decoder"].filter((stack) => has(`${stack}-position`)).map((stack) => {
    const x = FIGURE.column[stack] + (stack === "encoder" ? -1 : 1) * (FIGURE.box / 2 + 22);
    const wave = svgElement("g", { class: "wave", transform: `translate(${x} ${TOPS[`${stack}-position`] + 13})` });
    wave.append(svgElement("circle", { r: 14 }), svgElement("path", { d: WAVE }));
    return wave;
  });
  svg.querySelector("#figure-drawn").replaceChildren(...["encoder", "decoder"].flatMap((stack) => frameOf(stack, has)), ...lines, ...waves);
  byId("figure-boxes").replaceChildren(...ids.map(makeBox));
  byId("figure-layers").replaceChildren(...["encoder", "decoder"].flatMap((stack) => layerSwitch(stack, has)));
  byId("figure-source").hidden = !has("encoder-embedding");
  byId("figure-read").hidden = !has("decoder-embedding");
  byId("figure-next").hidden = !has("softmax") && !has("class-shares");
  byId("figure-next").ariaLabel = has("class-shares") ? "The classes" : "The most probable next words";
  byId("figure-mode").hidden = !has("decoder-embedding");
  byId("figure-lines").parentElement.classList.toggle("alone", !has("decoder-embedding"));
  if (!has(run.box)) run.box = ids.find((id) => BOXES[id].opens === "attention") ?? ids[0];
}

// The most probable words at a place, the written one marked.
function showNextWords(row) {
  const tokens = run.inside.next?.[row] ?? [];
  byId("figure-next").replaceChildren(...tokens.slice(0, 4).map(({ token, probability: share }) => nextBar(wordOf(token), share, token === run.inside.writtenAt(row))));
}

function nextBar(text, share, isChosen) {
  const bar = make("li", {}, make("span", { className: "word", textContent: text }), make("i"), make("span", { className: "share-text", textContent: percent(share) }));
  bar.style.setProperty("--share", share.toFixed(4));
  bar.classList.toggle("path", isChosen);
  return bar;
}

// The classes of the text, the one that was chosen marked.
function showNextClasses() {
  byId("figure-next").replaceChildren(...classShares(run.inside).slice(0, 6).map(({ label, probability: share }, i) => nextBar(label, share, i === 0)));
}

function showTokens(id, label, tokens, isShown, chosen, read) {
  const list = byId(id);
  const focused = list.contains(document.activeElement);
  readAs(tokens.map((text) => ({ text, marks: /^<.*>$/.test(text) })), list);
  list.replaceChildren(
    make("span", { className: "quiet", textContent: label }),
    ...tokens.map((token, index) => {
      const button = make("button", { type: "button", className: "token", textContent: wordOf(token) });
      button.dataset.index = index;
      button.dataset.stack = read;
      button.classList.toggle("unseen", !isShown(index));
      button.setAttribute("aria-pressed", String(index === chosen));
      button.tabIndex = index === chosen ? 0 : -1;
      return button;
    }),
  );
  if (focused) list.querySelector("[aria-pressed=true]").focus();
}

// Draws the figure as it is at this moment.
function showFigure() {
  const { inside } = run;
  byId("running").hidden = !inside;
  byId("no-figure").hidden = !run.refused;
  byId("no-figure").textContent = run.refused && `There is no figure here: ${run.refused}.`;
  if (!inside) return;
  const now = momentNow();
  const colors = numberColors();
  for (const box of figureBoxes()) {
    const { id } = box.dataset;
    const { layer, rows } = stateOfBox(id);
    const active = now.id === id && (!isInLayer(id) || now.layer === layer);
    const canvas = box.lastChild;
    const matrix = BOXES[id].of && rows >= 0 ? leaves(inside, id, layer) : null;
    canvas.hidden = !matrix;
    if (matrix) drawPrints(canvas, matrix, colors, (token) => token <= rows);
    box.firstChild.textContent = titleOf(id);
    box.classList.toggle("done", rows >= 0);
    box.classList.toggle("active", active);
    box.setAttribute("aria-pressed", String(id === run.box));
    if (active) box.setAttribute("aria-current", "step");
    else box.removeAttribute("aria-current");
    box.tabIndex = id === run.box ? 0 : -1;
  }
  for (const line of byId("figure-drawn").querySelectorAll(".line, .tip")) line.classList.toggle("active", line.dataset.to === now.id);
  for (const select of byId("figure-layers").children) select.value = run.layers[select.dataset.stack];
  const read = stateOfBox("decoder-embedding").rows;
  showTokens("figure-source", "inputs", inside.tokens.source ?? [], () => true, run.rows.encoder, "encoder");
  showTokens("figure-read", "outputs, shifted right", inside.tokens.read ?? [], (index) => index <= read, run.rows.decoder, "decoder");
  figurePlayer.show();
  byId("figure-mode").value = run.stepByStep ? "steps" : "once";
  showFollowed();
}

// What is said of the moment, or of the vector that is followed, and the words that may come next.
function showCaption() {
  const row = run.followed?.stack === "decoder" ? run.followed.token : run.rows.decoder;
  const done = hasBox(run.inside, "softmax") ? stateOfBox("softmax").rows : -1;
  if (hasBox(run.inside, "class-shares") && stateOfBox("class-shares").rows >= 0) showNextClasses();
  else if (done >= 0) showNextWords(Math.min(done, row));
  else byId("figure-next").replaceChildren();
  const texts = run.followed ? captionOfFollowed() : captionOf(momentNow());
  byId("figure-caption").ariaLive = figurePlayer.isRunning() ? "off" : "polite";
  ["figure-title", "figure-says"].forEach((id, i) => byId(id).textContent === texts[i] || (byId(id).textContent = texts[i]));
}

// Goes to a moment. What is computed then is what the figure shows: its layer, and its token.
function goToMoment(at) {
  run.at = at;
  const { id, layer, row } = momentNow();
  if (isInLayer(id)) run.layers[BOXES[id].stack] = layer;
  if (row !== null) run.rows.decoder = row;
  if (BOXES[id].stack === "decoder" && BOXES[run.box].stack === "decoder") run.layers.encoder = Math.max(0, (run.inside.layers.encoder ?? 1) - 1);
  showFigure();
  tell("moment");
}

// Vectors on their way into a box: dots along its lines.
function moveDots(share) {
  const { id, row } = momentNow();
  const count = row === null ? Math.min(8, run.inside.tokensOf(BOXES[id].stack).length) : 1;
  const lines = [...byId("figure-drawn").querySelectorAll(`.line[data-to=${id}]`)];
  const dots = byId("figure-dots");
  while (dots.childElementCount < lines.length * count) dots.append(svgElement("circle", { r: 3 }));
  while (dots.childElementCount > lines.length * count) dots.lastChild.remove();
  lines.forEach((line, l) => {
    const length = line.getTotalLength();
    for (let i = 0; i < count; ++i) {
      const place = Math.max(0, Math.min(1, share * 1.4 - (0.4 * i) / count));
      const { x, y } = line.getPointAtLength(length * place);
      const dot = dots.children[l * count + i];
      dot.setAttribute("cx", x + (i - (count - 1) / 2) * 4);
      dot.setAttribute("cy", y);
      dot.style.opacity = place > 0 && place < 1 ? 1 : 0;
    }
  });
}

const figurePlayer = new Player({
  id: "figure",
  name: "Moment of the computation",
  count: () => run.moments.length,
  at: () => run.at,
  says: () => captionOf(momentNow())[0],
  go: goToMoment,
  between: moveDots,
  rests() {
    byId("figure-dots").replaceChildren();
    if (run.inside) showFigure();
  },
});

function openBox(id) {
  run.box = id;
  const { kind, stack } = BOXES[id];
  showFigure();
  if (kind && state.picture?.has(kind)) select(kind, run.layers[stack], run.head);
  else tell("moment");
  writeAddress();
}

// Boxes by the arrow keys: up and down in a tower, and across.
function boxStep(key, from, list) {
  const own = BOXES[list[from].dataset.id].stack;
  const up = list.findIndex((box, i) => i > from && BOXES[box.dataset.id].stack === own);
  const down = list.findLastIndex((box, i) => i < from && BOXES[box.dataset.id].stack === own);
  const across = list.findIndex(({ dataset }) => BOXES[dataset.id].stack !== own && TOPS[dataset.id] <= TOPS[list[from].dataset.id]);
  const steps = { ArrowUp: up, ArrowDown: down, ArrowRight: own === "encoder" ? across : -1, ArrowLeft: own === "decoder" ? across : -1, Home: 0, End: list.length - 1 };
  return key in steps ? steps[key] : -1;
}

// The open box, its layer, the head and the token, as a link has them.
function placeOfBox() {
  const { stack } = BOXES[run.box];
  return [run.box, run.layers[stack] + 1, run.head + 1, run.rows[stack] + 1].join(",");
}

// Shows what was computed for another text, or nothing.
function openInside(text) {
  figurePlayer.pause();
  Object.assign(run, { inside: text, followed: null });
  if (!text) return;
  run.moments = momentsOf(text, run.stepByStep);
  run.at = run.moments.length - 1;
  for (const stack of ["encoder", "decoder"]) {
    run.layers[stack] = Math.min(run.layers[stack], Math.max(0, (text.layers[stack] ?? 1) - 1));
    run.rows[stack] = Math.min(run.rows[stack], Math.max(0, (text.tokensOf(stack)?.length ?? 1) - 1));
  }
  run.head = Math.min(run.head, text.heads - 1);
  makeFigure();
  run.first ??= placeOfBox();
}

views.push({
  connect() {
    byId("figure-boxes").addEventListener("click", (event) => {
      const box = event.target.closest(".box");
      const pointed = event.detail > 0 && vectorUnder(event);
      if (pointed) run.rows[pointed.stack] = pointed.token;
      if (box) openBox(box.dataset.id);
      if (box && event.detail > 0 && matchMedia("(max-width: 60rem)").matches) byId("box").scrollIntoView();
    });
    roveFocus(byId("figure-boxes"), ".box", boxStep);
    byId("figure-layers").addEventListener("change", ({ target }) => {
      run.layers[target.dataset.stack] = Number(target.value);
      showFigure();
      openBox(run.box);
    });
    for (const id of ["figure-source", "figure-read"]) roveFocus(byId(id), "button", lineStep);
    for (const id of ["figure-source", "figure-read"])
      byId(id).addEventListener("click", ({ target }) => {
        if (target.dataset.index === undefined) return;
        run.rows[target.dataset.stack] = Number(target.dataset.index);
        showFigure();
        tell("moment");
        writeAddress();
      });
    byId("figure-mode").before(...figurePlayer.elements);
    byId("figure-mode").addEventListener("change", ({ target }) => {
      figurePlayer.pause();
      run.stepByStep = target.value === "steps";
      run.moments = momentsOf(run.inside, run.stepByStep);
      goToMoment(run.moments.length - 1);
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => showFigure());
  },
  async answered(fields) {
    const { text, refused, kept } = await inside(fields);
    if (kept) return;
    run.refused = refused;
    openInside(text);
  },
  show: showFigure,
  address(fields) {
    if (run.inside && placeOfBox() !== run.first) fields.set("box", placeOfBox());
  },
  read(fields) {
    const [id, layer, head, row] = (fields.get("box") ?? "").split(",");
    if (!Object.hasOwn(BOXES, id)) return;
    run.first ??= ""; // a link keeps what it says
    const whole = (text) => (text > 0 ? Math.floor(text) - 1 : 0);
    run.box = id;
    run.head = whole(head);
    run.layers[BOXES[id].stack] = whole(layer);
    run.rows[BOXES[id].stack] = whole(row);
  },
});

// Everything that the model computes with these fields; or null and the reason, as of recurrent networks, and of texts with too many numbers.
async function inside(fields) {
  const key = JSON.stringify([fields, state.answer.translation]);
  if (run.of === key) return { kept: true };
  run.of = key;
  try {
    const asked = { ...fields, translation: state.answer.translation ?? "" };
    delete asked.prefix;
    return { text: new Inside(await (await call("/explore/inside", filled(asked))).json()), refused: "" };
  } catch (error) {
    return { text: null, refused: error.message };
  }
}
