// The view of one word, or of a class: why it and not another one, as the sum of what each head and feed-forward network adds to the
// difference of their logits; and what would have been written after each layer.

// `of`: what was explained last; another answer has other words to compare with.
const why = { position: 0, instead: "", of: null };
const LISTED_PARTS = 12;

// Of the answer that is shown, by the model as it is changed.
async function explainAnswer(more) {
  const fields = { ...currentFields(), translation: state.answer.translation ?? "", ...more };
  delete fields.prefix;
  return (await call("/explain", filled(fields))).json();
}

// A head by its place in the maps, which a click shows; another part by its name in the model file, in words.
function partName({ module, head }) {
  const place = head === undefined ? null : state.picture.placeOf(`${module}:${head}`);
  if (!place) return module.replace(/layers\.(\d+)\./, (_, layer) => `layer ${Number(layer) + 1} `).replaceAll(".", " ").replaceAll("_", " ");
  const button = make("button", { type: "button", className: "plain", textContent: nameOf(place.kind, place.layer, place.head) });
  button.addEventListener("click", () => {
    select(place.kind, place.layer, place.head);
    byId("name").scrollIntoView();
  });
  return button;
}

function partsTable(parts) {
  const sorted = [...parts].sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  const rest = sorted.splice(LISTED_PARTS);
  const largest = Math.abs(sorted[0].value);
  const row = (name, value) => [name, signed(value), shareBar(value / largest)];
  const rows = sorted.map((part) => row(partName(part), part.value));
  if (rest.length) rows.push(row(`${rest.length} other parts`, rest.reduce((sum, { value }) => sum + value, 0)));
  return table("What each part adds", ["part", "adds", ""], rows);
}

function lensTable(lens) {
  const names = lens.map((_, layer) => (layer === 0 ? "embedding" : `layer ${layer}`));
  const cell = ({ token, probability: share }) => `${token} ${percent(share)}`;
  return table("After each layer", ["after", "the most probable words"], lens.map((tokens, layer) => [names[layer], tokens.map(cell).join(", ")]));
}

function additionsTable(additions) {
  const longest = Math.max(...additions.map(({ length }) => length));
  return table(
    "Additions to the residual stream",
    ["part", "length", ""],
    additions.map(({ module, length }) => [partName({ module }), length.toFixed(2), shareBar(length / longest)]),
  );
}

// The most probable tokens at this place: a click writes one in place of this one. The end is no beginning to go on from.
function alternatives({ tokens, position, token, lens }) {
  const others = lens.at(-1).filter((other) => other.token !== token.token);
  const end = state.answer.attention.axes.written.pieces.find(({ marks }) => marks === "end");
  return make(
    "ul",
    { className: "ranking line" },
    ...others.map((other) => {
      if (other.token === end?.text) return make("li", { className: "quiet", textContent: `the end ${percent(other.probability)}` });
      const button = make("button", { type: "button", textContent: `${wordOf(other.token)} ${percent(other.probability)}` });
      button.title = "Write this one, and continue from there";
      button.addEventListener("click", () => goOnFrom([...tokens.slice(0, position), other.token]));
      return make("li", {}, button);
    }),
  );
}

const options = (texts) => texts.map((textContent, value) => make("option", { value, textContent }));

function classForm([chosen, ...others]) {
  const names = others.map(({ label }) => label);
  const instead = make("select", { id: "why-instead" }, ...options(names));
  instead.value = Math.max(names.indexOf(why.instead), 0);
  instead.addEventListener("change", () => {
    why.instead = names[instead.value];
    showWhy();
  });
  return make("form", { className: "fields" }, make("label", {}, `Why “${chosen.label}” and not `, instead));
}

function whyForm(tokens) {
  const word = make("select", { id: "why-word" }, ...options(tokens));
  word.value = why.position;
  const instead = make("input", { id: "why-instead", value: why.instead, autocomplete: "off" });
  const form = make(
    "form",
    { className: "fields" },
    make("label", {}, "Why ", word),
    make("label", {}, "and not ", instead, make("span", { className: "quiet", textContent: " (empty: the next most probable)" })),
    make("button", { textContent: "Explain" }),
  );
  const asks = () => {
    Object.assign(why, { position: Number(word.value), instead: instead.value.trim() });
    showWhy();
  };
  word.addEventListener("change", () => {
    instead.value = "";
    asks();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    asks();
  });
  return form;
}

const showWhy = addPanel({
  name: "why",
  title: ({ classes }) => `Why this ${classes ? "class" : "word"} and not that one`,
  fits: ({ attention, classes }) => Boolean(attention.axes.written) || classes?.length > 1,
  address: () => [why.position, why.instead].filter((part) => part !== "").join(","),
  read(text) {
    const [position, ...instead] = text.split(",");
    Object.assign(why, { position: Number(position) || 0, instead: instead.join(",") });
  },
  async load(body) {
    const { classes, translation, attention } = state.answer;
    const tokens = classes ? null : textsOf(attention.axes.written.pieces);
    const of = classes ? classes[0].label : tokens.join();
    if (why.of !== null && why.of !== of) why.instead = "";
    why.of = of;
    if (tokens) why.position = Math.min(why.position, tokens.length - 1);
    const found = await explainAnswer({ position: tokens ? why.position : "", instead: why.instead });
    const { token, instead, difference } = found;
    body.replaceChildren(
      tokens ? whyForm(tokens) : classForm(classes),
      make("p", {
        id: "why-sum",
        textContent: `“${wordOf(token.token)}” ${percent(token.probability)}, “${wordOf(instead.token)}” ${percent(instead.probability)}: their logits differ by ${signed(difference)}, the sum of what each part adds.`,
      }),
      partsTable(found.parts),
      ...(translation === undefined ? [] : [make("h3", { textContent: "Alternatives" }), alternatives(found)]),
      // Of a class there are none.
      ...(found.lens.length ? [make("h3", { textContent: "If the model ended after a layer" }), lensTable(found.lens)] : []),
      ...(found.additions.length ? [make("h3", { textContent: "What each part adds to the residual stream of the word: its length" }), additionsTable(found.additions)] : []),
    );
    return found;
  },
});
