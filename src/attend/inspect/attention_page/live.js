// Questions to a model. The source answers them, with the same functions as the command line: a server, the engine in a page that is a file,
// or what such a page has recorded. It is a function
//
//   call(path, body, signal)  answers a route of the server, as what fetch() resolves with; throws an Error with a message for people
//
// state.answer     the last answer: {translation, log_probability, attention, ...}
// state.unchanged  the answer of the model as it was trained; null if that is not known
Object.assign(state, { answer: null, unchanged: null });

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
    document.body.classList.remove("stale");
  } catch (error) {
    say(error.message, true);
    document.body.classList.add("stale");
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
  try {
    state.answer = changed ? await explore(asks) : state.unchanged;
  } catch (error) {
    // What the model refuses is undone beside the answer without it.
    if (!state.answer) {
      state.answer = state.unchanged;
      open(new Picture(state.answer.attention));
    }
    throw error;
  }
  await Promise.all(views.map((view) => view.answered?.(fields)));
  open(new Picture(state.answer.attention));
}

views.push({
  connect() {
    window.addEventListener("hashchange", () => {
      readAddress();
      ask();
    });
  },
});

// Begins the page.
async function live() {
  start();
  try {
    for (const view of views) await view.begin?.();
    document.body.dataset.state = "ready";
    await ask();
  } catch (error) {
    say(error.message, true);
  }
}
