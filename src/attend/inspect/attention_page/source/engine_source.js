// The source of a page that is a file: attend itself, compiled to WebAssembly, with the model of the page (browser/api.js). Both are in
// elements of the page, packed by gzip, as text (page_text.js).
//
// engine.models  {about: what /models says of it, model: that answers}: that of the page first
const engine = { models: [], page: JSON.parse(byId("attend-page").textContent), started: null };

async function unpacked(id) {
  if (typeof DecompressionStream === "undefined") throw new Error("This page needs a browser of 2023 or later.");
  const stream = new Blob([bytesOfText(byId(id).textContent)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The engine has its files in folders of its own.
const faultOf = ({ name, message }) => Object.assign(new Error(message.replaceAll(/\/attend-\d+\//g, "")), { name });

function startEngine() {
  engine.started ??= (async () => {
    say("Starting the engine …");
    engine.attend = await attend.start({ wasm: await unpacked("attend-engine") });
    engine.models = [await loadedModel(engine.page.name, await unpacked("attend-model"))];
    say("");
  })();
  return engine.started;
}

// Loads a model file: bytes, or one that somebody has chosen.
async function loadedModel(name, file) {
  const model = await engine.attend.load(file);
  const { task, languages } = model;
  return { about: { name, task, ...(languages.length ? { sources: languages, targets: languages } : {}) }, model };
}

function modelOf({ model: name }) {
  const found = name ? engine.models.find(({ about }) => about.name === name) : engine.models[0];
  if (!found) throw new Error(`This page has no model ${name}.`);
  return found.model;
}

// What a body asks, by the names of the engine's options.
const optionsOf = ({ model, text, texts, word, source, target, ...others }) => ({ ...others, srcLang: source, tgtLang: target });

// What fetch() would resolve with, of a value that is there already.
const jsonAnswer = (value) => ({ json: async () => value });

// The effects of the heads as the server's events.
function headsAnswer(body, signal) {
  const encoder = new TextEncoder();
  const events = new ReadableStream({
    async start(to) {
      const send = (event) => to.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
      const onHead = (effect, head, heads) => {
        if (head === 0) send({ heads });
        send(effect);
      };
      try {
        await modelOf(body).heads(body.text, { ...optionsOf(body), signal, onHead });
        to.close();
      } catch (error) {
        to.error(faultOf(error));
      }
    },
  });
  return new Response(events);
}

const ANSWERS = {
  "/models": () => jsonAnswer(engine.models.map(({ about }) => about)),
  "/explore/heads": headsAnswer,
};

// The routes that a function of the model answers, with the text first and options.
const asks = (name) => async (body, signal) => jsonAnswer(await modelOf(body)[name](body.text, { ...optionsOf(body), signal }));
for (const [path, name] of [["/explore", "explore"], ["/explore/inside", "inside"], ["/explain", "explain"], ["/explore/draw", "draw"], ["/attend/v1/beam", "beam"]]) ANSWERS[path] = asks(name);
ANSWERS["/explore/words"] = async (body, signal) => jsonAnswer(await modelOf(body).words(body.word, body.texts, { ...optionsOf(body), signal }));

async function call(path, body, signal) {
  try {
    await startEngine();
    if (!Object.hasOwn(ANSWERS, path)) throw new Error(`This page does not answer ${path}.`);
    return await ANSWERS[path](body, signal);
  } catch (error) {
    throw faultOf(error);
  }
}

// The examples of the page, for its own model. An address without a question shows the first.
views.push({
  connect() {
    const select = byId("examples");
    select.append(...engine.page.texts.map((text) => make("option", { value: text, textContent: text })));
    select.hidden = engine.page.texts.length < 2;
    select.addEventListener("change", () => {
      if (!select.value) return;
      byId("text").value = select.value;
      byId("ask").requestSubmit();
    });
    // Until then the arrow keys go on from the example that was chosen.
    select.addEventListener("blur", () => (select.selectedIndex = 0));
  },
  read() {
    if (question.text) return;
    question.text = byId("text").value = engine.page.texts[0] ?? "";
  },
});
