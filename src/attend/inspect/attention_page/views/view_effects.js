// The view of what each word does for the class: how probable it is without the word. `attend attention --why` has left out each in turn.

const points = (change) => `${change < 0 ? "−" : "+"}${Math.abs(100 * change).toFixed(1)} points`;

// A word whose absence lowers the probability speaks for the class. Shades grow with the square root of the change, as those of weights do.
function effectElement({ word, probability_without: share, change }) {
  if (share === null) return make("span", { textContent: word });
  const shown = make("span", { className: change <= 0 ? "for" : "against", textContent: word, title: `without it: ${(100 * share).toFixed(1)} % (${points(change)})` });
  shade(shown, Math.abs(change));
  return shown;
}

function effectsNote(label) {
  const sample = (className, textContent) => {
    const shown = make("span", { className, textContent });
    shade(shown, 0.25);
    return shown;
  };
  return [
    sample("for", "These words"), ` speak for “${label}”, which is less probable without them. `, sample("against", "These"),
    " speak against it. The shade grows with the square root of the change; point at a word for the numbers.",
  ];
}

views.push({
  connect() {
    if (!recorded.effects.length) return;
    byId("asked-note").after(exportBar({ name: "asked", title: () => recorded.text, drawing: () => byId("asked-text"), data: () => recorded.effects }));
  },
  show() {
    if (!recorded.effects.length || !state.answer) return;
    const words = recorded.effects.flatMap((effect, index) => [...(index ? [" "] : []), effectElement(effect)]);
    byId("asked-text").replaceChildren(...words);
    byId("asked-note").replaceChildren(...effectsNote(state.answer.classes[0].label));
  },
});
