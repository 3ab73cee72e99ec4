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

// ---- jobs

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
$("#classify [name=model]").addEventListener("change", offerSecondText);
listenToTranslation();
$(".stop").addEventListener("click", () => running && running.abort());
$("#key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("key", $("#key").value);
  start().catch((error) => say(error.message, true));
});
start().catch((error) => say(error.message, true));
