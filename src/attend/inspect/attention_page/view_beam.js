// The view of the search: what beam search kept and what it pruned at every step, and how the length penalty ranks what was found.

const beam = { size: "" };
const LISTED_CANDIDATES = 8;

// The candidates of a step that is numbered, from its first to this one.
function pathTo(steps, step, candidate) {
  const path = [candidate];
  for (let at = step; at > 0; --at) {
    const kept = steps[at - 1].candidates.filter(({ fate }) => fate === "kept");
    path.unshift(kept[path[0].parent]);
  }
  return path;
}

const FATES = { kept: "kept", ended: "an output, which ends here", cut: "an output, cut here", pruned: "pruned" };

function candidateButton(steps, step, candidate, begun) {
  const share = Math.exp(candidate.token_log_probability);
  const button = make("button", { type: "button", className: `candidate ${candidate.fate}` }, wordOf(candidate.token), make("small", { textContent: ` ${percent(share)}` }));
  button.title = `${FATES[candidate.fate]}; log-probability ${number(candidate.log_probability)}, score ${number(candidate.score)}`;
  button.setAttribute("aria-label", `${candidate.token}, ${percent(share)}, ${button.title}`);
  button.dataset.step = step;
  button.dataset.at = steps[step].candidates.indexOf(candidate);
  button.addEventListener("click", () => {
    const tokens = pathTo(steps, step, candidate).filter(({ fate }) => fate !== "ended").map(({ token }) => token);
    goOnFrom([...begun, ...tokens]);
  });
  return button;
}

// One column for each step.
function tree(steps, begun) {
  const columns = steps.map((step, i) => {
    const pruned = step.candidates.filter(({ fate }) => fate === "pruned");
    const shown = step.candidates.filter(({ fate }) => fate !== "pruned");
    const room = Math.max(LISTED_CANDIDATES - shown.length, 0);
    const listed = [...shown, ...pruned.slice(0, room)];
    const more = pruned.length - room;
    return make(
      "li",
      {},
      make("span", { className: "quiet", textContent: step.written + 1 }),
      ...listed.map((candidate) => candidateButton(steps, i, candidate, begun)),
      more > 0 ? make("span", { className: "quiet", textContent: `${more} more, pruned` }) : "",
    );
  });
  const list = make("ol", { className: "tree" }, ...columns);
  list.setAttribute("aria-label", "Steps of the search");
  const mark = (event) => {
    const button = event.target.closest?.(".candidate");
    const path = button ? pathTo(steps, Number(button.dataset.step), steps[button.dataset.step].candidates[button.dataset.at]) : [];
    for (const one of list.querySelectorAll(".candidate")) one.classList.toggle("path", path.includes(steps[one.dataset.step].candidates[one.dataset.at]));
  };
  list.addEventListener("pointerover", mark);
  list.addEventListener("focusin", mark);
  list.addEventListener("pointerleave", mark);
  return list;
}

// What was found, ranked by log-probability / length^penalty.
function ranked(translations, penalty) {
  const scored = translations.map((found) => ({ ...found, score: found.log_probability / found.token_log_probabilities.length ** penalty }));
  scored.sort((a, b) => b.score - a.score);
  return table(
    "What was found",
    ["translation", "score", "log-probability", "tokens"],
    scored.map(({ text, score, log_probability: whole, token_log_probabilities: all }) => [text || "(nothing)", number(score), number(whole), String(all.length)]),
  );
}

function penaltySlider(translations) {
  const place = make("div", { id: "found" });
  const output = make("output");
  const slider = make("input", { type: "range", id: "penalty", min: 0, max: 2, step: 0.05, value: 1 });
  const rank = () => {
    output.textContent = slider.value;
    place.replaceChildren(ranked(translations, Number(slider.value)));
  };
  slider.addEventListener("input", rank);
  rank();
  return [make("label", { className: "slider" }, make("span", { textContent: "Length penalty" }), slider, output), place];
}

const showBeam = addPanel({
  name: "beam",
  title: "How it was found: the beam",
  fits: ({ translation }) => translation !== undefined,
  address: () => beam.size || "1",
  read(text) {
    beam.size = Number(text) > 1 ? Number(text) : "";
  },
  async load(body) {
    const fields = filled({ ...currentFields(), beam_size: beam.size });
    const { steps, translations } = await (await call("/attend/v1/beam", fields)).json();
    const written = steps[0]?.written ?? 0;
    const begun = translations[0].tokens.slice(0, written);
    const size = make("input", { type: "number", min: 1, max: 16, value: beam.size || translations.length, id: "beam-width" });
    size.addEventListener("change", () => {
      beam.size = Number(size.value);
      showBeam();
    });
    body.replaceChildren(
      make("p", { className: "quiet", textContent: "A column is a step: the words that were kept, the words that end an output, and, in pale, the best of the pruned words. Click a word to begin the translation with its hypothesis." }),
      make("div", { className: "fields" }, make("label", {}, "Beam size ", size)),
      make("div", { className: "scroll" }, tree(steps, begun)),
      ...penaltySlider(translations),
    );
  },
});
