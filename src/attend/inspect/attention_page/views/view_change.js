// The view of changes: heads that are switched off, the factor of the scores, from the mean over soft to hard attention, and attention without
// positions or without the mask of the decoder.
//
// state.betas    {all: the factor of all heads, heads: those of some, by name}; of a head, both multiply
// state.without  "positions" and "mask"
Object.assign(state, { betas: { all: 1, heads: {} }, without: new Set() });

const shownHeads = () => state.picture.heads(state.kind, state.layer, state.head);

// The slider has 41 places: 0 is the mean, 20 is what the model was trained with, 40 is as good as hard.
function betaAt(place) {
  if (place === 0) return 0;
  return place === 40 ? 1000 : Number((10 ** ((place - 20) / 10)).toPrecision(3));
}
function placeOfBeta(beta) {
  if (beta === 0) return 0;
  return beta >= 1000 ? 40 : Math.round(10 * Math.log10(beta) + 20);
}
function betaText(beta) {
  const notes = { 0: "the mean of all", 1: "as trained", 1000: "hard: the largest only" };
  return notes[beta] ? `${beta}, ${notes[beta]}` : String(beta);
}

function toggle(names) {
  if (names.length === 0) return;
  const off = names.every((name) => state.off.has(name));
  for (const name of names) off ? state.off.delete(name) : state.off.add(name);
  changed();
}

function setBeta(beta) {
  if (byId("scope").value === "all") state.betas.all = beta;
  else for (const name of shownHeads()) beta === 1 ? delete state.betas.heads[name] : (state.betas.heads[name] = beta);
  changed();
}

const betaOptions = () => [
  ...(state.betas.all === 1 ? [] : [String(state.betas.all)]),
  ...Object.entries(state.betas.heads).map(([name, beta]) => `${name}=${beta}`),
];

function noChanges() {
  state.off.clear();
  state.without.clear();
  state.betas = { all: 1, heads: {} };
}

// Shown at once; the answer follows.
function changed() {
  showChanges();
  showBadges();
  ask();
}

function changesText() {
  const texts = [];
  if (state.off.size) texts.push(`${state.off.size} ${state.off.size === 1 ? "head is" : "heads are"} off.`);
  if (state.betas.all !== 1) texts.push(`Beta of all heads: ${betaText(state.betas.all)}.`);
  const some = Object.keys(state.betas.heads).length;
  if (some) texts.push(`${some} ${some === 1 ? "head has a beta" : "heads have a beta"} of ${some === 1 ? "its" : "their"} own.`);
  for (const part of state.without) texts.push(`There ${part === "mask" ? "is no mask" : "are no positions"}.`);
  return texts.join(" ");
}

function showChanges() {
  const names = shownHeads();
  const off = names.length > 0 && names.every((name) => state.off.has(name));
  const all = byId("scope").value === "all";
  const beta = all ? state.betas.all : state.betas.heads[names[0]] ?? 1;
  byId("switch").disabled = names.length === 0;
  byId("switch").setAttribute("aria-pressed", String(off));
  byId("switch").textContent = `Switch ${names.length === 1 ? "this head" : `these ${names.length} heads`} ${off ? "on" : "off"}`;
  byId("scope").options[0].textContent = names.length === 1 ? "this head" : "these heads";
  byId("beta").value = placeOfBeta(beta);
  byId("beta-value").textContent = betaText(beta);
  byId("beta").setAttribute("aria-valuetext", betaText(beta));
  for (const part of ["positions", "mask"]) byId(`no-${part}`).checked = state.without.has(part);
  byId("no-mask-label").hidden = !state.picture.has("decoder");
  const text = changesText();
  byId("undo").disabled = !text;
  byId("changed").hidden = !text;
  byId("changed").textContent = text;
}

// Short for a link: a module stands for all its heads.
function shortOff() {
  const names = new Set(state.off);
  for (const kind of state.picture?.kinds() ?? []) {
    state.picture.data.maps[kind].modules.forEach((module, layer) => {
      const heads = state.picture.heads(kind, layer);
      if (!heads.every((name) => names.has(name))) return;
      for (const name of heads) names.delete(name);
      names.add(module);
    });
  }
  return [...names].join(",");
}

// A link may name a module; its heads are known with the first picture.
function longOff() {
  for (const kind of state.picture.kinds()) {
    state.picture.data.maps[kind].modules.forEach((module, layer) => {
      if (state.off.delete(module)) for (const name of state.picture.heads(kind, layer)) state.off.add(name);
    });
  }
}

views.push({
  connect() {
    byId("switch").addEventListener("click", () => toggle(shownHeads()));
    byId("scope").addEventListener("change", showChanges);
    byId("beta").addEventListener("input", (event) => setBeta(betaAt(Number(event.target.value))));
    for (const part of ["positions", "mask"])
      byId(`no-${part}`).addEventListener("change", ({ target }) => {
        target.checked ? state.without.add(part) : state.without.delete(part);
        changed();
      });
    byId("undo").addEventListener("click", () => {
      noChanges();
      changed();
    });
    byId("overview").addEventListener("keydown", (event) => {
      const button = event.target.closest(".map");
      if (!button || event.key !== "x") return;
      const { kind, layer, head } = placeOfThumbnail(button);
      toggle(state.picture.heads(kind, layer, head));
    });
  },
  show() {
    if (!state.picture) return;
    showChanges();
  },
  opened: longOff,
  ask(fields) {
    fields.heads_off = [...state.off];
    fields.attention_beta = betaOptions();
    for (const part of state.without) fields[`${part}_off`] = true;
  },
  reset: noChanges,
  address(fields) {
    if (state.off.size) fields.set("off", shortOff());
    if (betaOptions().length) fields.set("beta", betaOptions().join(","));
    if (state.without.size) fields.set("without", [...state.without].join(","));
  },
  read(fields) {
    noChanges();
    for (const part of ["positions", "mask"]) if ((fields.get("without") ?? "").split(",").includes(part)) state.without.add(part);
    for (const name of (fields.get("off") ?? "").split(",").filter(Boolean)) state.off.add(name);
    for (const text of (fields.get("beta") ?? "").split(",").filter(Boolean)) {
      const [beta, name] = text.split("=").reverse();
      if (!(Number(beta) >= 0)) continue;
      if (name) state.betas.heads[name] = Number(beta);
      else state.betas.all = Number(beta);
    }
  },
});
