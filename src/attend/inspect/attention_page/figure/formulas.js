// The formulas of the paper as MathML.

const mi = (text) => `<mi>${text}</mi>`;
const mo = (text) => `<mo>${text}</mo>`;
const mn = (text) => `<mn>${text}</mn>`;
const msub = (a, b) => `<msub>${a}${b}</msub>`;
const msup = (a, b) => `<msup>${a}${b}</msup>`;
const mrow = (...parts) => `<mrow>${parts.join("")}</mrow>`;
const mtext = (text) => `<mtext>${text}</mtext>`;
const bracket = (text) => `<mo stretchy="false">${text}</mo>`;
const of1 = (name, ...inner) => mrow(mtext(name), bracket("("), ...inner, bracket(")"));
const ofTall = (name, inner) => mrow(mtext(name), mo("("), inner, mo(")"));
const fraction = (a, b) => `<mfrac>${a}${b}</mfrac>`;
const root = (a) => `<msqrt>${a}</msqrt>`;
const sumOver = (index) => msub(mo("∑"), mi(index));

const ratio = fraction(mrow(mi("Q"), msup(mi("K"), mi("T"))), root(msub(mi("d"), mi("k"))));

const FORMULAS = {
  attention: [
    mrow(of1("Attention", mi("Q"), mo(","), mi("K"), mo(","), mi("V")), mo("="), ofTall("softmax", ratio), mi("V")),
  ],
  projections: (memory) => [mrow(mi("Q"), mo("="), mi("X"), msup(mi("W"), mi("Q"))), mrow(mi("K"), mo("="), mi(memory), msup(mi("W"), mi("K"))), mrow(mi("V"), mo("="), mi(memory), msup(mi("W"), mi("V")))],
  heads: [mrow(mtext("MultiHead"), mo("="), bracket("["), msub(mtext("head"), mn(1)), mo("…"), msub(mtext("head"), mi("h")), bracket("]"), msup(mi("W"), mi("O")))],
  norm: [mrow(of1("LayerNorm", mi("x"), mo("+"), of1("Sublayer", mi("x"))))],
  preNorm: [mrow(mi("x"), mo("+"), of1("Sublayer", of1("LayerNorm", mi("x"))))],
  feed: [mrow(of1("FFN", mi("x")), mo("="), of1("max", mn(0), mo(","), mi("x"), msub(mi("W"), mn(1)), mo("+"), msub(mi("b"), mn(1))), msub(mi("W"), mn(2)), mo("+"), msub(mi("b"), mn(2)))],
  feedOther: (activation) => [mrow(of1("FFN", mi("x")), mo("="), of1(activation, mi("x"), msub(mi("W"), mn(1)), mo("+"), msub(mi("b"), mn(1))), msub(mi("W"), mn(2)), mo("+"), msub(mi("b"), mn(2)))],
  embedding: [mrow(mi("x"), mo("="), msub(mi("E"), mtext("token")), mo("·"), root(msub(mi("d"), mtext("model"))))],
  embeddingPlain: [mrow(mi("x"), mo("="), msub(mi("E"), mtext("token")))],
  position: [
    mrow(msub(mtext("PE"), mrow(mi("p"), mo(","), mn(2), mi("i"))), mo("="), ofTall("sin", fraction(mi("p"), msup(mn(10000), mrow(mn(2), mi("i"), mo("/"), msub(mi("d"), mtext("model"))))))),
    mrow(msub(mtext("PE"), mrow(mi("p"), mo(","), mn(2), mi("i"), mo("+"), mn(1))), mo("="), ofTall("cos", fraction(mi("p"), msup(mn(10000), mrow(mn(2), mi("i"), mo("/"), msub(mi("d"), mtext("model"))))))),
  ],
  output: [mrow(msub(mi("p"), mi("j")), mo("="), fraction(of1("exp", msub(mi("z"), mi("j"))), mrow(msub(mo("∑"), mi("i")), of1("exp", msub(mi("z"), mi("i"))))), mo(","), mi("z"), mo("="), mi("x"), msup(mi("W"), mtext("vocab")))],
  // Of the vectors x of n tokens the vector v of their text.
  pooling: {
    max: [mrow(msub(mi("v"), mi("j")), mo("="), msub(mi("max"), mi("i")), msub(mi("x"), mrow(mi("i"), mi("j"))))],
    mean: [mrow(mi("v"), mo("="), fraction(mn(1), mi("n")), sumOver("i"), msub(mi("x"), mi("i")))],
    first: [mrow(mi("v"), mo("="), msub(mi("x"), mn(1)))],
    last: [mrow(mi("v"), mo("="), msub(mi("x"), mi("n")))],
    mean_sqrt: [mrow(mi("v"), mo("="), fraction(mn(1), root(mi("n"))), sumOver("i"), msub(mi("x"), mi("i")))],
    weighted_mean: [mrow(mi("v"), mo("="), fraction(mrow(sumOver("i"), mi("i"), msub(mi("x"), mi("i"))), mrow(sumOver("i"), mi("i"))))],
  },
  dense: (activation, bias) => {
    const map = mrow(mi("v"), mi("W"), ...(bias ? [mo("+"), mi("b")] : []));
    return [mrow(mi("y"), mo("="), activation === "none" ? map : of1(activation, map))];
  },
  headNorm: [mrow(mi("y"), mo("="), of1("Norm", mi("v")))],
  classes: [mrow(mi("z"), mo("="), mi("v"), mi("W"), mo("+"), mi("b")), mrow(msub(mi("p"), mi("j")), mo("="), fraction(of1("exp", msub(mi("z"), mi("j"))), mrow(sumOver("i"), of1("exp", msub(mi("z"), mi("i"))))))],
  severalClasses: [mrow(mi("z"), mo("="), mi("v"), mi("W"), mo("+"), mi("b")), mrow(msub(mi("p"), mi("j")), mo("="), fraction(mn(1), mrow(mn(1), mo("+"), of1("exp", mo("−"), msub(mi("z"), mi("j"))))))],
  normalize: [mrow(mi("y"), mo("="), fraction(mi("v"), mrow(mo("‖"), mi("v"), mo("‖"))))],
};

function formula(lines) {
  const box = make("div", { className: "formula" });
  box.innerHTML = lines.map((line) => `<math display="block">${line}</math>`).join("");
  return box;
}
