// The view of what each head does: the change of the answer's log-probability when it is off. Heads are tried one after the other while
// the page is used; a bar below a map grows with the change.

let trials = null; // aborts the ones in progress

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
  trials?.abort();
  trials = null;
  byId("importance-progress").hidden = true;
  byId("ranking").hidden = true;
}

async function tryHeads() {
  stopTrials();
  const own = (trials = new AbortController());
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
    byId("ranking").replaceChildren(make("p", { className: "quiet", textContent: "The heads that matter most, by the change of the log-probability without them:" }), ranking(effects, text));
    byId("ranking").hidden = false;
  } catch (error) {
    if (error.name !== "AbortError") say(error.message, true);
  }
  if (trials === own) progress.hidden = true;
}

views.push({
  connect() {
    byId("importance").addEventListener("click", tryHeads);
  },
  answered() {
    stopTrials();
    state.badges = {};
  },
});
