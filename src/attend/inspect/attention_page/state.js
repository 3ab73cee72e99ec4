// What the page shows, and the views that show it. A view is one file. It adds itself to `views`, as an object with those of these
// functions that it needs:
//
//   connect()         connects its events; called once
//   begin()           asks what it needs before the first question; called once
//   opened()          called before another picture is shown
//   show()            shows the state; called when it has changed
//   focus(place)      shows what is pointed at, a place as below, or null
//   address(fields)   adds to the fields of the address what a link to this view must say
//   read(fields)      reads them again
const views = [];

// picture            what is shown; null before the first answer
// kind, layer, head  the enlarged map; null: the mean over all of them
// unit               words or pieces
// pointed            what the pointer or the focus is on: {kind, side: "row" | "col", index, other}, `other` being the index on the other
//                    side when a single cell is pointed at; null: nothing
// kept               the same for what was clicked
// off                names of the heads that are switched off
// badges             numbers of heads to show below their maps: {name: {share: -1 … 1, text}}
const state = { picture: null, kind: "cross", unit: "words", layer: null, head: null, pointed: null, kept: null, off: new Set(), badges: {} };

const tell = (message, ...values) => views.forEach((view) => view[message]?.(...values));
const other = (side) => (side === "row" ? "col" : "row");
const labels = (side) => state.picture.labels(state.kind, side, state.unit);
const shownMap = () => state.picture.map(state.kind, state.unit, state.layer, state.head);
// Self-attention of the encoder: the text is listed once.
const oneText = () => KINDS[state.kind].axes.row === KINDS[state.kind].axes.col;

function nameOf(kind, layer, head) {
  if (layer === null) return `${KINDS[kind].name}, mean of all heads`;
  return `${KINDS[kind].name}, layer ${layer + 1}, ${head === null ? "mean of its heads" : `head ${head + 1}`}`;
}

function show() {
  if (state.picture) {
    // Another picture may have fewer maps, and other words.
    if (!state.picture.has(state.kind)) state.kind = state.picture.kinds().at(-1);
    const { layers } = state.picture.maps(state.kind, state.unit);
    if (!layers[state.layer]) state.layer = null;
    if (state.layer === null || !layers[state.layer].heads[state.head]) state.head = null;
    for (const place of ["pointed", "kept"]) {
      const { kind, side, index } = state[place] ?? {};
      if (kind && !(state.picture.has(kind) && index < state.picture.labels(kind, side, state.unit).length)) state[place] = null;
    }
  }
  tell("show");
  tell("focus", state.pointed ?? state.kept);
  writeAddress();
}

function open(picture) {
  state.picture = picture;
  tell("opened");
  show();
}

// A kept word stays when its side of the other kind is the same sentence: the written words of cross and decoder.
function select(kind, layer, head) {
  const { kept } = state;
  if (kept && KINDS[kind].axes[kept.side] !== KINDS[kept.kind].axes[kept.side]) state.kept = null;
  else if (kept) kept.kind = kind;
  Object.assign(state, { kind, layer, head, pointed: null });
  show();
}

function setUnit(unit) {
  Object.assign(state, { unit, pointed: null, kept: null });
  show();
}

// The same words in the maps of another kind; null if they are on none of its axes.
function placeIn(kind, place) {
  if (place.kind === kind) return place;
  const axis = KINDS[place.kind].axes[place.side];
  const side = ["row", "col"].find((own) => KINDS[kind].axes[own] === axis);
  return side ? { kind, side, index: place.index } : null;
}

function pointAt(place) {
  state.pointed = place;
  tell("focus", state.pointed ?? state.kept);
}

function keep(place) {
  const { kept } = state;
  const same = kept && kept.kind === place.kind && kept.side === place.side && kept.index === place.index;
  state.kept = same ? null : { kind: place.kind, side: place.side, index: place.index };
  tell("focus", state.pointed ?? state.kept);
  writeAddress();
}

// The address says what is shown, so that a view can be linked to and survives a reload: #cross/words/2/3, the word that was clicked, and
// what views add to it, #encoder/pieces?word=row2&text=…
function writeAddress() {
  const numbers = [state.layer, state.head].filter((index) => index !== null).map((index) => index + 1);
  const fields = new URLSearchParams();
  if (state.kept) fields.set("word", `${state.kept.side}${state.kept.index + 1}`);
  tell("address", fields);
  const more = fields.size ?? [...fields].length;
  history.replaceState(null, "", `#${[state.kind, state.unit, ...numbers].join("/")}${more ? `?${fields}` : ""}`);
}

function readAddress() {
  const [path, ...rest] = location.hash.slice(1).split("?");
  const [kind, unit, layer, head] = path.split("/");
  if (Object.hasOwn(KINDS, kind)) state.kind = kind;
  if (UNITS.includes(unit)) state.unit = unit;
  state.layer = layer > 0 ? layer - 1 : null;
  state.head = head > 0 ? head - 1 : null;
  const fields = new URLSearchParams(rest.join("?"));
  const [, side, number] = /^(row|col)([1-9]\d*)$/.exec(fields.get("word")) ?? [];
  state.kept = side ? { kind: state.kind, side, index: number - 1 } : null;
  tell("read", fields);
}

// After all views have been added.
function start() {
  readAddress();
  tell("connect");
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    state.kept = null;
    pointAt(null);
    writeAddress();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => tell("show"));
}
