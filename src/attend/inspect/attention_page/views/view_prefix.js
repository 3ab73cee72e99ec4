// The view of a prefix: what the translation begins with, typed, or taken from the translation by a click on a word.

// The translation up to this word, and where the word begins.
function beginningAt(answer, index) {
  let begin = 0;
  let end = 0;
  for (const { text, marks } of writtenWords(answer).slice(0, index + 1)) {
    if (marks) break;
    begin = Math.max(end, answer.translation.indexOf(text, end));
    end = begin + text.length;
  }
  return { text: answer.translation.slice(0, end), begin };
}

views.push({
  connect() {
    byId("answer-words").addEventListener("click", (event) => {
      const word = event.target.closest("button");
      if (!word) return;
      const { text, begin } = beginningAt(state.answer, Number(word.dataset.index));
      unfold("begin");
      const input = byId("prefix");
      input.value = text;
      input.focus();
      input.setSelectionRange(begin, text.length);
    });
    byId("begin-toggle").addEventListener("click", () => {
      unfold("begin", byId("begin").hidden);
      if (!byId("begin").hidden) byId("prefix").focus();
    });
    byId("begin").addEventListener("submit", (event) => {
      event.preventDefault();
      question.prefix = byId("prefix").value;
      ask();
    });
    byId("free").addEventListener("click", () => {
      question.prefix = "";
      ask();
    });
  },
  show() {
    const { answer } = state;
    if (!answer) return;
    const translates = answer.translation !== undefined;
    byId("begin-toggle").hidden = !translates;
    if (!translates || question.prefix) unfold("begin", translates);
    byId("prefix").value = question.prefix;
    byId("free").disabled = !question.prefix;
  },
});
