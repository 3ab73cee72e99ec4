"use strict";

const $ = (selector, root = document) => root.querySelector(selector);
const jobs = {
  translate: { title: "Translate", task: "translation" },
  generate: { title: "Generate", task: "language modeling" },
  classify: { title: "Classify", task: "classification" },
  tag: { title: "Tag", task: "token classification" },
  embed: { title: "Embed", task: "embedding" },
};
let models = [];
let running = null; // aborts the continuation in progress

function say(text, fault = false) {
  const message = $("#message");
  message.textContent = text;
  message.classList.toggle("fault", fault);
}

// Sends a request with the key of this tab, if there is one: JSON, or a form with files. Throws an
// Error with the message of the server.
async function call(path, body, signal) {
  const headers = {};
  const key = sessionStorage.getItem("key");
  if (key) headers.Authorization = "Bearer " + key;
  const isForm = body instanceof FormData;
  if (body && !isForm) headers["Content-Type"] = "application/json";
  const response = await fetch(path, {
    method: body ? "POST" : "GET",
    headers,
    body: isForm ? body : body && JSON.stringify(body),
    signal,
  });
  if (response.ok) return response;
  if (response.status === 401 || response.status === 403) $("#key-form").hidden = false;
  let reason = response.statusText;
  try {
    const { error } = await response.json();
    reason = error.message || error;
  } catch {
    // Not an answer of ours: the status says it.
  }
  throw new Error(reason);
}

function element(name, text, more = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  return Object.assign(made, more);
}

function fill(select, values, names = values) {
  const before = select.value;
  select.replaceChildren(...values.map((value, i) => element("option", names[i], { value })));
  if (values.includes(before)) select.value = before;
}

// ---- tabs

function show(name) {
  for (const tab of $("#tabs").children) {
    const on = tab.id === "tab-" + name;
    tab.setAttribute("aria-selected", on);
    tab.tabIndex = on ? 0 : -1;
  }
  for (const job of Object.keys(jobs)) $("#" + job).hidden = job !== name;
  say("");
}

function makeTabs(names) {
  $("#tabs").replaceChildren(
    ...names.map((name) => {
      const tab = element("button", jobs[name].title, { id: "tab-" + name, type: "button" });
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-controls", name);
      tab.addEventListener("click", () => show(name));
      return tab;
    })
  );
  $("#tabs").onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const tabs = [...$("#tabs").children];
    const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  };
}

// ---- languages

function targetsOf(source) {
  const all = models.filter((m) => m.sources && (source === "auto" || m.sources.includes(source)));
  return [...new Set(all.flatMap((m) => m.targets))].filter((target) => target !== source);
}

function offerLanguages() {
  const form = $("#translate form");
  const sources = [...new Set(models.flatMap((m) => m.sources || []))];
  const several = sources.length > 1;
  fill(
    form.source,
    several ? ["auto", ...sources] : sources,
    several ? ["Detect", ...sources] : sources
  );
  fill(form.target, targetsOf(form.source.value));
}

function swapLanguages() {
  const form = $("#translate form");
  const { value: source } = form.source;
  const { value: target } = form.target;
  if (source === "auto" || !targetsOf(target).includes(source)) {
    say(`No model translates from ${target} to ${source}.`, true);
    return;
  }
  form.source.value = target;
  fill(form.target, targetsOf(target));
  form.target.value = source;
  const output = $("output", form);
  if (output.textContent) form.text.value = output.textContent;
  output.textContent = "";
  $(".doubts", form).replaceChildren();
}

// ---- jobs

// Why a sentence may be wrong; empty: nothing says so. Confidence is the expected chrF.
const LOW_CONFIDENCE = 0.4;
function doubtsOf({ confidence, flags }) {
  const doubts = flags.map(({ name, reason }) => `${name}: ${reason}`);
  if (confidence !== null && confidence < LOW_CONFIDENCE)
    doubts.push(`low confidence: ${confidence.toFixed(2)}`);
  return doubts.join("; ");
}

// The translation with its doubtful sentences marked, and a list of the reasons. Returns how many
// there are.
function showTranslation(form, text, sentences) {
  const parts = [];
  const reasons = [];
  let done = 0;
  for (const sentence of sentences) {
    const title = doubtsOf(sentence);
    if (!title) continue;
    reasons.push(element("li", `${sentence.translation || sentence.source} (${title})`));
    const begin = text.indexOf(sentence.translation, done);
    if (begin < 0 || !sentence.translation) continue; // tags stand between its words
    parts.push(text.slice(done, begin));
    parts.push(element("mark", sentence.translation, { title, className: "doubt" }));
    done = begin + sentence.translation.length;
  }
  $("output", form).replaceChildren(...parts, text.slice(done));
  $(".doubts", form).replaceChildren(...reasons);
  return reasons.length;
}

// Terms as the server has them, with a tab between the term and its translation.
function termsOf(form) {
  const lines = form.terms.value.split("\n").filter((line) => line.trim());
  return lines.map((line) => line.replace(/\s*=\s*/, "\t"));
}

async function translate(form) {
  const alternatives = form.alternatives.checked ? 3 : 0;
  const response = await call("/translate", {
    q: form.text.value,
    source: form.source.value,
    target: form.target.value,
    format: form.html.checked ? "html" : "text",
    alternatives,
    trust: form.trust.checked,
    glossary: termsOf(form),
  });
  const answer = await response.json();
  const sentences = answer.sentences || [];
  const doubts = showTranslation(form, answer.translatedText, sentences);
  $("output", form).lang = form.target.value;
  const others = new Set(answer.alternatives || []);
  others.delete(answer.translatedText);
  $(".alternatives", form).replaceChildren(...[...others].map((text) => element("li", text)));
  const cut = response.headers.get("Attend-Cut-Sentences");
  const notes = [];
  if (sentences.length) notes.push(`Doubtful sentences: ${doubts} of ${sentences.length}.`);
  if (sentences.length && sentences.every(({ confidence }) => confidence === null))
    notes.push("The model has no calibration, so it has no confidence.");
  if (answer.detectedLanguage) notes.push(`Detected: ${answer.detectedLanguage.language}.`);
  if (cut) notes.push(`Sentences that were too long and were split: ${cut}.`);
  say(notes.join(" "));
}

async function translateFile(form, file) {
  const body = new FormData();
  body.append("file", file);
  body.append("source", form.source.value);
  body.append("target", form.target.value);
  body.append("direct", "true");
  for (const term of termsOf(form)) body.append("glossary", term);
  return (await call("/translate_file", body)).blob();
}

// A link to each translation, or the reason why there is none.
async function translateFiles(form, files) {
  const list = $(".translated", form);
  for (const link of list.querySelectorAll("a")) URL.revokeObjectURL(link.href);
  list.replaceChildren();
  for (const file of files) {
    say(`Translating ${file.name} …`);
    const item = element("li");
    try {
      const href = URL.createObjectURL(await translateFile(form, file));
      const download = file.name.replace(/(\.[^.]*)?$/, `.${form.target.value}$1`);
      item.append(element("a", download, { href, download }));
    } catch (error) {
      const reason = error.message.includes(file.name) ? error.message : `${file.name}: ${error.message}`;
      item.append(element("span", reason, { className: "fault" }));
    }
    list.append(item);
  }
  say(`Translated files: ${list.querySelectorAll("a").length} of ${files.length}.`);
}

async function generate(form) {
  const output = $("output", form);
  const stop = $(".stop", form);
  output.textContent = form.text.value;
  running = new AbortController();
  stop.disabled = false;
  try {
    const response = await call(
      "/v1/completions",
      {
        model: form.model.value,
        prompt: form.text.value,
        max_tokens: Number(form.tokens.value),
        temperature: Number(form.temperature.value),
        seed: Number(form.seed.value),
        stream: true,
      },
      running.signal
    );
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const events = (rest + value).split("\n\n");
      rest = events.pop();
      for (const event of events) {
        if (event === "data: [DONE]") continue;
        const { choices, error } = JSON.parse(event.slice("data: ".length));
        if (error) throw new Error(error.message);
        if (choices.length) output.textContent += choices[0].text;
      }
    }
    say("");
  } catch (error) {
    if (error.name !== "AbortError") throw error;
    say("Stopped.");
  } finally {
    running = null;
    stop.disabled = true;
  }
}

// What the chosen model is for, done with the inputs.
async function infer(form, inputs) {
  return (await call("/models/" + encodeURIComponent(form.model.value), { inputs })).json();
}

function offerSecondText() {
  const form = $("#classify form");
  const chosen = models.find((m) => m.name === form.model.value);
  form.second.required = Boolean(chosen && chosen.pairs);
  form.second.closest("label").hidden = !form.second.required;
}

async function classify(form) {
  const text = form.text.value;
  const pair = form.second.required && { text, text_pair: form.second.value };
  const [labels] = await infer(form, pair || text);
  $("table", form).replaceChildren(
    ...labels.map(({ label, score }) => {
      const row = element("tr");
      const bar = element("td");
      bar.append(element("meter", undefined, { value: score, ariaLabel: label }));
      row.append(element("th", label, { scope: "row" }), element("td", score.toFixed(4)), bar);
      return row;
    })
  );
  say("");
}

// The text with its entities marked; a tooltip has the probability.
async function tag(form) {
  const text = [...form.text.value]; // by characters, as the places count them
  const parts = [];
  let done = 0;
  for (const { entity_group: label, score, word, start, end } of await infer(form, form.text.value)) {
    const marked = element("mark", word, { title: score.toFixed(4) });
    marked.append(element("small", label));
    parts.push(text.slice(done, start).join(""), marked);
    done = end;
  }
  $("output", form).replaceChildren(...parts, text.slice(done).join(""));
  say("");
}

async function embed(form) {
  const inputs = form.text.value.split("\n").filter((line) => line.trim());
  const vectors = await (await call("/embed", { inputs, model: form.model.value })).json();
  const product = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
  $("table", form).replaceChildren(
    ...inputs.map((text, i) => {
      const row = element("tr");
      row.append(element("th", text, { scope: "row", title: text }));
      for (let k = 0; k <= i; ++k)
        row.append(element("td", product(vectors[i], vectors[k]).toFixed(3)));
      return row;
    })
  );
  say(`Cosine similarities of vectors of ${vectors[0].length} elements.`);
}

const actions = { translate, generate, classify, tag, embed };

// One action of a form at a time.
async function work(form, action) {
  const button = $(".main", form);
  if (button.disabled) return;
  button.disabled = true;
  say("Working …");
  try {
    await action(form);
  } catch (error) {
    say(error.message, true);
  } finally {
    button.disabled = false;
  }
}

function submit(name) {
  const form = $(`#${name} form`);
  if (form.reportValidity()) work(form, actions[name]);
}

async function start() {
  models = await (await call("/models")).json();
  $("#key-form").hidden = true;
  const offered = Object.keys(jobs).filter((name) => models.some((m) => m.task === jobs[name].task));
  makeTabs(offered);
  offerLanguages();
  for (const name of offered) {
    const select = $(`#${name} [name=model]`);
    if (!select) continue;
    const names = models.filter((m) => m.task === jobs[name].task).map((m) => m.name);
    fill(select, names);
    select.closest("label").hidden = names.length < 2;
  }
  offerSecondText();
  const settings = await (await call("/frontend/settings")).json();
  $("#translate form").files.accept = settings.supportedFilesFormat.join(",");
  show(offered[0]);
}

for (const name of Object.keys(jobs)) {
  const form = $(`#${name} form`);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(name);
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(name);
  });
}
$("#translate [name=source]").addEventListener("change", (event) => {
  fill($("#translate [name=target]"), targetsOf(event.target.value));
});
$("#translate [name=files]").addEventListener("change", ({ target }) => {
  const files = [...target.files];
  target.value = ""; // the same file can be chosen again
  if (files.length) work(target.form, (form) => translateFiles(form, files));
});
for (const type of ["dragover", "dragleave", "drop"]) {
  $("#translate").addEventListener(type, (event) => {
    const { types, files } = event.dataTransfer;
    if (!types.includes("Files")) return; // text goes where it is dropped
    event.preventDefault();
    $("#translate").classList.toggle("over", type === "dragover");
    const dropped = [...files];
    if (type === "drop") work($("#translate form"), (form) => translateFiles(form, dropped));
  });
}
$("#classify [name=model]").addEventListener("change", offerSecondText);
$(".swap").addEventListener("click", swapLanguages);
$(".stop").addEventListener("click", () => running && running.abort());
$("#key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("key", $("#key").value);
  start().catch((error) => say(error.message, true));
});
start().catch((error) => say(error.message, true));
