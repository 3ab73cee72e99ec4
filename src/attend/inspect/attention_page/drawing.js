// Drawing: shades, heat maps and small DOM helpers. Nothing here knows the state of the page.

const byId = (id) => document.getElementById(id);

// The shade of a weight, 0 … 1.
const shadeOf = (weight) => Math.sqrt(weight);

function percent(weight) {
  const number = weight > 0 && weight < 0.005 ? "<1" : Math.round(weight * 100);
  return `${number}\u00a0%`;
}

// With a sign, and a minus that is as wide as a plus.
function signed(number) {
  return `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(2)}`;
}

// make("button", {className: "word", textContent: "…"}, child, …)
function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// Shades an element by a weight; undefined: no weight to show.
function shade(element, weight) {
  element.style.setProperty("--shade", weight === undefined ? 0 : shadeOf(weight).toFixed(3));
}

// The color of weights as channels; the style sheet's, so draw again when the scheme changes.
function heatOf(element) {
  return getComputedStyle(element).getPropertyValue("--heat").trim().split(/\s+/).map(Number);
}

// One canvas pixel for each weight; CSS enlarges them.
function drawMap(canvas, map, [red, green, blue]) {
  canvas.width = map.cols;
  canvas.height = map.rows;
  const context = canvas.getContext("2d");
  const image = context.createImageData(map.cols, map.rows);
  const { data } = image;
  for (let i = 0, k = 0; i < map.values.length; ++i) {
    data[k++] = red;
    data[k++] = green;
    data[k++] = blue;
    data[k++] = 255 * shadeOf(map.values[i]);
  }
  context.putImageData(image, 0, 0);
}

const MARKS = { start: "the start of the sentence", end: "the end of the sentence" };

// A word or piece with its place on the axis. The ends of a sentence are explained; ▁, which begins a word, is there but faint.
function labelElement(label, tag, index) {
  const [meta, text] = label.text.startsWith("▁") ? ["▁", label.text.slice(1)] : ["", label.text];
  const element = make(tag, { className: "label", dir: "auto" }, make("span", { className: "meta", textContent: meta }), text);
  element.dataset.index = index;
  if (label.marks) {
    element.classList.add("mark-token");
    element.title = MARKS[label.marks];
  }
  return element;
}

// Arrow keys move the focus among `items`; only one of them is a stop of the Tab key. `step` maps a key to how far it moves.
function roveFocus(container, itemSelector, step) {
  const items = () => [...container.querySelectorAll(itemSelector)];
  container.addEventListener("keydown", (event) => {
    const list = items();
    const from = list.indexOf(event.target.closest(itemSelector));
    const to = from < 0 ? -1 : step(event.key, from, list);
    if (to < 0 || to >= list.length || to === from) return;
    event.preventDefault();
    setStop(list, to);
    list[to].focus();
  });
  container.addEventListener("focusin", (event) => {
    const list = items();
    const at = list.indexOf(event.target.closest(itemSelector));
    if (at >= 0) setStop(list, at);
  });
}

function setStop(items, index) {
  items.forEach((item, i) => (item.tabIndex = i === index ? 0 : -1));
}

// Words side by side stand as their script is read: that of the first letter decides.
const FROM_THE_RIGHT = /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
function readAs(labels, list) {
  const text = labels.filter(({ marks }) => !marks).map((label) => label.text).join(" ");
  list.dir = FROM_THE_RIGHT.test(text) ? "rtl" : "ltr";
}

// Steps along a line of items, in reading order.
function lineStep(key, from, list) {
  const right = getComputedStyle(list[from].parentElement).direction === "rtl" ? -1 : 1;
  const steps = { ArrowLeft: from - right, ArrowUp: from - 1, ArrowRight: from + right, ArrowDown: from + 1, Home: 0, End: list.length - 1 };
  return key in steps ? steps[key] : -1;
}

// A token without the mark of its beginning, if there is more of it.
const wordOf = (token) => token.replace(/^▁(?=.)/, "");

// A table with a header row; cells are texts or elements.
function table(label, header, rows) {
  const cellsOf = (cells, tag) => cells.map((cell) => make(tag, {}, cell));
  const made = make(
    "table",
    {},
    make("thead", {}, make("tr", {}, ...cellsOf(header, "th"))),
    make("tbody", {}, ...rows.map(([first, ...rest]) => make("tr", {}, make("th", { scope: "row" }, first), ...cellsOf(rest, "td")))),
  );
  made.setAttribute("aria-label", label);
  return make("div", { className: "scroll" }, made);
}

// A bar to the right for a positive share, orange and to the left for a negative one.
function shareBar(share) {
  const bar = make("i", { className: share < 0 ? "share minus" : "share" });
  bar.style.setProperty("--share", Math.abs(share).toFixed(3));
  return bar;
}
