// The view of a training: a translator learns here, from random weights, the sentences of a small grammar, or of one's own. What the page
// shows meanwhile is the model of the moment, so that one sees its maps sharpen.
//
// training.curve  {step, loss}: of every step; training.checked: of the validations
// training.stop    ends it; null while nothing is trained
// training.latest  the model to be shown next, while another is shown
const training = { stop: null, engine: null, curve: [], checked: [], bytes: null, latest: null, showing: null };

const TRAINED = "trained here";
const CURVE = { width: 520, height: 170, left: 40, bottom: 22, top: 8 };
const SHAPES = { width: [32, 64, 128], layers: [1, 2, 3], heads: [1, 2, 4, 8], steps: [200, 400, 800, 1600] };
const CHOSEN = { width: 64, layers: 2, heads: 4, steps: 400 };

function curveSvg() {
  const { width, height, left, bottom, top } = CURVE;
  const svg = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, class: "curve", role: "img" });
  const all = [...training.curve, ...training.checked];
  const last = Math.max(10, ...all.map(({ step }) => step));
  const most = Math.max(1, ...training.curve.map(({ loss }) => loss));
  const x = (step) => left + ((width - left - 8) * step) / last;
  const y = (loss) => top + (height - top - bottom) * (1 - loss / most);
  svg.append(svgElement("title", {}, "Loss by step"));
  for (let loss = 0; loss <= most; ++loss) {
    svg.append(svgElement("line", { class: "grid-line", x1: left, x2: width - 8, y1: y(loss), y2: y(loss) }));
    svg.append(svgElement("text", { x: left - 8, y: y(loss) + 4, "text-anchor": "end" }, String(loss)));
  }
  svg.append(svgElement("text", { x: width - 8, y: height - 4, "text-anchor": "end" }, `step ${last}`), svgElement("text", { x: left, y: height - 4 }, "loss: each step, and of other sentences"));
  const line = (points, name) => svg.append(svgElement("polyline", { class: name, points: points.map(({ step, loss }) => `${x(step).toFixed(1)},${y(Math.min(loss, most)).toFixed(1)}`).join(" ") }));
  line(training.curve, "loss");
  line(training.checked, "loss checked");
  return svg;
}

// The curve at most ten times a second.
let drawnAt = 0;
function showCurve(now = performance.now()) {
  if (now - drawnAt < 100) return;
  drawnAt = now;
  byId("train-curve").replaceChildren(curveSvg());
}

const linesOfField = (id) => byId(id).value.split("\n").map((line) => line.trim());

// The sentences of one's own if there are any, else those of the grammar.
async function sentencesToTrain() {
  const [src, tgt] = ["train-src", "train-tgt"].map(linesOfField);
  if (!src.join("") && !tgt.join("")) return training.engine.demo({ sentences: 3000, validSentences: 50 });
  if (src.length !== tgt.length) throw new Error(`A line for a line: there are ${src.length} sentences and ${tgt.length} translations.`);
  return { train: { src, tgt }, valid: { src: src.slice(-50), tgt: tgt.slice(-50) } };
}

const allAnswered = async () => {
  while (asked.running) await new Promise((resolve) => setTimeout(resolve, 20));
};

// The model of the moment in place of the one that was trained before, which has answered all that it was asked.
async function showTrained(bytes) {
  await allAnswered();
  training.bytes = bytes;
  const before = engine.models.filter(({ about }) => about.name === TRAINED);
  const trained = await loadedModel(TRAINED, new Blob([bytes]));
  await allAnswered();
  engine.models = [...engine.models.filter((one) => !before.includes(one)), trained];
  question.model = TRAINED;
  asked.unchangedFor = null;
  await listModels();
  await ask();
  await allAnswered();
  for (const { model } of before) model.close();
}

// Models come faster than slow browsers show them: then some are left out.
async function showLatest(model) {
  training.latest = model;
  if (training.showing) return training.showing;
  training.showing = (async () => {
    while (training.latest) {
      const { steps, bytes } = training.latest;
      training.latest = null;
      await showTrained(bytes);
      tellTranslation(steps);
    }
  })();
  await training.showing.finally(() => (training.showing = null));
}

function tellTranslation(steps) {
  const loss = training.checked.at(-1)?.loss;
  const said = make("li", {}, make("span", { className: "quiet", textContent: `step ${steps}${loss ? `, loss ${loss.toFixed(2)}` : ""}: ` }), state.answer?.translation ?? "");
  byId("train-said").prepend(said);
  while (byId("train-said").childElementCount > 12) byId("train-said").lastChild.remove();
}

function showTraining(text) {
  byId("train-state").textContent = text;
  byId("train-start").disabled = Boolean(training.stop);
  byId("train-stop").disabled = !training.stop;
  byId("train-save").disabled = !training.bytes;
}

async function train() {
  const shape = Object.fromEntries(Object.keys(SHAPES).map((name) => [name, Number(byId(`train-${name}`).value)]));
  training.stop = new AbortController();
  Object.assign(training, { curve: [], checked: [], bytes: null });
  byId("train-said").replaceChildren();
  if (!question.text) question.text = byId("text").value = engine.page.text;
  showTraining("Starting …");
  try {
    training.engine ??= await attend.start({ wasm: await unpacked("attend-engine") });
    const { train: given, valid } = await sentencesToTrain();
    const file = (lines) => `${lines.join("\n")}\n`;
    const files = { "train.src": file(given.src), "train.tgt": file(given.tgt), "valid.src": file(valid.src), "valid.tgt": file(valid.tgt) };
    const found = await training.engine.train("translation", files, {
      srcTrain: "train.src", tgtTrain: "train.tgt", srcValid: "valid.src", tgtValid: "valid.tgt",
      tokenizer: "wordpiece", vocabSize: 500, dModel: shape.width, nHeads: shape.heads, dFf: 4 * shape.width, nEncoderLayers: shape.layers, nDecoderLayers: shape.layers,
      dropout: 0, batchTokens: 1024, maxSteps: shape.steps, validEvery: 20, warmupSteps: Math.ceil(shape.steps / 5),
      signal: training.stop.signal,
      onProgress: (event) => {
        if (event.event === "step") training.curve.push(event);
        if (event.event === "validation") training.checked.push(event);
        if (event.event === "step") showTraining(`Step ${event.step} of ${shape.steps}, ${Math.round(event.tokensPerSecond).toLocaleString("en")} tokens/s`);
        showCurve();
      },
      onModel: (model) => showLatest(model).catch((error) => say(faultOf(error).message, true)),
    });
    if (found.bytes) await showLatest(found);
    training.stop = null;
    showTraining(found.complete ? `Trained in ${found.steps} steps.` : `Stopped after ${found.steps} steps.`);
  } catch (error) {
    training.stop = null;
    showTraining(faultOf(error).message);
  }
  drawnAt = 0;
  showCurve();
}

function trainForm() {
  const chooser = (name) =>
    make("label", {}, `${name} `, make("select", { id: `train-${name}` }, ...SHAPES[name].map((value) => make("option", { value, textContent: value, selected: value === CHOSEN[name] }))));
  return make(
    "div",
    { className: "panel" },
    make("p", { textContent: "A Transformer with random weights learns to translate in this browser: 3,000 sentences of a small grammar, English and German, unless you give your own. While it trains, this whole page shows it: the figure, the maps and the translation above are those of the model of the moment." }),
    make("div", { className: "fields" }, ...Object.keys(SHAPES).map(chooser)),
    make(
      "details",
      {},
      make("summary", { textContent: "Sentences of your own" }),
      make("div", { className: "fields both" }, make("label", {}, "Sentences, one per line", make("textarea", { id: "train-src", rows: 4 })), make("label", {}, "Translations, line by line", make("textarea", { id: "train-tgt", rows: 4 }))),
    ),
    make(
      "div",
      { className: "fields" },
      make("button", { type: "button", className: "main", id: "train-start", textContent: "Train", onclick: train }),
      make("button", { type: "button", id: "train-stop", textContent: "Stop", disabled: true, onclick: () => training.stop.abort() }),
      make("button", { type: "button", id: "train-save", textContent: "Save the model", disabled: true, onclick: () => save("application/octet-stream", training.bytes, "model.safetensors") }),
    ),
    make("p", { id: "train-state", className: "quiet", role: "status" }),
    make("div", { id: "train-curve" }),
    make("ol", { id: "train-said", ariaLabel: "The translation while it was trained" }),
  );
}

views.push({
  show() {
    if (byId("train") || !engine.attend) return;
    byId("more").append(make("details", { id: "train" }, make("summary", { textContent: "Train one here" }), trainForm()));
  },
});
