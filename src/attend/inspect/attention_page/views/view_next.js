// The view of what may come next: the most probable tokens at one place, by softmax(logits / t) at an output temperature t; and texts that
// are drawn with it.

// `position`: null for the first token of a translation, or for what follows a text. `drawn`: texts, the last one first, for the answer `of`;
// `wanted`: how the address says to draw some.
const next = { position: null, temperature: 1, seed: 1, of: null, drawn: [], wanted: [] };
const COLDEST = 1e-5; // as good as 0, which always takes the most probable token

function temperatureText(t) {
  if (t === 0) return "0, greedy: always the most probable";
  return t === 1 ? "1, as trained" : String(t);
}
const shareText = (share) => `${(100 * share).toFixed(1)}\u00a0%`;

function nextForm() {
  const position = make("select", { id: "next-position" });
  const slider = make("input", { type: "range", id: "temperature", min: 0, max: 3, step: 0.1, value: next.temperature });
  const draw = make("button", { type: "button", id: "draw" });
  position.addEventListener("change", () => {
    next.position = Number(position.value);
    showNext();
  });
  slider.addEventListener("input", () => {
    next.temperature = Number(slider.value);
    showNext();
  });
  draw.addEventListener("click", () => drawText(next));
  return [
    make("div", { className: "fields" }, make("label", {}, "At the position of ", position)),
    make("label", { className: "slider" }, make("span", { textContent: "Output temperature" }), slider, make("output", { id: "temperature-value" })),
    make("div", { id: "next-words" }),
    make("div", { className: "fields" }, draw),
    make("p", { id: "next-note", className: "quiet" }),
    make("ol", { id: "drawn", className: "ranking" }),
  ];
}

// What was drawn for another answer is forgotten.
function beginAnswer(pieces, translates) {
  const of = JSON.stringify([currentFields(), pieces]);
  if (next.of === of && byId("drawn").childElementCount) return;
  Object.assign(next, { of, seed: 1, drawn: [] });
  byId("next-position").replaceChildren(...pieces.map((piece, i) => make("option", { value: i, textContent: translates || i < pieces.length - 1 ? piece : "what follows" })));
  byId("drawn").replaceChildren();
  byId("draw").textContent = translates ? "Draw a translation" : "Continue the text";
  byId("next-note").textContent = translates
    ? "The translation above comes from beam search: the temperature does not change it."
    : "A language model draws each token with these probabilities.";
}

async function drawText({ temperature, seed }) {
  try {
    const found = await (await call("/explore/draw", filled({ ...currentFields(), temperature, seed }))).json();
    const how = temperature === 0 ? "greedy" : `sampled at temperature ${temperature}, seed ${seed}`;
    const note = ` ${how}, log-probability ${number(found.log_probability)}${found.complete ? "" : ", cut"}`;
    const text = make("span", { dir: "auto", textContent: found.text.trim() || "(nothing)" });
    byId("drawn").prepend(make("li", {}, text, make("small", { className: "quiet", textContent: note })));
    next.drawn.unshift({ temperature, seed, ...found });
    next.seed = Number(seed) + 1;
    writeAddress();
  } catch (error) {
    say(error.message, true);
  }
}

// Without the column of the trained probabilities where they are the same.
function nextTable(tokens, trained) {
  const changed = next.temperature !== 1;
  const before = Object.fromEntries(trained.map(({ token, probability: share }) => [token, shareText(share)]));
  const rows = tokens.map(({ token, probability: share }) => [wordOf(token), shareText(share), ...(changed ? [before[token] ?? ""] : []), shareBar(share)]);
  return table("The most probable tokens", ["token", `at ${next.temperature}`, ...(changed ? ["at 1"] : []), ""], rows);
}

const showNext = addPanel({
  name: "next",
  title: () => "What may come next: the output temperature",
  fits: ({ attention }) => Boolean(attention.axes.written),
  address: () => [next.position, next.temperature, ...next.drawn.map(({ temperature, seed }) => `${temperature}:${seed}`).reverse()].join(),
  read(text) {
    const [position, temperature, ...drawn] = text.split(",");
    next.of = null;
    next.wanted = drawn.map((one) => one.split(":").map(Number)).map(([t, seed]) => ({ temperature: t, seed }));
    next.position = position ? Number(position) || 0 : null;
    next.temperature = Math.min(3, Math.max(0, Number(temperature ?? 1) || 0));
  },
  async load(body) {
    if (!byId("temperature")) body.replaceChildren(...nextForm());
    const pieces = textsOf(state.answer.attention.axes.written.pieces);
    const translates = state.answer.translation !== undefined;
    beginAnswer(pieces, translates);
    const position = Math.min(next.position ?? (translates ? 0 : Infinity), pieces.length - 1);
    byId("next-position").value = position;
    byId("temperature").value = next.temperature;
    byId("temperature-value").textContent = temperatureText(next.temperature);
    byId("temperature").setAttribute("aria-valuetext", temperatureText(next.temperature));
    const likeliest = async (temperature) => (await explainAnswer({ position, top: 10, temperature })).lens.at(-1);
    const trained = await likeliest(1);
    const tokens = next.temperature === 1 ? trained : await likeliest(next.temperature || COLDEST);
    byId("next-words").replaceChildren(nextTable(tokens, trained));
    for (const one of next.wanted.splice(0)) await drawText(one);
    const { temperature, drawn } = next;
    return { position, temperature, tokens, trained, drawn }; // the texts that follow are put into the same list
  },
});
