"use strict";

// Other words for a translation: a word is a button, which lists what the model may write in its
// place and how the sentence goes on then.

const OTHER_WORDS = 5;

// The number of characters, without spaces and the marks that tokens have for them.
const letters = (text) => [...text.replace(/[\s▁Ġ]/gu, "")].length;

// The number of the token that has the character after so many letters; -1 if the tokens are not
// spelled as the text.
function tokenAfter(tokens, before, all) {
  const ends = [];
  for (const { token } of tokens) ends.push((ends.at(-1) || 0) + letters(token));
  return ends.at(-1) === all ? ends.findIndex((end) => end > before) : -1;
}

// What /attend/v1 is asked about a sentence.
function questionOf({ source, languages }) {
  const fits = (m) =>
    m.sources && m.sources.includes(languages.source) && m.targets.includes(languages.target);
  const model = models.find(fits);
  if (!model) throw new Error("No single model translates this text.");
  const question = { model: model.name, text: source };
  if (model.sources.length > 1) question.source = languages.source;
  if (model.targets.length > 1) question.target_language = languages.target;
  return question;
}

// The sentence with other words at `place` of its translation, the likeliest first.
async function otherTranslations(sentence, place) {
  const question = questionOf(sentence);
  const { translation } = sentence;
  const asked = { ...question, target: translation, count: 2 * OTHER_WORDS };
  const answer = await (await call("/attend/v1/alternatives", asked)).json();
  const tokens = answer.tokens.slice(0, -1); // without the end
  const at = tokenAfter(tokens, letters(translation.slice(0, place)), letters(translation));
  if (at < 0) return [];
  const before = tokens.slice(0, at).map(({ token }) => token);
  const others = tokens[at].likeliest.filter(({ token }) => token !== tokens[at].token);
  const { target_language: target, ...search } = question;
  if (target) search.target = target;
  const found = await Promise.all(
    others.slice(0, OTHER_WORDS).map(async ({ token }) => {
      const asked = { ...search, prefix: [...before, token], beam_size: 4 };
      const { translations } = await (await call("/attend/v1/beam", asked)).json();
      return translations[0].text;
    })
  );
  return [...new Set(found)].filter((text) => text !== translation);
}

// Lists what may stand in place of a word; a choice changes the sentence.
async function offerOthers(form, sentence, word) {
  const list = $(".others", form);
  list.replaceChildren();
  say("Looking for other words …");
  try {
    const texts = await otherTranslations(sentence, Number(word.dataset.place));
    for (const text of texts) {
      const item = element("li");
      const choice = element("button", text, { type: "button" });
      choice.addEventListener("click", () => changeSentence(form, sentence, text));
      item.append(choice);
      list.append(item);
    }
    say(texts.length ? `In place of “${word.textContent}”:` : "The model has no other words here.");
    const first = $("button", list);
    if (first) first.focus();
  } catch (error) {
    say(error.message, true);
  }
}

// What cuts text of a language into words. Models may name languages as browsers do not
// ("deu_Latn"); older browsers cannot cut at all: undefined.
function segmenterOf(language) {
  if (!Intl.Segmenter) return undefined;
  const options = { granularity: "word" };
  try {
    return new Intl.Segmenter(language, options);
  } catch {
    return new Intl.Segmenter(undefined, options);
  }
}

// The words of a sentence as buttons, with what stands between them.
function wordsOf(form, sentence) {
  const { translation, languages } = sentence;
  const segments = segmenterOf(languages.target);
  if (!segments) return [translation];
  return [...segments.segment(translation)].map(({ segment, index, isWordLike }) => {
    if (!isWordLike) return segment;
    const word = element("span", segment, { className: "word", tabIndex: -1 });
    word.setAttribute("role", "button");
    word.dataset.place = index;
    word.addEventListener("click", () => offerOthers(form, sentence, word));
    return word;
  });
}

// One word can be reached with Tab, the others with the arrows.
function useArrows(output) {
  output.addEventListener("keydown", (event) => {
    const words = [...output.querySelectorAll(".word")];
    const at = words.indexOf(document.activeElement);
    if (at < 0) return;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) words[(at + step + words.length) % words.length].focus();
    else if (event.key === "Enter" || event.key === " ") words[at].click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}
