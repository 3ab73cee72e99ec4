// The view of two texts side by side: what another word moves.
//
// state.beside  {answer, picture} of the other text; null: none
Object.assign(state, { beside: null, withText: "" });

// How much of the attention of the words that both have goes elsewhere: 0 … 1.
function movedIn(kind, layer, head) {
  const pictures = [state.picture, state.beside.picture];
  const maps = pictures.map((picture) => picture.map(kind, "words", layer, head));
  const pairsOf = (side) => compareWords(...pictures.map((picture) => textsOf(picture.labels(kind, side, "words")))).pairs;
  const [rows, cols] = [pairsOf("row"), pairsOf("col")];
  let moved = 0;
  for (const [rowA, rowB] of rows) {
    let [restA, restB, sum] = [1, 1, 0];
    for (const [colA, colB] of cols) {
      const [a, b] = [maps[0].share(rowA, colA), maps[1].share(rowB, colB)];
      sum += Math.abs(a - b);
      restA -= a;
      restB -= b;
    }
    moved += (sum + Math.abs(restA - restB)) / 2;
  }
  return rows.length ? moved / rows.length : 0;
}

function moves() {
  const numbers = {};
  for (const kind of state.picture.kinds()) {
    const { modules, pieces } = state.picture.data.maps[kind];
    modules.forEach((module, layer) => pieces[layer].forEach((_, head) => (numbers[`${module}:${head}`] = movedIn(kind, layer, head))));
  }
  return numbers;
}

views.push({
  connect() {
    byId("with-toggle").addEventListener("click", () => {
      const open = byId("with-fields").hidden;
      byId("with-fields").hidden = !open;
      byId("with-toggle").setAttribute("aria-expanded", String(open));
      if (open && !byId("with").value) byId("with").value = byId("text").value;
      if (open) byId("with").focus();
    });
    byId("ask").addEventListener("submit", () => {
      state.withText = byId("with-fields").hidden ? "" : byId("with").value;
    }, { capture: true });
  },
  async answered(fields) {
    state.beside = null;
    if (!state.withText.trim()) return;
    const answer = await explore({ ...fields, prefix: "", text: state.withText });
    state.beside = { answer, picture: new Picture(answer.attention) };
  },
  show() {
    byId("beside").hidden = !state.beside;
    if (!state.beside) return;
    const { answer, picture } = state.beside;
    byId("beside-words").hidden = Boolean(answer.classes);
    if (!answer.classes) showWords(byId("beside-words"), writtenWords(answer), textsOf(writtenWords(state.answer)), "");
    byId("beside-score").textContent = answer.classes
      ? answer.classes.map(({ label, probability: share }) => `${label} ${percent(share)}`).join(", ")
      : answer.log_probability === undefined ? "" : scoreText(answer.log_probability, answer.attention.axes.written.pieces.length);
    const numbers = moves();
    const text = (value) => `${percent(value)} of its attention moved`;
    byId("beside-moves").replaceChildren(ranking(numbers, text));
    setBadges(Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, -value])), (value) => text(-value));
    byId("beside-map").replaceChildren(mapSvg(picture, state));
  },
  reset() {
    state.beside = null;
  },
  address(fields) {
    if (state.withText) fields.set("with", state.withText);
  },
  read(fields) {
    state.withText = fields.get("with") ?? "";
    byId("with").value = state.withText;
    byId("with-fields").hidden = !state.withText;
    byId("with-toggle").setAttribute("aria-expanded", String(Boolean(state.withText)));
  },
});
