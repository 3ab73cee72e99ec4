// The drawing of figure 1: where its boxes and lines are, and the vectors of tokens inside the boxes. Nothing here knows the state of the page.

const FIGURE = { width: 560, height: 720, box: 200, column: { encoder: 145, decoder: 415 } };
const HIGH = 44; // of a box
const LOW = 34;  // of one that adds and normalizes

// Tops of the boxes. What a stack has not is left out, and the lines lead past it.
const TOPS = {
  "encoder-embedding": 660, "encoder-position": 612,
  "encoder-self": 522, "encoder-self-norm": 484, "encoder-ffn": 414, "encoder-ffn-norm": 376,
  "decoder-embedding": 660, "decoder-position": 612,
  "decoder-self": 522, "decoder-self-norm": 484, "decoder-recurrence": 522, "decoder-recurrence-norm": 484, "decoder-cross": 414, "decoder-cross-norm": 376, "decoder-ffn": 306, "decoder-ffn-norm": 268,
  linear: 168, softmax: 104,
  pooling: 286, head: 229, "head-norm": 182, classes: 125, "class-shares": 68, dense: 226, "second-dense": 166, normalize: 106,
};
const heightOf = (id) => (id.endsWith("norm") ? LOW : id.endsWith("position") ? 26 : HIGH);
const columnOf = (id) => FIGURE.column[BOXES[id].stack];

function boxPlace(id) {
  const x = columnOf(id) - FIGURE.box / 2;
  return { x, y: TOPS[id], width: FIGURE.box, height: heightOf(id) };
}

// Lines along which vectors go: into a box, around a sublayer (residual connections), and from the encoder to the decoder.
function figureLines(has) {
  const up = (x, from, to) => ({ path: `M${x} ${from}V${to}`, tip: `M${x - 4} ${to + 7}L${x} ${to}L${x + 4} ${to + 7}Z` });
  const lines = [];
  for (const stack of ["encoder", "decoder"]) {
    const x = FIGURE.column[stack];
    const ids = [...INPUTS[stack], ...LAYER[stack], ...OUTPUTS[stack]].filter(has);
    if (ids.length === 0) continue;
    lines.push({ to: ids[0], ...up(x, 718, TOPS[ids[0]] + heightOf(ids[0])) });
    ids.slice(1).forEach((id, i) => lines.push({ to: id, ...up(x, TOPS[ids[i]], TOPS[id] + heightOf(id)) }));
    for (const id of LAYER[stack].filter((one) => one.endsWith("-norm") && has(one))) {
      const sublayer = id.replace("-norm", "");
      const side = stack === "encoder" ? x - FIGURE.box / 2 - 18 : x + FIGURE.box / 2 + 18;
      const edge = stack === "encoder" ? x - FIGURE.box / 2 : x + FIGURE.box / 2;
      const bottom = TOPS[sublayer] + HIGH + 12;
      const bend = stack === "encoder" ? 1 : -1;
      const middle = TOPS[id] + LOW / 2;
      lines.push({
        to: id,
        skip: true,
        path: `M${x} ${bottom}H${side + 8 * bend}Q${side} ${bottom} ${side} ${bottom - 8}V${middle + 8}Q${side} ${middle} ${side + 8 * bend} ${middle}H${edge}`,
        tip: `M${edge - 7 * bend} ${middle - 4}L${edge} ${middle}L${edge - 7 * bend} ${middle + 4}Z`,
      });
    }
  }
  if (has("decoder-cross")) {
    const [x, top, middle] = [FIGURE.column.encoder, 340, 280];
    const into = FIGURE.column.decoder - 50;
    const [below, foot] = [TOPS["decoder-cross"] + HIGH + 13, TOPS["decoder-cross"] + HIGH];
    lines.push({
      to: "decoder-cross",
      path: [
        `M${x} ${TOPS["encoder-ffn-norm"]}V${top + 8}Q${x} ${top} ${x + 8} ${top}H${middle - 8}Q${middle} ${top} ${middle} ${top + 8}`,
        `V${below - 8}Q${middle} ${below} ${middle + 8} ${below}H${into - 8}Q${into} ${below} ${into} ${below - 5}V${foot}`,
      ].join(""),
      tip: `M${into - 4} ${foot + 7}L${into} ${foot}L${into + 4} ${foot + 7}Z`,
    });
  }
  return lines;
}

// A wave, the sign of the positional encoding.
const WAVE = "M-10 0C-6 -9 -4 -9 0 0S6 9 10 0";

// The colors of numbers: blue above zero, orange below, stronger for larger ones, `most` being the strongest.
function paintNumbers(image, place, value, most, { heat, against }) {
  const color = value < 0 ? against : heat;
  const data = image.data;
  data[4 * place] = color[0];
  data[4 * place + 1] = color[1];
  data[4 * place + 2] = color[2];
  data[4 * place + 3] = 255 * Math.min(1, Math.sqrt(Math.abs(value) / most));
}

const channelsOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim().split(/\s+/).map(Number);
const numberColors = () => ({ heat: channelsOf("--heat"), against: channelsOf("--against") });

// A number that few exceed.
function mostOf(values) {
  let [sum, count] = [0, 0];
  for (const value of values) if (Number.isFinite(value)) [sum, count] = [sum + value * value, count + 1];
  return 2.5 * Math.sqrt(sum / Math.max(count, 1)) || 1;
}

// Each token's vector as a small picture of its numbers, side by side with a gap: what flows through the figure. Where there are too many
// numbers for the pixels, every second or third one is drawn.
const PRINT = { rows: 8, gap: 1, width: 1200 };
function drawPrints(canvas, matrix, colors, isShown) {
  const room = Math.max(1, Math.floor(PRINT.width / matrix.rows) - PRINT.gap);
  const high = matrix.rows === 1 ? 1 : Math.min(PRINT.rows, matrix.cols); // one vector is a line
  const wide = Math.min(room, Math.ceil(matrix.cols / high));
  const stride = Math.ceil(matrix.cols / (high * wide));
  const step = matrix.rows === 1 ? wide : wide + PRINT.gap;
  canvas.width = matrix.rows * step;
  canvas.height = high;
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, high);
  const most = mostOf(matrix.values);
  for (let token = 0; token < matrix.rows; ++token) {
    if (!isShown(token)) continue;
    const values = matrix.row(token);
    for (let i = 0; i * stride < values.length; ++i)
      paintNumbers(image, (i % high) * canvas.width + token * step + Math.floor(i / high), values[i * stride], most, colors);
  }
  context.putImageData(image, 0, 0);
}
