// The source of a page that `attend attention` wrote: the answers for one text and one model as it is.
//
// recorded  {text, answers: {path: an answer, or {error: why there is none}}}, and if they were asked for
//           effects: of leaving out each word, heads: {module, head, change: without it}
const recorded = JSON.parse(byId("recorded").textContent);

async function call(path) {
  const answer = recorded.answers[path];
  if (answer.error) throw new Error(answer.error);
  return { json: async () => answer };
}

views.push({
  read() {
    question.text = recorded.text;
  },
  opened() {
    if (!recorded.heads.length) return;
    const effects = Object.fromEntries(recorded.heads.map(({ module, head, change }) => [`${module}:${head}`, change]));
    setBadges(effects, whenOff);
    showEffects(effects);
  },
  show() {
    const { translation, classes } = state.answer ?? {};
    byId("asked").hidden = translation === undefined && !classes; // the answer shows it
    byId("asked-name").textContent = translation === undefined ? "Text" : "Source";
    byId("asked-text").textContent = recorded.text;
  },
});
