// The page: one state, and the functions that show it.
//
//   kind, unit    the tab and the switch
//   layer, head   the enlarged map; null: the mean over all of them
//   pointed       what the pointer or the focus is on: {side: "row" | "col", index, other}, `other` being the index on the other side when
//                 a single cell is pointed at; null: nothing
//   kept          the same for what was clicked
const state = { kind: Object.keys(KINDS).find(hasMaps), unit: "words", layer: null, head: null, pointed: null, kept: null };

const byId = (id) => document.getElementById(id);
const other = (side) => (side === "row" ? "col" : "row");
const labels = (side) => labelsOf(state.kind, side, state.unit);
const maps = () => mapsOf(state.kind, state.unit);
// Self-attention of the encoder: the text is listed once.
const oneText = () => KINDS[state.kind].axes.row === KINDS[state.kind].axes.col;

function mapOf(layer, head) {
  if (layer === null) return maps().all;
  return head === null ? maps().layers[layer].mean : maps().layers[layer].heads[head];
}

function nameOf(layer, head) {
  if (layer === null) return "All layers, mean of all heads";
  return `Layer ${layer + 1}, ${head === null ? "mean of its heads" : `head ${head + 1}`}`;
}

// ---- the grid of all maps

function thumbnail(layer, head) {
  const canvas = make("canvas");
  const button = make("button", { type: "button", className: "map", title: nameOf(layer, head) }, canvas);
  button.setAttribute("aria-label", nameOf(layer, head));
  button.dataset.layer = layer ?? "";
  button.dataset.head = head ?? "";
  return button;
}

function showGrid() {
  const { layers } = maps();
  const heads = layers[0].heads.map((_, head) => head);
  const heading = (text, number) => make("span", { className: "heading" }, make("span", { className: "wide", textContent: text }), number);
  const grid = byId("grid");
  grid.style.setProperty("--heads", heads.length);
  grid.replaceChildren(
    make("span"),
    heading("", "mean"),
    ...heads.map((head) => heading("head ", String(head + 1))),
    ...layers.flatMap((_, layer) => [
      heading("layer ", String(layer + 1)),
      ...[null, ...heads].map((head) => thumbnail(layer, head)),
    ]),
    heading("", "all"),
    thumbnail(null, null),
  );
  drawGrid();
}

const thumbnails = () => [...byId("grid").querySelectorAll(".map")];
const numberOrNull = (text) => (text === "" ? null : Number(text));

function drawGrid() {
  for (const button of thumbnails()) {
    drawMap(button.firstChild, mapOf(numberOrNull(button.dataset.layer), numberOrNull(button.dataset.head)));
  }
}

function markSelected() {
  const list = thumbnails();
  const selected = list.findIndex(
    ({ dataset }) => numberOrNull(dataset.layer) === state.layer && numberOrNull(dataset.head) === state.head,
  );
  list.forEach((button, i) => button.setAttribute("aria-pressed", String(i === selected)));
  setStop(list, selected);
}

// ---- the enlarged map and its two sentences

function showSentences() {
  for (const side of ["row", "col"]) {
    byId(`${side}-role`).textContent = KINDS[state.kind].roles[side] ?? "";
    byId(`${side}-words`).hidden = byId(`${side}-role`).hidden = side === "col" && oneText();
    byId(`${side}-words`).replaceChildren(
      ...labels(side).map((label, i) => {
        const word = labelElement(label, "button", i);
        word.type = "button";
        word.tabIndex = i === 0 ? 0 : -1;
        return make("li", {}, word);
      }),
    );
    byId(`${side}-labels`).replaceChildren(...labels(side).map((label, i) => labelElement(label, "li", i)));
  }
  const matrix = byId("matrix");
  matrix.style.setProperty("--rows", labels("row").length);
  matrix.style.setProperty("--cols", labels("col").length);
}

function drawDetail() {
  byId("name").textContent = nameOf(state.layer, state.head);
  drawMap(byId("cells").querySelector("canvas"), mapOf(state.layer, state.head));
}

// ---- what is pointed at

function labelElements(side) {
  return [byId(`${side}-words`), byId(`${side}-labels`)].map((list) => [...list.querySelectorAll(".label")]);
}

function showFocus() {
  const focus = state.pointed ?? state.kept;
  const map = mapOf(state.layer, state.head);
  for (const side of ["row", "col"]) {
    const sharesOfOther = focus && side !== focus.side ? map.sharesOf(focus.side, focus.index) : [];
    labelElements(side).forEach((list, place) => {
      const shares = focus && place === 0 && oneText() ? map.sharesOf(focus.side, focus.index) : sharesOfOther;
      list.forEach((element, i) => {
        shade(element, shares[i]);
        element.classList.toggle("focus", focus !== null && (side === focus.side ? i === focus.index : i === focus.other));
      });
    });
    for (const word of byId(`${side}-words`).querySelectorAll(".label")) {
      const kept = state.kept?.side === side && state.kept.index === Number(word.dataset.index);
      word.setAttribute("aria-pressed", String(kept));
    }
  }
  showMark(focus);
  byId("reading").textContent = focus ? readingOf(focus, map) : "Point at a word to see what it looks at.";
  byId("reading").classList.toggle("quiet", focus === null);
}

// The frame around a row, a column or a cell of the enlarged map.
function showMark(focus) {
  const mark = byId("cells").querySelector(".mark");
  mark.hidden = focus === null;
  if (!focus) return;
  const position = { row: [0, labels("row").length], col: [0, labels("col").length] };
  position[focus.side] = [focus.index, 1];
  if (focus.other !== undefined) position[other(focus.side)] = [focus.other, 1];
  mark.style.setProperty("--row", position.row[0]);
  mark.style.setProperty("--row-span", position.row[1]);
  mark.style.setProperty("--col", position.col[0]);
  mark.style.setProperty("--col-span", position.col[1]);
}

// In words, with the largest shares.
function readingOf(focus, map) {
  const quoted = (side, index) => `“${labels(side)[index].text}”`;
  const shares = map.sharesOf(focus.side, focus.index);
  const listed =
    focus.other !== undefined
      ? [focus.other]
      : [...shares.keys()].filter((i) => shares[i] >= 0.005).sort((a, b) => shares[b] - shares[a]).slice(0, 4);
  if (listed.length === 0) return `No word looks at ${quoted(focus.side, focus.index)}.`;
  const list = listed.map((i) => `${quoted(other(focus.side), i)} ${percent(shares[i])}`).join(", ");
  const sentence = focus.side === "row" ? KINDS[state.kind].looks : KINDS[state.kind].lookedAt;
  return sentence(quoted(focus.side, focus.index), list);
}

function pointAt(focus) {
  state.pointed = focus;
  showFocus();
}

function keep(focus) {
  const same = state.kept && state.kept.side === focus.side && state.kept.index === focus.index;
  state.kept = same ? null : { side: focus.side, index: focus.index };
  showFocus();
}

function letGo() {
  state.kept = null;
  pointAt(null);
}

// ---- changes of state

function select(layer, head) {
  Object.assign(state, { layer, head });
  markSelected();
  drawDetail();
  showFocus();
  writeAddress();
}

// A kept word stays when its side of the new kind is the same sentence: the written words of cross and decoder.
function showKind(kind, unit) {
  const stays = state.kept && unit === state.unit && KINDS[kind].axes[state.kept.side] === KINDS[state.kind].axes[state.kept.side];
  Object.assign(state, { kind, unit, pointed: null, kept: stays ? state.kept : null });
  const known = data.maps[kind][unit];
  if (state.layer !== null && state.layer >= known.length) Object.assign(state, { layer: null, head: null });
  show();
}

function show() {
  for (const tab of byId("tabs").children) {
    tab.setAttribute("aria-selected", String(tab.dataset.kind === state.kind));
    tab.tabIndex = tab.dataset.kind === state.kind ? 0 : -1;
  }
  byId("panel").setAttribute("aria-labelledby", `tab-${state.kind}`);
  byId("units").querySelector(`[value=${state.unit}]`).checked = true;
  byId("about").textContent = KINDS[state.kind].about;
  byId("unit-note").textContent =
    state.unit === "words"
      ? "By words: a weight is the sum over the pieces of the word looked at, and the mean over the pieces of the word that looks."
      : "By pieces: ▁ marks the beginning of a word.";
  showGrid();
  showSentences();
  select(state.layer, state.head);
}

// A recurrent model has only the cross-attention, a classifier only that of the encoder.
function hasMaps(kind) {
  return data.maps[kind].pieces.length > 0;
}

// The address says what is shown, so that a view can be linked to and survives a reload: #cross/words/2/3, #encoder/pieces.
function writeAddress() {
  const numbers = [state.layer, state.head].filter((index) => index !== null).map((index) => index + 1);
  history.replaceState(null, "", `#${[state.kind, state.unit, ...numbers].join("/")}`);
}

function readAddress() {
  const [kind, unit, layer, head] = location.hash.slice(1).split("/");
  if (Object.hasOwn(KINDS, kind) && hasMaps(kind)) state.kind = kind;
  if (UNITS.includes(unit)) state.unit = unit;
  const { layers } = maps();
  state.layer = layers[layer - 1] ? layer - 1 : null;
  state.head = state.layer !== null && layers[state.layer].heads[head - 1] ? head - 1 : null;
}

// ---- events

function connectLabels(list, side) {
  const focusOf = (event) => {
    const label = event.target.closest(".label");
    return label && { side, index: Number(label.dataset.index) };
  };
  list.addEventListener("pointerover", (event) => event.pointerType === "mouse" && pointAt(focusOf(event)));
  list.addEventListener("pointerleave", () => pointAt(null));
  list.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && pointAt(focusOf(event)));
  list.addEventListener("focusout", () => pointAt(null));
  list.addEventListener("click", (event) => {
    const focus = focusOf(event);
    if (focus) keep(focus);
  });
}

function connectCells() {
  const cells = byId("cells");
  const focusOf = (event) => {
    const box = cells.getBoundingClientRect();
    const clamp = (value, count) => Math.min(count - 1, Math.max(0, Math.floor(value * count)));
    return {
      side: "row",
      index: clamp((event.clientY - box.top) / box.height, labels("row").length),
      other: clamp((event.clientX - box.left) / box.width, labels("col").length),
    };
  };
  cells.addEventListener("pointermove", (event) => pointAt(focusOf(event)));
  cells.addEventListener("pointerleave", () => pointAt(null));
  cells.addEventListener("click", (event) => keep(focusOf(event)));
}

function connect() {
  byId("tabs").addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (tab) showKind(tab.dataset.kind, state.unit);
  });
  byId("tabs").addEventListener("focusin", (event) => {
    if (event.target.matches(":focus-visible") && event.target.dataset.kind !== state.kind) showKind(event.target.dataset.kind, state.unit);
  });
  roveFocus(byId("tabs"), "[role=tab]", lineStep);

  byId("units").addEventListener("change", (event) => showKind(state.kind, event.target.value));

  byId("grid").addEventListener("click", (event) => {
    const button = event.target.closest(".map");
    if (!button) return;
    select(numberOrNull(button.dataset.layer), numberOrNull(button.dataset.head));
    if (matchMedia("(max-width: 60rem)").matches) byId("name").scrollIntoView();
  });
  roveFocus(byId("grid"), ".map", (key, from, list) => {
    const width = maps().layers[0].heads.length + 1;
    const steps = { ArrowUp: from - width, ArrowDown: from + width < list.length ? from + width : list.length - 1 };
    return key in steps ? steps[key] : lineStep(key, from, list);
  });

  for (const side of ["row", "col"]) {
    connectLabels(byId(`${side}-words`), side);
    connectLabels(byId(`${side}-labels`), side);
    roveFocus(byId(`${side}-words`), ".label", lineStep);
  }
  connectCells();
  document.addEventListener("keydown", (event) => event.key === "Escape" && letGo());
  window.addEventListener("hashchange", () => {
    readAddress();
    show();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    drawGrid();
    drawDetail();
  });
}

byId("scale").append(
  ...[0, 0.05, 0.25, 0.5, 1].map((weight) => {
    const swatch = make("span", { className: "swatch", textContent: percent(weight) });
    shade(swatch, weight);
    return swatch;
  }),
);
for (const tab of [...byId("tabs").children]) {
  if (!hasMaps(tab.dataset.kind)) tab.remove();
}
readAddress();
connect();
show();
