// The view of the answer: a translation with the probability of each word, or the classes of a text; and what the unchanged model says.

const number = (value) => value.toFixed(2).replace("-", "−");
const probability = (label) => Math.exp(label.log_probability);

// Two lists of words side by side: `pairs` of positions of equal words, by the longest common subsequence, and `added`, the positions in
// `after` that are in no pair.
function compareWords(before, after) {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; --i) {
    for (let j = after.length - 1; j >= 0; --j) {
      lengths[i][j] = before[i] === after[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const pairs = [];
  const added = new Set(after.keys());
  for (let i = 0, j = 0; i < before.length && j < after.length; ) {
    if (before[i] === after[j]) {
      added.delete(j);
      pairs.push([i++, j++]);
    } else if (lengths[i + 1][j] >= lengths[i][j + 1]) ++i;
    else ++j;
  }
  return { pairs, added };
}

const writtenWords = (answer) => (answer.attention.axes.written ?? answer.attention.axes.source).words;

// Words with their probabilities as bars below them; those that are new are marked.
function showWords(list, words, before, action) {
  const { added } = compareWords(before, textsOf(words));
  readAs(words, list);
  list.replaceChildren(
    ...words.map((label, index) => {
      const item = labelElement(label, action ? "button" : "span", index);
      const notes = [];
      if (label.log_probability !== undefined) {
        item.classList.add("chosen");
        item.style.setProperty("--probability", probability(label).toFixed(3));
        notes.push(percent(probability(label)));
        item.append(make("i", { className: "meter" }, make("i")));
      }
      if (added.has(index)) {
        item.classList.add("new");
        notes.push("changed");
      }
      if (action) {
        item.type = "button";
        item.tabIndex = index === 0 ? 0 : -1;
        item.setAttribute("aria-label", `${label.text}: ${[...notes, action].join(", ")}`);
      }
      item.title = item.ariaLabel ?? notes.join(", ");
      return make("li", {}, item);
    }),
  );
}

// The end of a translation that was cut has no probability.
function scoreText({ log_probability: logProbability, attention }) {
  const tokens = attention.axes.written.pieces.filter((piece) => piece.log_probability !== undefined).length;
  return `log-probability ${number(logProbability)}, ${(100 * Math.exp(logProbability / tokens)).toFixed(1)}\u00a0% per token`;
}

function showClasses(classes) {
  byId("classes").hidden = !classes;
  byId("classes").replaceChildren(
    ...(classes ?? []).map(({ label, probability: share }) => {
      const bar = make("span");
      bar.style.width = `${100 * share}%`;
      return make(
        "tr",
        {},
        make("th", { scope: "row", dir: "auto", textContent: label }),
        make("td", { textContent: `${(100 * share).toFixed(1)}\u00a0%` }),
        make("td", { className: "bar" }, bar),
      );
    }),
  );
}

function unchangedText({ translation, classes, log_probability: whole }, answer) {
  if (classes) return `Unchanged: ${classes[0].label}, ${(100 * classes[0].probability).toFixed(1)} %.`;
  if (translation === undefined) return whole === undefined ? "" : `Unchanged: log-probability ${number(whole)}.`;
  const now = answer.reference_log_probability;
  const change = now === undefined ? "" : `; with the changes ${number(now)} (${signed(now - whole)})`;
  return `Unchanged: “${translation}”, log-probability ${number(whole)}${change}.`;
}

// What is shown of an answer, without its maps.
function answerNumbers(answer) {
  const { attention, ...numbers } = answer;
  return answer.classes ? numbers : { ...numbers, words: writtenWords(answer) };
}

views.push({
  connect() {
    document.querySelector(".asides").append(
      exportBar({
        name: "answer",
        title: () => question.text,
        drawing: () => byId("answer"),
        data: () => ({ answer: answerNumbers(state.answer), unchanged: answerNumbers(state.unchanged) }),
      }),
    );
    roveFocus(byId("answer-words"), "button", lineStep);
  },
  show() {
    const { answer, unchanged } = state;
    byId("answer").hidden = !answer;
    if (!answer) return;
    const translates = answer.translation !== undefined;
    byId("answer-name").textContent = translates ? "Translation" : answer.classes ? "Classes" : "Text";
    byId("answer-words").hidden = Boolean(answer.classes);
    if (!answer.classes) showWords(byId("answer-words"), writtenWords(answer), textsOf(writtenWords(unchanged)), translates && byId("begin") ? "go on from here" : "");
    showClasses(answer.classes);
    byId("score").textContent = answer.log_probability === undefined ? "" : scoreText(answer);
    byId("entropy").textContent = answer.attention.entropy?.summary ?? "";
    byId("unchanged").hidden = answer === unchanged;
    byId("unchanged").textContent = answer === unchanged ? "" : unchangedText(unchanged, answer);
  },
});
