// The view of a word in several texts: its vectors after a layer, which depend on what is around it, as points of a plane.

// `asked`: by somebody; else the page shows a first example.
const uses = { asked: false, word: "", layer: -1, texts: [] };
const MAP = { height: 360, edge: 28, widest: 560 };

// A few words around the one, for a label.
function around(text, word) {
  const words = text.split(/\s+/);
  const at = words.findIndex((one) => one.toLowerCase().includes(word.toLowerCase()));
  const from = Math.max(0, at - 1);
  return `${from > 0 ? "… " : ""}${words.slice(from, at + 3).join(" ")}${at + 3 < words.length ? " …" : ""}`;
}

// Where the points and their labels are drawn, in this width; labels of points that are close go below each other.
function placesOf(points, width) {
  const span = (values) => [Math.min(...values), Math.max(...values)];
  const [[left, right], [bottom, top]] = [span(points.map(({ x }) => x)), span(points.map(({ y }) => y))];
  const scale = Math.min((width - 2 * MAP.edge) / (right - left || 1), (MAP.height - 2 * MAP.edge) / (top - bottom || 1));
  const places = points.map(({ x, y }) => ({
    x: width / 2 + scale * (x - (left + right) / 2),
    y: MAP.height / 2 - scale * (y - (bottom + top) / 2),
  }));
  const byHeight = [...places].sort((a, b) => a.y - b.y);
  byHeight.forEach((place, i) => {
    place.label = Math.max(place.y + 4, ...byHeight.slice(0, i).filter(({ x }) => Math.abs(x - place.x) < 150).map(({ label }) => label + 15));
  });
  return places;
}

const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function usesSvg(found) {
  const width = Math.min(MAP.widest, byId("uses-shown").clientWidth || MAP.widest);
  const svg = svgElement("svg", { viewBox: `0 0 ${width} ${MAP.height}`, width, role: "group", "aria-label": `“${uses.word}” in each text` });
  placesOf(found.uses, width).forEach((place, i) => {
    const { text } = found.uses[i];
    const onTheLeft = place.x > width / 2;
    const letters = Math.floor(((onTheLeft ? place.x : width - place.x) - 12) / LETTER);
    const point = svgElement("g", { class: "use", tabindex: i === 0 ? 0 : -1, role: "img", "aria-label": `${i + 1}: ${text}`, "data-at": i });
    point.append(
      svgElement("title", {}, text),
      svgElement("circle", { cx: place.x, cy: place.y, r: 5, fill: "#1b48a8" }),
      svgElement("text", { x: place.x + (onTheLeft ? -9 : 9), y: place.label, "text-anchor": onTheLeft ? "end" : "start", "font-size": 13 }, shortened(`${i + 1} ${around(text, uses.word)}`, letters)),
    );
    svg.append(point);
  });
  return svg;
}

function usesTable(found) {
  const rows = found.uses.map(({ text, x, y, nearest, similarity }, i) => [
    String(i + 1),
    text,
    number(x),
    number(y),
    nearest === null ? "" : `${nearest + 1} (${number(similarity)})`,
  ]);
  return table("Uses of the word", ["", "text", "x", "y", "most similar (cosine)"], rows);
}

// The row of the table that belongs to a point is marked, and the other way round.
function linkUses(body) {
  const mark = (event) => {
    const item = event.target.closest(".use, tbody tr");
    const index = item ? [...item.parentElement.children].indexOf(item) : -1;
    for (const list of [body.querySelectorAll(".use"), body.querySelectorAll("tbody tr")])
      [...list].forEach((one, i) => one.classList.toggle("path", i === index));
  };
  for (const name of ["pointerover", "focusin"]) body.addEventListener(name, mark);
}

function usesForm() {
  const word = make("input", { id: "uses-word", autocomplete: "off", required: true });
  const texts = make("textarea", { id: "uses-texts", rows: 5, required: true });
  const layer = make("select", { id: "uses-layer" });
  const form = make(
    "form",
    {},
    make("div", { className: "fields" }, make("label", {}, "Word ", word), make("label", {}, "after layer ", layer)),
    make("label", {}, "Texts with the word, one in each line", texts),
    make("div", { className: "fields" }, make("button", { textContent: "Show the word" })),
  );
  const asks = () => {
    Object.assign(uses, { asked: true, word: word.value.trim(), layer: Number(layer.value || -1), texts: linesOf(texts.value) });
    showUses();
  };
  layer.addEventListener("change", asks);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    asks();
  });
  return form;
}

const linesOf = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

// Before the first question: the longest word of the text, in all texts that the page has.
function firstUses() {
  uses.texts = linesOf([question.text, state.other.text].join("\n"));
  uses.word = question.text.split(/[^\p{L}\p{M}\p{N}]+/u).reduce((a, b) => (b.length > a.length ? b : a), "");
}

function usesShown(found) {
  const shown = percent(found.shown_variance);
  return [
    make("p", { className: "quiet", textContent: `A point is the vector of “${uses.word}” in a text, by the first two principal components, which show ${shown} of the variance.` }),
    usesSvg(found),
    usesTable(found),
  ];
}

const showUses = addPanel({
  name: "uses",
  title: () => "A word in several texts",
  fits: () => true,
  address: () => (uses.asked ? [uses.word, uses.layer, ...uses.texts].join("\n") : "1"),
  read(text) {
    const [word, layer, ...texts] = text.split("\n");
    Object.assign(uses, { asked: texts.length > 0, word, layer: Number(layer ?? -1), texts });
  },
  async load(body) {
    if (!uses.asked) firstUses();
    if (!byId("uses-word")) {
      body.replaceChildren(usesForm(), make("div", { id: "uses-shown" }));
      linkUses(byId("uses-shown"));
      roveFocus(byId("uses-shown"), ".use", lineStep);
    }
    byId("uses-word").value = uses.word;
    byId("uses-texts").value = uses.texts.join("\n");
    const { model, heads_off, attention_beta } = currentFields();
    const { texts, word, layer } = uses;
    try {
      const found = await (await call("/explore/words", filled({ model, texts, word, layer, heads_off, attention_beta }))).json();
      const names = Array.from({ length: found.layers + 1 }, (_, i) => (i === 0 ? "0: what enters the first" : String(i)));
      byId("uses-layer").replaceChildren(...names.map((name, i) => make("option", { value: i, textContent: name })));
      byId("uses-layer").value = found.layer;
      byId("uses-shown").replaceChildren(...usesShown(found));
      return { word, ...found };
    } catch (error) {
      byId("uses-shown").replaceChildren(make("p", { className: "fault", textContent: error.message }));
      return null;
    }
  },
});
