// Equation 1 for one query, term by term: its product with each key, divided by √d and masked; the softmax of them all; and the values with
// these weights, one after the other. What is multiplied is marked in the matrices, and what is not computed yet is not shown.
//
// sum.of     what is computed: {word, chosen, keyTokens, q, k, v, scores, weights, views}, the last being those of the matrices
// sum.terms  {part, key}: the moments; sum.at: the one that is shown
const sum = { of: null, terms: [], at: 0, line: null, table: null };

const FEW = 3; // numbers that a line has room for
const plain = (value) => value.toFixed(2).replace("-", "−");
const inPercent = (weight) => `${(100 * weight).toFixed(1)} %`;
const firstOf = (parts, count, joint) => parts.slice(0, FEW).join(joint) + (count > FEW ? `${joint}…` : "");
const largestAt = (values) => values.reduce((best, value, i) => (value > values[best] ? i : best), 0);

// Each with its numbers; what comes out is an element.
const result = (textContent) => make("b", { textContent });
const SUM_SAYS = {
  score({ q, k, scores }, key) {
    const product = productOf(q, k.row(key));
    const scaled = product / Math.sqrt(q.length);
    const products = Array.from(q.slice(0, FEW), (value, i) => `${plain(value)} · ${plain(k.row(key)[i])}`);
    const line = [`q · k = ${firstOf(products, q.length, " + ")} = ${plain(product)}; ${plain(product)} / √${q.length} = `, result(plain(scaled))];
    if (scores[key] === -Infinity) return [...line, "; masked: ", result("−∞")];
    return Math.abs(scores[key] - scaled) < 0.01 ? line : [...line, "; the score is ", result(plain(scores[key]))];
  },
  softmax({ keyTokens, scores, weights }) {
    const best = largestAt(weights);
    const powers = Array.from(scores).filter(Number.isFinite).map((score) => `exp(${plain(score)})`);
    return [`softmax, for “${wordOf(keyTokens[best])}”: exp(${plain(scores[best])}) / (${firstOf(powers, powers.length, " + ")}) = `, result(inPercent(weights[best])), ", and 100 % in all"];
  },
  value({ keyTokens, weights, v }, key) {
    return [result(inPercent(weights[key])), ` of the value of “${wordOf(keyTokens[key])}”: ${weights[key].toFixed(3)} · ${vectorText(v.row(key), FEW)}`];
  },
  all({ word, weights, v }) {
    return [`The sum: “${word}” gets `, result(vectorText(valuesUpTo(weights, v, weights.length), FEW)), ". Play shows each term."];
  },
};

// The weighted values of the first keys.
function valuesUpTo(weights, values, count) {
  const total = new Float32Array(values.cols);
  for (let key = 0; key < count; ++key) values.row(key).forEach((value, i) => (total[i] += weights[key] * value));
  return total;
}

function showSum() {
  const { of, terms, at } = sum;
  const { part, key } = terms[at];
  const { chosen, keyTokens, weights, v, views } = of;
  const isBefore = (other) => ["score", "softmax", "value", "all"].indexOf(part) < ["score", "softmax", "value", "all"].indexOf(other);
  views.queries.point(...(part === "score" ? [chosen] : []));
  views.keys.point(...(part === "score" ? [key] : []));
  views.values.point(...(part === "value" ? [key] : []));
  views.scores.point(...{ score: [chosen, key], softmax: [chosen] }[part] ?? []);
  views.weights.point(...{ softmax: [chosen], value: [chosen, key] }[part] ?? []);
  views.output.point(...(part === "value" ? [chosen] : []));
  const scored = part === "score" ? key + 1 : keyTokens.length;
  views.scores.hideFrom(scored);
  views.weights.hideFrom(isBefore("softmax") ? 0 : keyTokens.length);
  views.output.hideFrom(isBefore("value") ? 0 : v.cols);
  views.output.showRow(part === "value" ? valuesUpTo(weights, v, key + 1) : null);
  [...sum.table.querySelectorAll("tbody tr")].forEach((row, index) => {
    row.classList.toggle("term", index === key);
    [...row.cells].forEach((cell, column) => cell.classList.toggle("pending", column === 1 ? index >= scored : column > 1 && isBefore("softmax")));
  });
  sum.line.ariaLive = sumPlayer.isRunning() ? "off" : "polite";
  sum.line.replaceChildren(...SUM_SAYS[part](of, key));
  sumPlayer.show();
}

const sumPlayer = new Player({
  id: "sum",
  name: "Term of the sum",
  count: () => sum.terms.length,
  at: () => sum.at,
  says: () => sum.line.textContent,
  go(at) {
    sum.at = at;
    showSum();
  },
  rests: showSum,
});

// The player, the line, the matrices and the table of scores and weights, for a query. The moment that was shown of another one remains.
function sumOfQuery(of) {
  const wasLast = sum.at === sum.terms.length - 1 || !sum.of;
  const { keyTokens, q, scores, weights } = of;
  const keys = [...keyTokens.keys()];
  const terms = [
    ...keys.map((key) => ({ part: "score", key })),
    { part: "softmax" },
    ...keys.filter((key) => scores[key] !== -Infinity).map((key) => ({ part: "value", key })),
    { part: "all" },
  ];
  Object.assign(sum, { of, terms, at: wasLast ? terms.length - 1 : Math.min(sum.at, terms.length - 1) });
  sum.line = make("p", { id: "sum-line" });
  sum.table = table(
    "The scores and weights of one query",
    ["key", `q · k / √${q.length}`, "weight", ""],
    keys.map((key) => [wordOf(keyTokens[key]), numberText(scores[key]), inPercent(weights[key]), shareBar(weights[key] / Math.max(...weights))]),
  );
  showSum();
  const { queries, keys: found, values, scores: scored, weights: shares, output } = of.views;
  return make(
    "div",
    {},
    make("h3", { textContent: `The query of “${of.word}”` }),
    make("div", { className: "sum" }, make("div", { className: "player" }, ...sumPlayer.elements), sum.line),
    numbersRow(queries, found, values),
    numbersRow(scored, shares, output),
    sum.table,
  );
}
