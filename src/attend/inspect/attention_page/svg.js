// Drawings as SVG: maps of weights, and whatever the page shows. Nothing here knows the state of the page.

const CELL = 24;  // pixels of a weight in a drawing
const LETTER = 8; // and of a letter, about

// An element of SVG. The page has one already, which knows the name of its namespace. XML has no control characters.
function svgElement(tag, attributes = {}, text = "") {
  const element = document.createElementNS(byId("svg").namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text.replace(/[\0-\x08\v\f\x0e-\x1f]/g, "\ufffd");
  return element;
}

// White paper with a title, black unless a style sheet says otherwise.
function paper(title, { left = 0, top = 0, width, height }) {
  const svg = svgElement("svg", { viewBox: `${left} ${top} ${width} ${height}`, width, height, "font-family": "sans-serif", "font-size": 13, fill: "#1c1d20", role: "img" });
  svg.append(svgElement("title", {}, title), svgElement("rect", { class: "paper", x: left, y: top, width, height, fill: "#ffffff" }));
  svg.append(svgElement("text", { x: left + 8, y: top + 18, "font-weight": "bold" }, title));
  return svg;
}

// Weights with their labels. In a difference, negative ones have another color; NaN is drawn as nothing.
function weightsSvg({ title, rows, cols, values }) {
  const room = (texts) => LETTER * Math.max(...texts.map((text) => [...text].length)) + 12;
  const [left, top] = [room(rows), room(cols) + 24];
  const svg = paper(title, { width: Math.max(left + CELL * cols.length + 8, LETTER * title.length + 16), height: top + CELL * rows.length + 8 });
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

// What the page has for hands only.
const FOR_HANDS = "form, .keep, .pills, .player, .hidden, .fields > button, .asides > button, textarea, input[type=range], progress";

// A color as attributes that every program knows.
function paint(name, color) {
  const [red, green, blue, alpha = 1] = color.match(/[\d.]+/g).map(Number);
  return { [name]: `rgb(${red},${green},${blue})`, [`${name}-opacity`]: alpha };
}
const isSeen = (color) => !/^rgba.*, 0\)$/.test(color);

// The background, the border and the outline of an element, whose box this is.
function framesOf(style, { x, y, width, height }) {
  const frames = [];
  const rx = parseFloat(style.borderTopLeftRadius) || 0;
  if (isSeen(style.backgroundColor)) frames.push(svgElement("rect", { x, y, width, height, rx, ...paint("fill", style.backgroundColor) }));
  for (const [side, all] of [["borderTop", ["borderRight", "borderBottom", "borderLeft"]], ["outline", []]]) {
    const line = parseFloat(style[`${side}Width`]);
    const kind = style[`${side}Style`];
    if (!line || kind === "none" || !all.every((one) => style[`${one}Width`] === style[`${side}Width`])) continue;
    const frame = { x: x + line / 2, y: y + line / 2, width: Math.max(width - line, 0), height: Math.max(height - line, 0), rx, fill: "none" };
    const dashes = kind === "dashed" ? { "stroke-dasharray": `${3 * line}` } : {};
    frames.push(svgElement("rect", { ...frame, ...dashes, ...paint("stroke", style[`${side}Color`]), "stroke-width": line }));
  }
  return frames;
}

// The weights of a canvas in another color.
function imageOf(canvas, color) {
  const copy = make("canvas", { width: canvas.width, height: canvas.height });
  const context = copy.getContext("2d");
  context.drawImage(canvas, 0, 0);
  context.globalCompositeOperation = "source-in";
  context.fillStyle = color;
  context.fillRect(0, 0, copy.width, copy.height);
  return copy.toDataURL();
}

// The lines of a text as it is wrapped.
function linesOfText(node) {
  const lines = [];
  const range = document.createRange();
  for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const { left, right, top, bottom } = range.getBoundingClientRect();
    const line = lines.at(-1);
    if (line?.top === top) Object.assign(line, { text: `${line.text} ${word}`, left: Math.min(line.left, left), right: Math.max(line.right, right) });
    else if (right > left) lines.push({ text: word, left, right, top, bottom });
  }
  return lines;
}

// What an element of the page shows, where it shows it, on paper: its boxes, texts, canvases and drawings.
function drawingOf(root, title) {
  const { left, top } = root.getBoundingClientRect();
  const found = [];
  const add = (element, box, opacity) => {
    if (opacity < 1) element.setAttribute("opacity", opacity);
    found.push({ element, box });
  };
  // Other programs have other fonts: a text is told its width.
  const addText = (line, style, opacity) => {
    const box = { x: line.left - left, y: line.top - top, width: line.right - line.left, height: line.bottom - line.top };
    const look = { "font-size": parseFloat(style.fontSize), "font-weight": style.fontWeight, "font-style": style.fontStyle, ...paint("fill", style.color) };
    add(svgElement("text", { x: box.x, y: box.y + 0.8 * box.height, textLength: box.width, lengthAdjust: "spacingAndGlyphs", ...look }, line.text), box, opacity);
  };
  const walk = (element, before) => {
    if (element.matches(FOR_HANDS) || !element.checkVisibility()) return;
    const style = getComputedStyle(element);
    const opacity = before * style.opacity;
    const own = element.getBoundingClientRect();
    const box = { x: own.left - left, y: own.top - top, width: own.width, height: own.height };
    for (const frame of framesOf(style, box)) add(frame, box, opacity);
    if (element.localName === "svg") {
      const copy = element.cloneNode(true);
      for (const [name, value] of Object.entries(box)) copy.setAttribute(name, value);
      add(copy, box, opacity);
    } else if (element.localName === "canvas") {
      const href = element.dataset.colors ? element.toDataURL() : imageOf(element, `rgb(${style.getPropertyValue("--heat")})`);
      add(svgElement("image", { ...box, href, preserveAspectRatio: "none", "image-rendering": "pixelated" }), box, opacity);
    } else if (element.matches("select, input")) {
      const text = element.selectedOptions?.[0]?.text ?? element.value;
      if (text) addText({ text, left: own.left + 8, right: own.left + 8 + LETTER * text.length, top: own.top + 4, bottom: own.bottom - 4 }, style, opacity);
    } else {
      for (const child of element.childNodes) {
        if (child.nodeType === Node.ELEMENT_NODE) walk(child, opacity);
        else if (child.nodeType === Node.TEXT_NODE) for (const line of linesOfText(child)) addText(line, style, opacity);
      }
    }
  };
  document.documentElement.classList.add("on-paper");
  walk(root, 1);
  document.documentElement.classList.remove("on-paper");
  const reach = (start, size, pick) => pick(...found.map(({ box }) => box[start] + (size ? box[size] : 0)));
  const [from, above] = [Math.floor(reach("x", "", Math.min)) - 8, Math.floor(reach("y", "", Math.min)) - 32];
  const svg = paper(title, {
    left: from,
    top: above,
    width: Math.max(Math.ceil(reach("x", "width", Math.max)) - from + 8, 8 * title.length + 24),
    height: Math.ceil(reach("y", "height", Math.max)) - above + 8,
  });
  svg.setAttribute("font-family", "system-ui, sans-serif"); // as on the page
  svg.append(...found.map(({ element }) => element));
  return svg;
}
