"use strict";

// Translation: languages, texts with their doubts and other words, and files.

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
  $(".others", form).replaceChildren();
}

// Why a sentence may be wrong; empty: nothing says so. Confidence is the expected chrF.
const LOW_CONFIDENCE = 0.4;
function doubtsOf({ confidence, flags }) {
  const doubts = flags.map(({ name, reason }) => `${name}: ${reason}`);
  if (confidence !== null && confidence < LOW_CONFIDENCE)
    doubts.push(`low confidence: ${confidence.toFixed(2)}`);
  return doubts.join("; ");
}

// The translation, whose words have others, with its doubtful sentences marked and a list of the
// reasons. Returns how many there are.
function showTranslation(form, text, sentences) {
  const parts = [];
  const reasons = [];
  let done = 0;
  for (const sentence of sentences) {
    const title = form.trust.checked ? doubtsOf(sentence) : "";
    if (title) reasons.push(element("li", `${sentence.translation || sentence.source} (${title})`));
    sentence.begin = text.indexOf(sentence.translation, done);
    if (sentence.begin < 0 || !sentence.translation) continue; // tags stand between its words
    const words = sentence.languages ? wordsOf(form, sentence) : [sentence.translation];
    parts.push(text.slice(done, sentence.begin));
    if (title) parts.push(element("mark", undefined, { title, className: "doubt" }));
    if (title) parts.at(-1).append(...words);
    else parts.push(...words);
    done = sentence.begin + sentence.translation.length;
  }
  $("output", form).replaceChildren(...parts, text.slice(done));
  $(".doubts", form).replaceChildren(...reasons);
  $(".others", form).replaceChildren();
  const word = $("output .word", form);
  if (word) word.tabIndex = 0;
  return reasons.length;
}

// Shows another translation of a sentence, of which nobody doubts anything yet.
function changeSentence(form, sentence, translation) {
  const text = $("output", form).textContent;
  const end = sentence.begin + sentence.translation.length;
  const changed = text.slice(0, sentence.begin) + translation + text.slice(end);
  Object.assign(sentence, { translation, confidence: null, flags: [] });
  showTranslation(form, changed, sentence.all);
  say("");
}

// Terms as the server has them, with a tab between the term and its translation.
function termsOf(form) {
  const lines = form.terms.value.split("\n").filter((line) => line.trim());
  return lines.map((line) => line.replace(/\s*=\s*/, "\t"));
}

async function translate(form) {
  const alternatives = form.alternatives.checked ? 3 : 0;
  const isHtml = form.html.checked;
  const response = await call("/translate", {
    q: form.text.value,
    source: form.source.value,
    target: form.target.value,
    format: isHtml ? "html" : "text",
    alternatives,
    sentences: !isHtml,
    trust: form.trust.checked,
    glossary: termsOf(form),
  });
  const answer = await response.json();
  const sentences = answer.sentences || [];
  const detected = answer.detectedLanguage && answer.detectedLanguage.language;
  const languages = { source: detected || form.source.value, target: form.target.value };
  if (!isHtml && !answer.via)
    for (const sentence of sentences) Object.assign(sentence, { languages, all: sentences });
  const doubts = showTranslation(form, answer.translatedText, sentences);
  $("output", form).lang = form.target.value;
  const others = new Set(answer.alternatives || []);
  others.delete(answer.translatedText);
  $(".alternatives", form).replaceChildren(...[...others].map((text) => element("li", text)));
  const cut = response.headers.get("Attend-Cut-Sentences");
  const notes = [];
  if (form.trust.checked && sentences.length)
    notes.push(`Doubtful sentences: ${doubts} of ${sentences.length}.`);
  if (form.trust.checked && sentences.length && sentences.every(({ confidence }) => confidence === null))
    notes.push("The model has no calibration, so it has no confidence.");
  if (detected) notes.push(`Detected: ${detected}.`);
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

// Called once, by the page.
function listenToTranslation() {
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
  useArrows($("#translate output"));
  $(".swap").addEventListener("click", swapLanguages);
}
