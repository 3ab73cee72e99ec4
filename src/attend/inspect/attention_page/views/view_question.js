// The view of the question: the text, the model and its languages, of a source that answers any.

let models = [];

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

// What the source has.
async function listModels() {
  models = (await (await call("/models")).json()).filter(({ task }) => task !== "token classification");
  offer("model", models.map(({ name }) => name));
  offerLanguages();
}

views.push({
  connect() {
    byId("ask").addEventListener("submit", (event) => {
      event.preventDefault();
      if (!byId("text").value.trim()) {
        say("Enter a text.", true);
        return byId("text").focus();
      }
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
  },
  async begin() {
    await listModels();
    if (models.length === 0) throw new Error("This server has no model to explore.");
  },
  address(fields) {
    for (const [name, value] of Object.entries(question)) if (value && (name !== "model" || models.length > 1)) fields.set(name, value);
  },
  read(fields) {
    for (const name of Object.keys(question)) question[name] = fields.get(name) ?? "";
    byId("text").value = question.text;
  },
});
