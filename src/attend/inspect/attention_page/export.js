// The view as something to keep: a link, the enlarged map as SVG or PNG, the numbers as JSON.

const CELL = 24;  // pixels of a weight in a drawing
const LETTER = 7; // and of a letter, about

// An element of SVG. The page has one already, which knows the name of its namespace.
function svgElement(tag, attributes = {}, text = "") {
  const element = document.createElementNS(byId("svg").namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
}

// Weights with their labels, black on white unless a style sheet says otherwise. In a difference, negative ones have another color; NaN is
// drawn as nothing.
function weightsSvg({ title, rows, cols, values }) {
  const room = (texts) => LETTER * Math.max(...texts.map((text) => [...text].length)) + 12;
  const [left, top] = [room(rows), room(cols) + 24];
  const width = Math.max(left + CELL * cols.length + 8, LETTER * title.length + 16);
  const height = top + CELL * rows.length + 8;
  const svg = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "font-family": "sans-serif", "font-size": 13, fill: "#1c1d20", role: "img" });
  svg.append(svgElement("title", {}, title), svgElement("rect", { class: "paper", width, height, fill: "#ffffff" }));
  svg.append(svgElement("text", { x: 8, y: 18, "font-weight": "bold" }, title));
  rows.forEach((text, row) => svg.append(svgElement("text", { x: left - 6, y: top + CELL * row + 16, "text-anchor": "end" }, text)));
  cols.forEach((text, col) => {
    const [x, y] = [left + CELL * col + 16, top - 6];
    svg.append(svgElement("text", { x, y, transform: `rotate(-90 ${x} ${y})` }, text));
  });
  values.forEach((weight, i) => {
    if (!(Math.abs(weight) >= 0.002)) return;
    const place = { x: left + CELL * (i % cols.length), y: top + CELL * Math.floor(i / cols.length), width: CELL, height: CELL };
    const color = weight < 0 ? { class: "weight less", fill: "#d6740c" } : { class: "weight", fill: "#1b48a8" };
    svg.append(svgElement("rect", { ...color, ...place, "fill-opacity": shadeOf(Math.abs(weight)).toFixed(3) }));
  });
  svg.append(svgElement("rect", { x: left, y: top, width: CELL * cols.length, height: CELL * rows.length, fill: "none", stroke: "#8a8d94" }));
  return svg;
}

function mapSvg(picture, { kind, unit, layer, head }) {
  const [rows, cols] = ["row", "col"].map((side) => picture.labels(kind, side, unit).map(({ text }) => text));
  return weightsSvg({ title: nameOf(kind, layer, head), rows, cols, values: picture.map(kind, unit, layer, head).values });
}

const svgText = (svg) => new XMLSerializer().serializeToString(svg);
const dataUrl = (type, text) => `data:${type};charset=utf-8,${encodeURIComponent(text)}`;

function save(url, name) {
  const link = make("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}

async function savePng(svg, name) {
  const image = new Image();
  image.src = dataUrl("image/svg+xml", svgText(svg));
  await image.decode();
  const scale = 2;
  const canvas = make("canvas", { width: scale * image.width, height: scale * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  save(canvas.toDataURL("image/png"), name);
}

async function copyLink() {
  writeAddress();
  try {
    await navigator.clipboard.writeText(location.href);
    byId("exported").textContent = "The link is copied.";
  } catch {
    byId("exported").textContent = "The link is in the address bar.";
  }
}

const exports = {
  link: copyLink,
  svg: () => save(dataUrl("image/svg+xml", svgText(mapSvg(state.picture, state))), "attention.svg"),
  png: () => savePng(mapSvg(state.picture, state), "attention.png"),
  json: () => save(dataUrl("application/json", JSON.stringify(state.answer ?? state.picture.data)), "attention.json"),
};

views.push({
  connect() {
    byId("exports").addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) exports[button.value]();
    });
  },
  show() {
    byId("exported").textContent = "";
  },
});
