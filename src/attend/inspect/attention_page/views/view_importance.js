// The view of what each head does: the change of the answer's log-probability when it is off. Heads are tried one after the other while
// the page is used; a bar below a map grows with the change.

// `trials`: aborts those in progress; null: none were begun for this answer. `wanted`: by the address.
const importance = { trials: null, wanted: false };

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

// Calls `receive` with every event of the server.
async function readEvents(response, receive) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const event of events) if (event !== "data: [DONE]") receive(JSON.parse(event.slice("data: ".length)));
  }
}

function stopTrials() {
  importance.trials?.abort();
  importance.trials = null;
  byId("importance-progress").hidden = true;
  byId("ranking").hidden = true;
}

async function tryHeads() {
  stopTrials();
  const own = (importance.trials = new AbortController());
  importance.wanted = false;
  writeAddress();
  const progress = byId("importance-progress");
  const effects = {};
  const text = (value) => `${signed(value)} when off`;
  progress.hidden = false;
  progress.removeAttribute("value");
  const fields = currentFields();
  if (state.answer.translation) fields.translation = state.answer.translation;
  try {
    const response = await call("/explore/heads", filled(fields), own.signal);
    await readEvents(response, ({ error, heads, module, head, change }) => {
      if (error) throw new Error(error);
      if (heads) progress.max = heads;
      if (!module) return;
      effects[`${module}:${head}`] = change;
      progress.value = Object.keys(effects).length;
      setBadges(effects, text);
    });
    showEffects(effects, text);
  } catch (error) {
    if (error.name !== "AbortError") say(error.message, true);
  }
  if (importance.trials === own) progress.hidden = true;
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

function showEffects(effects, text) {
  byId("ranking").replaceChildren(
    make("p", { className: "quiet", textContent: "The heads that matter most, by the change of the log-probability without them:" }),
    ranking(effects, text),
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

views.push({
  connect() {
    byId("importance").addEventListener("click", tryHeads);
  },
  answered() {
    stopTrials();
    state.badges = {};
  },
  show() {
    const { answer } = state;
    if (!answer) return;
    const has = answer.classes !== undefined || answer.log_probability !== undefined; // the vector of an embedding model has none
    byId("importance").hidden = !has;
    if (has && importance.wanted) tryHeads();
  },
  address(fields) {
    if (importance.wanted || importance.trials) fields.set("importance", "1");
  },
  read(fields) {
    importance.wanted = fields.has("importance");
  },
});
