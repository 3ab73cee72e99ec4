// The view of the search: what beam search kept and what it pruned at every step, and how the length penalty ranks what was found.

// `size`: "" for that of the model. `penalty`: what ranks the outputs.
const beam = { size: "", penalty: 1 };
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

// Up and down within a step, left and right to the one before and behind it.
function treeStep(key, from, buttons) {
  const aside = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (!aside) return lineStep(key, from, buttons);
  const step = Number(buttons[from].dataset.step);
  const column = (wanted) => buttons.filter(({ dataset }) => Number(dataset.step) === wanted);
  const next = column(step + aside);
  return next.length ? buttons.indexOf(next[Math.min(column(step).indexOf(buttons[from]), next.length - 1)]) : -1;
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
  roveFocus(list, ".candidate", treeStep);
  setStop([...list.querySelectorAll(".candidate")], 0);
  return list;
}

// From each word to those that follow it, behind the words. After the tree has its place on the page.
function addBranches(list, steps) {
  const lines = svgElement("svg", { class: "branches", width: list.offsetWidth, height: list.offsetHeight, "aria-hidden": true });
  const buttons = [...list.querySelectorAll(".candidate")];
  const buttonOf = (step, candidate) => buttons.find(({ dataset }) => Number(dataset.step) === step && steps[step].candidates[dataset.at] === candidate);
  for (const button of buttons) {
    const step = Number(button.dataset.step);
    if (step === 0) continue;
    const candidate = steps[step].candidates[button.dataset.at];
    const from = buttonOf(step - 1, pathTo(steps, step, candidate).at(-2));
    const [x, y] = [from.offsetLeft + from.offsetWidth, from.offsetTop + from.offsetHeight / 2];
    const [left, top] = [button.offsetLeft, button.offsetTop + button.offsetHeight / 2];
    const middle = (x + left) / 2;
    const look = candidate.fate === "pruned" ? { "stroke-dasharray": "3 3" } : { class: "alive" };
    lines.append(svgElement("path", { ...look, d: `M${x} ${y}C${middle} ${y} ${middle} ${top} ${left} ${top}`, fill: "none", stroke: "#8a8d94" }));
  }
  list.before(lines);
}

// What was found, ranked by log-probability / length^penalty.
function ranked(translations) {
  const scored = translations.map((found) => ({ ...found, score: found.log_probability / found.token_log_probabilities.length ** beam.penalty }));
  return scored.sort((a, b) => b.score - a.score);
}

function rankedTable(translations) {
  return table(
    "What was found",
    ["translation", "score", "log-probability", "tokens"],
    ranked(translations).map(({ text, score, log_probability: whole, token_log_probabilities: all }) => [text || "(nothing)", number(score), number(whole), String(all.length)]),
  );
}

function penaltySlider(translations) {
  const place = make("div", { id: "found" });
  const output = make("output");
  const slider = make("input", { type: "range", id: "penalty", min: 0, max: 2, step: 0.05, value: beam.penalty });
  const rank = () => {
    beam.penalty = Number(slider.value);
    output.textContent = slider.value;
    place.replaceChildren(rankedTable(translations));
  };
  slider.addEventListener("input", () => {
    rank();
    writeAddress();
  });
  rank();
  return [make("label", { className: "slider" }, make("span", { textContent: "Length penalty" }), slider, output), place];
}

const showBeam = addPanel({
  name: "beam",
  title: () => "How it was found: the beam",
  fits: ({ translation }) => translation !== undefined,
  address: () => `${beam.size || 1}${beam.penalty === 1 ? "" : `,${beam.penalty}`}`,
  read(text) {
    const [size, penalty = 1] = text.split(",").map(Number);
    Object.assign(beam, { size: size > 1 ? size : "", penalty: penalty >= 0 && penalty <= 2 ? penalty : 1 });
  },
  async load(body) {
    const fields = filled({ ...currentFields(), beam_size: beam.size });
    const { steps, translations } = await (await call("/attend/v1/beam", fields)).json();
    const written = steps[0]?.written ?? 0;
    const begun = translations[0].tokens.slice(0, written);
    const drawn = tree(steps, begun);
    const size = make("input", { type: "number", min: 1, max: 16, value: beam.size || translations.length, id: "beam-width" });
    size.addEventListener("change", () => {
      beam.size = Number(size.value);
      showBeam();
    });
    body.replaceChildren(
      make("p", { className: "quiet", textContent: "A column is a step: the words that were kept, the words that end an output, and, in pale, the best of the pruned words. Click a word to begin the translation with its hypothesis." }),
      make("div", { className: "fields" }, make("label", {}, "Beam size ", size)),
      make("div", { className: "scroll" }, make("div", { className: "branched" }, drawn)),
      ...penaltySlider(translations),
    );
    addBranches(drawn, steps);
    return {
      steps,
      get length_penalty() {
        return beam.penalty;
      },
      get translations() {
        return ranked(translations);
      },
    };
  },
});
