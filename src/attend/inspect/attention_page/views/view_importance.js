// The view of what each head does: the change of the answer's log-probability when it is off. Heads are tried one after the other while
// the page is used; a bar below a map grows with the change.

// `trials`: aborts those in progress; null: none were begun for this answer. `wanted`: by the address.
const importance = { trials: null, wanted: false };

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
  progress.hidden = false;
  progress.removeAttribute("value");
  const fields = currentFields();
  if (state.answer.translation) fields.translation = state.answer.translation;
  try {
    const response = await call("/explore/heads", filled(fields), own.signal);
    await readEvents(response, ({ error, heads, module, head, change }) => {
      if (error) throw new Error(error);
      if (heads) progress.max = heads;
      if (!module || own.signal.aborted) return;
      effects[`${module}:${head}`] = change;
      progress.value = Object.keys(effects).length;
      setBadges(effects, whenOff);
    });
    if (importance.trials === own) showEffects(effects);
  } catch (error) {
    if (error.name !== "AbortError") say(error.message, true);
  }
  if (importance.trials === own) progress.hidden = true;
}

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
