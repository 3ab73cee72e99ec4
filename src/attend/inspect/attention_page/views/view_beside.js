// The view of two answers side by side: to another text, or of another model; and what moves.
//
// state.other   the other question: {text, model}; empty: the same
// state.beside  {answer, picture} of it; null: there is none
Object.assign(state, { other: { text: "", model: "" }, beside: null });

const LARGEST_BESIDE = 64; // words of a map that is drawn beside another

// The words of two texts on one axis: {text, at: [place in the one, place in the other]}, null where one lacks it. Between words that both
// have, as many on either side stand for each other: "house → dog".
function alignedAxis(before, after) {
  const axis = [];
  let [i, j] = [0, 0];
  for (const [a, b] of [...compareWords(before, after).pairs, [before.length, after.length]]) {
    if (a - i === b - j) while (i < a) axis.push({ text: `${before[i]} → ${after[j]}`, at: [i++, j++] });
    while (i < a) axis.push({ text: before[i], at: [i++, null] });
    while (j < b) axis.push({ text: after[j], at: [null, j++] });
    if (a < before.length) axis.push({ text: before[a], at: [i++, j++] });
  }
  return axis;
}

const alignedAxes = (kind) =>
  Object.fromEntries(["row", "col"].map((side) => [side, alignedAxis(...[state, state.beside].map(({ picture }) => textsOf(picture.labels(kind, side, "words"))))]));

// The maps of one place in both pictures; null if one has no such map.
function bothMaps(kind, layer, head) {
  const pictures = [state.picture, state.beside.picture];
  const has = ({ data: { maps } }) => maps[kind].pieces.length > (layer ?? 0) && (head === null || maps[kind].pieces[layer].length > head);
  return pictures.every(has) ? pictures.map((picture) => picture.map(kind, "words", layer, head)) : null;
}

// How much of the attention of the words that are on both sides goes elsewhere: 0 … 1.
function movedBetween([ours, theirs], { row, col }) {
  const [rows, cols] = [row, col].map((axis) => axis.map(({ at }) => at).filter((at) => !at.includes(null)));
  let moved = 0;
  for (const [rowA, rowB] of rows) {
    let [restA, restB, sum] = [1, 1, 0];
    for (const [colA, colB] of cols) {
      const [a, b] = [ours.share(rowA, colA), theirs.share(rowB, colB)];
      sum += Math.abs(a - b);
      restA -= a;
      restB -= b;
    }
    moved += (sum + Math.abs(restA - restB)) / 2;
  }
  return rows.length ? moved / rows.length : 0;
}

function moves() {
  const numbers = {};
  for (const kind of state.picture.kinds()) {
    const axes = alignedAxes(kind);
    for (const name of state.picture.heads(kind)) {
      const { layer, head } = state.picture.placeOf(name);
      const maps = bothMaps(kind, layer, head);
      if (maps) numbers[name] = movedBetween(maps, axes);
    }
  }
  return numbers;
}

// Both maps on the same axes, row by row: NaN where one lacks a word.
function alignedValues(maps, { row, col }) {
  const share = (one, a, b) => (a === null || b === null ? NaN : maps[one].share(a, b));
  return maps.map((_, one) => row.flatMap(({ at: a }) => col.map(({ at: b }) => share(one, a[one], b[one]))));
}

// The largest differences of two maps, in words.
function differencesTable([ours, theirs], rows, cols) {
  const found = ours.map((weight, i) => ({ i, weight, change: theirs[i] - weight })).filter(({ change }) => Math.abs(change) >= 0.01);
  found.sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
  const cells = found.slice(0, 6).map(({ i, weight, change }) => [rows[Math.floor(i / cols.length)], cols[i % cols.length], percent(weight), percent(weight + change), shareBar(change)]);
  return table("The largest differences", ["row", "looks at", "here", "there", "difference"], cells);
}

// The enlarged map of both on the same axes, and its weights row by row; without them if the other one has no such map.
function comparedMap() {
  const { kind, layer, head } = state;
  const maps = bothMaps(kind, layer, head);
  if (!maps) return { name: mapTitle() };
  const axes = alignedAxes(kind);
  return { name: mapTitle(), rows: textsOf(axes.row), cols: textsOf(axes.col), values: alignedValues(maps, axes) };
}

function besideMaps({ name, rows, cols, values }) {
  if (!values) return [make("p", { textContent: `${name}: the other model has no such map.` })];
  if (Math.max(rows.length, cols.length) > LARGEST_BESIDE) return [make("p", { textContent: `Maps of more than ${LARGEST_BESIDE} words are not drawn side by side.` })];
  const [ours, theirs] = values;
  const drawn = { Here: ours, There: theirs, Difference: ours.map((weight, i) => theirs[i] - weight) };
  return [
    make("p", { className: "quiet", textContent: `${name}. What only one side has is empty in the other. Difference: blue, more attention there; orange, less.` }),
    make("div", { className: "beside-maps" }, ...Object.entries(drawn).map(([title, weights]) => make("div", { className: "scroll" }, weightsSvg({ title, rows, cols, values: weights })))),
    differencesTable(values, rows, cols),
  ];
}

// What became of the words that are written.
function changedWords(before, after) {
  const list = (words) => words.map((word) => `“${word}”`).join(", ");
  const [gone, added] = [compareWords(after, before).added, compareWords(before, after).added];
  if (!gone.size && !added.size) return "The same words.";
  return [gone.size && `Only here: ${list(before.filter((_, i) => gone.has(i)))}.`, added.size && `Only there: ${list(after.filter((_, i) => added.has(i)))}.`].filter(Boolean).join(" ");
}

function besideNumbers() {
  const { name, rows, cols, values } = comparedMap();
  const [here, there] = (values ?? []).map((weights) => rowsOf(weights, rows.length, cols.length));
  return {
    here: answerNumbers(state.answer),
    other: state.other,
    there: answerNumbers(state.beside.answer),
    moved: headNumbers(moves(), "moved"),
    map: { name, rows, cols, here, there },
  };
}

function showOther() {
  const { answer } = state.beside;
  const words = textsOf(writtenWords(answer));
  byId("beside-name").textContent = [state.other.model && `${state.other.model}, unchanged`, state.other.text].filter(Boolean).join(": ") || "The same";
  byId("beside-words").hidden = Boolean(answer.classes);
  if (!answer.classes) showWords(byId("beside-words"), writtenWords(answer), textsOf(writtenWords(state.answer)), "");
  byId("beside-score").textContent = answer.classes
    ? answer.classes.map(({ label, probability: share }) => `${label} ${percent(share)}`).join(", ")
    : answer.log_probability === undefined ? "" : scoreText(answer);
  byId("beside-change").textContent = answer.classes ? "" : changedWords(textsOf(writtenWords(state.answer)), words);
}

// Models that do the same; this one, too, as it was trained.
function offerOther() {
  const task = models.find(({ name }) => name === question.model)?.task;
  const names = models.filter((model) => model.task === task).map(({ name }) => name);
  byId("with-model").replaceChildren(
    make("option", { value: "", textContent: "this one, with its changes" }),
    ...names.map((name) => make("option", { value: name, textContent: name === question.model ? `${name}, unchanged` : name })),
  );
  if (!names.includes(state.other.model)) state.other.model = "";
  byId("with-model").value = state.other.model;
}

function otherFields(fields) {
  const { text, model } = state.other;
  const other = { ...fields, text: text || fields.text };
  if (other.text !== fields.text) other.prefix = "";
  if (!model) return other;
  const { sources = [], targets = [] } = models.find(({ name }) => name === model) ?? {};
  Object.assign(other, { model, heads_off: [], attention_beta: [] });
  if (!sources.includes(other.source)) other.source = "";
  if (!targets.includes(other.target)) other.target = "";
  return other;
}

function readOther() {
  const open = !byId("with-fields").hidden;
  const text = byId("with").value.trim();
  state.other = { text: open && text !== byId("text").value.trim() ? text : "", model: open ? byId("with-model").value : "" };
}

views.push({
  connect() {
    byId("with-toggle").addEventListener("click", () => {
      const open = byId("with-fields").hidden;
      unfold("with-fields", open);
      offerOther();
      if (open && !byId("with").value) byId("with").value = byId("text").value;
      if (open) byId("with").focus();
    });
    byId("ask").addEventListener("submit", readOther, { capture: true });
    byId("beside").append(exportBar({ name: "beside", title: () => question.text, drawing: () => byId("beside"), data: besideNumbers }));
    byId("with-model").addEventListener("change", () => {
      readOther();
      ask();
    });
  },
  async answered(fields) {
    state.beside = null;
    offerOther();
    if (!state.other.text && !state.other.model) return;
    const answer = await explore(otherFields(fields));
    state.beside = { answer, picture: new Picture(answer.attention) };
  },
  show() {
    byId("beside").hidden = !state.beside;
    if (!state.beside) return;
    showOther();
    const numbers = moves();
    const text = (value) => `${percent(value)} of its attention moved`;
    byId("beside-moves").replaceChildren(ranking(numbers, text));
    setBadges(Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, -value])), (value) => text(-value));
    byId("beside-map").replaceChildren(...besideMaps(comparedMap()));
  },
  reset() {
    Object.assign(state, { beside: null, other: { text: state.other.text, model: "" } });
  },
  address(fields) {
    if (state.other.text) fields.set("with", state.other.text);
    if (state.other.model) fields.set("with_model", state.other.model);
  },
  read(fields) {
    state.other = { text: fields.get("with") ?? "", model: fields.get("with_model") ?? "" };
    byId("with").value = state.other.text;
    unfold("with-fields", Boolean(state.other.text || state.other.model));
  },
});
