// Matrices as pictures of their numbers, which the pointer reads.

const LINE = 18; // pixels of a row, unless a matrix would be higher than this:
const HIGHEST = 600;
const LABEL = 14; // pixels that a label needs across

// Which of the rows or columns, of so many pixels each, have a label: all, or every second, third and so on, and the chosen one.
function labeled(count, pixels, chosen = -1) {
  const step = Math.max(1, Math.ceil(LABEL / pixels));
  const at = Array.from({ length: Math.ceil(count / step) }, (_, i) => i * step);
  return { pixels: step * pixels, at: at.map((first) => (chosen > first && chosen < first + step ? chosen : first)) };
}

// What is pointed at, in words.
const numberText = (value) => (value === -Infinity ? "−∞ (masked)" : (Math.abs(value) >= 1000 ? value.toPrecision(4) : value.toFixed(4)).replace("-", "−"));

// Draws the numbers, `most` being the strongest; those that are masked stay empty, and their places are hatched by the style sheet.
function paintMatrix(canvas, matrix, most) {
  const colors = numberColors();
  canvas.width = matrix.cols;
  canvas.height = matrix.rows;
  const context = canvas.getContext("2d");
  const image = context.createImageData(matrix.cols, matrix.rows);
  matrix.values.forEach((value, i) => Number.isFinite(value) && paintNumbers(image, i, value, most, colors));
  context.putImageData(image, 0, 0);
  if (!matrix.values.includes(-Infinity)) return;
  context.globalCompositeOperation = "destination-over";
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--panel");
  matrix.values.forEach((value, i) => value !== -Infinity && context.fillRect(i % matrix.cols, Math.floor(i / matrix.cols), 1, 1));
  context.globalCompositeOperation = "source-over";
}

// A matrix with its name, its shape, and the tokens of its rows and columns. `choose` is told a row that is clicked.
function numbersView({ name, title, matrix, rows = [], cols = null, of = "", chosen = -1, weights = false, choose = null }) {
  const canvas = make("canvas");
  canvas.dataset.colors = "own";
  const width = Math.max(44, Math.min(cols ? 22 * matrix.cols : 200, cols ? 320 : 3 * matrix.cols));
  const line = Math.min(LINE, HIGHEST / matrix.rows);
  const said = make("output", { className: "quiet" });
  const shape = `${matrix.rows} × ${matrix.cols}`;
  const [down, across] = [labeled(rows.length, line, chosen), labeled(cols?.length ?? 0, width / matrix.cols)];
  const labels = make(
    "ol",
    { className: choose ? "tokens chosen-by-click" : "tokens" },
    ...down.at.map((index) => {
      const label = make("span", { className: index === chosen ? "token chosen" : "token", dir: "auto", textContent: wordOf(rows[index]) });
      if (choose) label.addEventListener("click", () => choose(index));
      const item = make("li", {}, label);
      item.dataset.index = index;
      return item;
    }),
  );
  labels.style.cssText = `--line:${down.pixels}px;height:${line * matrix.rows}px`;
  const heads = cols ? make("ol", { className: "columns" }, ...across.at.map((index) => make("li", { dir: "auto", textContent: wordOf(cols[index]) }))) : "";
  if (heads) heads.style.cssText = `--line:${across.pixels}px;width:${width}px`;
  const masked = matrix.values.includes(-Infinity);
  const [veil, term] = ["veil", "mark"].map((className) => make("i", { className, hidden: true }));
  const picture = make("div", { className: masked ? "cells masked" : "cells" }, canvas, veil, make("i", { className: "row-mark", hidden: chosen < 0 }), term);
  picture.dataset.of = of;
  picture.style.cssText = `width:${width}px;height:${line * matrix.rows}px;--row:${chosen};--rows:${matrix.rows};--cols:${matrix.cols}`;
  const view = make(
    "figure",
    { className: cols ? "numbers labeled" : "numbers" },
    make("figcaption", {}, make("b", { textContent: name }), ` ${title} `, make("span", { className: "quiet", textContent: shape })),
    make("div", { className: "body" }, rows.length ? labels : "", make("div", {}, heads, picture)),
    said,
  );
  const at = ({ clientX, clientY }) => {
    const box = canvas.getBoundingClientRect();
    const place = (part, size, count) => Math.max(0, Math.min(count - 1, Math.floor((part / size) * count)));
    return { row: place(clientY - box.top, box.height, matrix.rows), col: place(clientX - box.left, box.width, matrix.cols) };
  };
  canvas.addEventListener("pointermove", (event) => {
    const { row, col } = at(event);
    const [who, what] = [rows[row] ? `${wordOf(rows[row])}, ` : "", cols ? wordOf(cols[col]) : col + 1];
    said.textContent = `${who}${what}: ${numberText(matrix.values[row * matrix.cols + col])}`;
  });
  canvas.addEventListener("pointerleave", () => (said.textContent = ""));
  if (choose) canvas.addEventListener("click", (event) => choose(at(event).row));
  const most = weights ? 1 : mostOf(matrix.values);
  paintMatrix(canvas, matrix, most);
  // Marks a row, or one number of it; or nothing.
  view.point = (row, col) => {
    const whole = col === undefined;
    term.hidden = row === undefined;
    term.style.cssText = `--row:${row};--col:${whole ? 0 : col};--row-span:1;--col-span:${whole ? matrix.cols : 1}`;
  };
  // Hides the numbers of the chosen row from this one on: they are not computed yet.
  view.hideFrom = (col) => {
    veil.hidden = col >= matrix.cols;
    veil.style.setProperty("--col", col);
  };
  // Shows other numbers in the chosen row; or its own.
  view.showRow = (values) => {
    const shown = matrix.values.slice();
    if (values) shown.set(values, chosen * matrix.cols);
    paintMatrix(canvas, Matrix.of(matrix.rows, matrix.cols, shown), most);
  };
  return view;
}

const numbersRow = (...views) => make("div", { className: "numbers-row" }, ...views.filter(Boolean));

// The first numbers of a vector, to read.
const vectorText = (values, count = 6) => `(${Array.from(values.slice(0, count), (value) => value.toFixed(2).replace("-", "−")).join(", ")}${values.length > count ? ", …" : ""})`;
