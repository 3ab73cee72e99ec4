// Questions to a model. The source answers them, with the same functions as the command line: a server, or the engine in a page that is a
// file. It is a function
//
//   call(path, body, signal)  answers a route of the server, as what fetch() resolves with; throws an Error with a message for people
//
// state.answer     the last answer: {translation, log_probability, attention, ...}
// state.unchanged  the answer of the model as it was trained; null if that is not known
Object.assign(state, { answer: null, unchanged: null });

let models = [];
const question = { text: "", prefix: "", model: "", source: "", target: "" };
const asked = { running: false, again: false, unchangedFor: null };

function say(text, fault = false) {
  byId("message").textContent = text;
  byId("message").classList.toggle("fault", fault);
}

// Shows a part of the page that a button has, or hides it.
function unfold(id, open = true) {
  byId(id).hidden = !open;
  document.querySelector(`[aria-controls=${id}]`).setAttribute("aria-expanded", String(open));
}

const filled = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== "" && value?.length !== 0));
const explore = async (fields) => (await call("/explore", filled(fields))).json();

// What the question is, with the changes that are in effect.
function currentFields() {
  const fields = { ...question };
  tell("ask", fields);
  return fields;
}

// Asks again, with all that the page says; while an answer is awaited, once more after it.
async function ask() {
  if (!question.text.trim()) return;
  if (asked.running) {
    asked.again = true;
    return;
  }
  asked.running = true;
  document.body.dataset.state = "busy";
  try {
    do {
      asked.again = false;
      await askOnce(currentFields());
    } while (asked.again);
    say("");
  } catch (error) {
    say(error.message, true);
  } finally {
    asked.running = false;
    document.body.dataset.state = "ready";
  }
}

async function askOnce(fields) {
  const own = JSON.stringify(question);
  const changed = Boolean(fields.heads_off?.length || fields.attention_beta?.length || fields.positions_off || fields.mask_off);
  if (asked.unchangedFor !== own) {
    state.unchanged = await explore(question);
    asked.unchangedFor = own;
  }
  const written = state.unchanged.translation ?? "";
  // Without a mask a model reads what is written, but writes nothing.
  const asks = fields.mask_off && written ? { ...fields, prefix: "", translation: written } : { ...fields, reference: written };
  state.answer = changed ? await explore(asks) : state.unchanged;
  await Promise.all(views.map((view) => view.answered?.(fields)));
  open(new Picture(state.answer.attention));
}

function offer(id, values) {
  const select = byId(id);
  select.replaceChildren(...values.map((value) => make("option", { value, textContent: value })));
  if (values.includes(question[id])) select.value = question[id];
  question[id] = select.value;
  select.parentElement.hidden = values.length < 2;
}

function offerLanguages() {
  const { sources = [], targets = [] } = models.find(({ name }) => name === question.model) ?? {};
  offer("source", sources.length > 1 ? sources : []);
  offer("target", targets.length > 1 ? targets : []);
}

views.push({
  connect() {
    byId("ask").addEventListener("submit", (event) => {
      event.preventDefault();
      if (question.text !== byId("text").value) state.kept = null; // a word of another text
      question.text = byId("text").value;
      question.prefix = "";
      ask();
    });
    byId("ask").addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      const isLine = event.target.localName === "textarea" && !event.shiftKey;
      if (!isLine && !event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      byId("ask").requestSubmit();
    });
    for (const id of ["model", "source", "target"]) {
      byId(id).addEventListener("change", (event) => {
        question[id] = event.target.value;
        if (id === "model") {
          tell("reset");
          offerLanguages();
        }
        ask();
      });
    }
    window.addEventListener("hashchange", () => {
      readAddress();
      ask();
    });
  },
  address(fields) {
    for (const [name, value] of Object.entries(question)) if (value && (name !== "model" || models.length > 1)) fields.set(name, value);
  },
  read(fields) {
    for (const name of Object.keys(question)) question[name] = fields.get(name) ?? "";
    byId("text").value = question.text;
  },
});

// What the source has.
async function listModels() {
  models = (await (await call("/models")).json()).filter(({ task }) => task !== "token classification");
  offer("model", models.map(({ name }) => name));
  offerLanguages();
}

// Begins the page.
async function live() {
  start();
  try {
    await listModels();
    if (models.length === 0) throw new Error("This server has no model to explore.");
    document.body.dataset.state = "ready";
    await ask();
  } catch (error) {
    say(error.message, true);
  }
}
