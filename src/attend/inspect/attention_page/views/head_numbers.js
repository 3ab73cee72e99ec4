// What heads do, as numbers: bars below their maps, a list of the largest, and a table of all.

// Bars are relative to the largest; `text` of a number.
function setBadges(numbers, text) {
  const largest = Math.max(...Object.values(numbers).map(Math.abs), 1e-9);
  state.badges = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, { share: value / largest, text: text(value) }]));
  showBadges();
}

// The names with the largest numbers, as buttons that show their maps.
function ranking(numbers, text) {
  const names = Object.keys(numbers).sort((a, b) => Math.abs(numbers[b]) - Math.abs(numbers[a]));
  return make(
    "ol",
    { className: "ranking" },
    ...names.slice(0, 5).map((name) => {
      const { kind, layer, head } = state.picture.placeOf(name);
      const button = make("button", { type: "button", textContent: `${nameOf(kind, layer, head)}: ${text(numbers[name])}` });
      button.addEventListener("click", () => select(kind, layer, head));
      return make("li", {}, button);
    }),
  );
}

// One row for each layer, one column for each head. Blue: the answer is less probable without it; orange: more.
function effectsTable(effects) {
  const largest = Math.max(...Object.values(effects).map(Math.abs), 1e-9);
  const layers = state.picture.kinds().flatMap((kind) => state.picture.data.maps[kind].modules.map((_, layer) => ({ kind, layer, names: state.picture.heads(kind, layer) })));
  const columns = Math.max(...layers.map(({ names }) => names.length));
  const cell = (name) => {
    if (!(name in effects)) return "";
    const shown = make("span", { className: effects[name] > 0 ? "against" : "for", textContent: signed(effects[name]) });
    shade(shown, Math.abs(effects[name]) / largest);
    return shown;
  };
  return table(
    "The change without each head",
    ["", ...Array.from({ length: columns }, (_, head) => `head ${head + 1}`)],
    layers.map(({ kind, layer, names }) => [`${KINDS[kind].name}, layer ${layer + 1}`, ...names.map(cell)]),
  );
}

const whenOff = (change) => `${signed(change)} when off`;

function showEffects(effects) {
  byId("ranking").replaceChildren(
    make("p", { className: "quiet", textContent: "The heads that matter most, by the change of the log-probability without them:" }),
    ranking(effects, whenOff),
    effectsTable(effects),
    exportBar({ name: "importance", title: () => "Importance of every head", drawing: () => byId("ranking"), data: () => headNumbers(effects) }),
  );
  byId("ranking").hidden = false;
}

// {"decoder.layers.1.cross_attn:3": -3.07} as the route gives it.
const headNumbers = (numbers, field = "change") =>
  Object.entries(numbers).map(([name, value]) => {
    const [module, head] = name.split(":");
    return { module, head: Number(head), [field]: value };
  });
