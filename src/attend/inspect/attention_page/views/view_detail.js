// The view of one map, enlarged, with the two sentences above it.

function labelElements(side) {
  return [byId(`${side}-words`), byId(`${side}-labels`)].map((list) => [...list.querySelectorAll(".label")]);
}

function showSentences() {
  const roles = KINDS[state.kind].roles(state.picture.read);
  for (const side of ["row", "col"]) {
    byId(`${side}-role`).textContent = roles[side] ?? "";
    byId(`${side}-words`).hidden = byId(`${side}-role`).hidden = side === "col" && oneText();
    readAs(labels(side), byId(`${side}-words`));
    byId(`${side}-words`).replaceChildren(
      ...labels(side).map((label, i) => {
        const word = labelElement(label, "button", i);
        word.type = "button";
        word.tabIndex = i === 0 ? 0 : -1;
        return make("li", {}, word);
      }),
    );
    byId(`${side}-labels`).replaceChildren(...labels(side).map((label, i) => labelElement(label, "li", i)));
  }
  byId("matrix").style.setProperty("--rows", labels("row").length);
  byId("matrix").style.setProperty("--cols", labels("col").length);
}

// The frame around a row, a column or a cell of the enlarged map.
function showMark(place) {
  const mark = byId("cells").querySelector(".mark");
  mark.hidden = place === null;
  if (!place) return;
  const position = { row: [0, labels("row").length], col: [0, labels("col").length] };
  position[place.side] = [place.index, 1];
  if (place.other !== undefined) position[other(place.side)] = [place.other, 1];
  mark.style.setProperty("--row", position.row[0]);
  mark.style.setProperty("--row-span", position.row[1]);
  mark.style.setProperty("--col", position.col[0]);
  mark.style.setProperty("--col-span", position.col[1]);
}

// In words, with the largest shares.
function readingOf(place, map) {
  const quoted = (side, index) => `“${labels(side)[index].text}”`;
  const shares = map.sharesOf(place.side, place.index);
  const listed =
    place.other !== undefined
      ? [place.other]
      : [...shares.keys()].filter((i) => shares[i] >= 0.005).sort((a, b) => shares[b] - shares[a]).slice(0, 4);
  if (listed.length === 0) return `No word looks at ${quoted(place.side, place.index)}.`;
  const list = listed.map((i) => `${quoted(other(place.side), i)} ${percent(shares[i])}`).join(", ");
  const sentence = place.side === "row" ? KINDS[state.kind].looks : KINDS[state.kind].lookedAt;
  return sentence(quoted(place.side, place.index), list);
}

// Only what changes is touched: a sentence may have hundreds of words.
function shadeLabels(side, place, map) {
  const sharesOfOther = place && side !== place.side ? map.sharesOf(place.side, place.index) : [];
  labelElements(side).forEach((list, at) => {
    const shares = place && at === 0 && oneText() ? map.sharesOf(place.side, place.index) : sharesOfOther;
    list.forEach((element, i) => {
      if (element.shared !== shares[i]) shade(element, shares[i]);
      element.shared = shares[i];
      const focus = place !== null && (side === place.side ? i === place.index : i === place.other);
      if (element.classList.contains("focus") !== focus) element.classList.toggle("focus", focus);
    });
  });
}

function connectLabels(list, side) {
  const placeOf = (event) => {
    const label = event.target.closest(".label");
    return label && { kind: state.kind, side, index: Number(label.dataset.index) };
  };
  list.addEventListener("pointerover", (event) => event.pointerType === "mouse" && pointAt(placeOf(event)));
  list.addEventListener("pointerleave", () => pointAt(null));
  list.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && pointAt(placeOf(event)));
  list.addEventListener("focusout", () => pointAt(null));
  list.addEventListener("click", (event) => {
    const place = placeOf(event);
    if (place) keep(place);
  });
}

function connectCells() {
  const cells = byId("cells");
  const placeOf = (event) => {
    const box = cells.getBoundingClientRect();
    const clamp = (value, count) => Math.min(count - 1, Math.max(0, Math.floor(value * count)));
    return {
      kind: state.kind,
      side: "row",
      index: clamp((event.clientY - box.top) / box.height, labels("row").length),
      other: clamp((event.clientX - box.left) / box.width, labels("col").length),
    };
  };
  cells.addEventListener("pointermove", (event) => pointAt(placeOf(event)));
  cells.addEventListener("pointerleave", () => pointAt(null));
  cells.addEventListener("click", (event) => keep(placeOf(event)));
}

const mapTitle = () => nameOf(state.kind, state.layer, state.head);
const mapDrawing = () => weightsSvg({ title: mapTitle(), rows: textsOf(labels("row")), cols: textsOf(labels("col")), values: shownMap().values });

function mapNumbers() {
  const { rows, cols, values } = shownMap();
  return { rows: textsOf(labels("row")), cols: textsOf(labels("col")), weights: rowsOf(values, rows, cols) };
}

views.push({
  connect() {
    byId("name").after(exportBar({ name: "map", title: mapTitle, drawing: mapDrawing, data: mapNumbers }));
    for (const side of ["row", "col"]) {
      connectLabels(byId(`${side}-words`), side);
      connectLabels(byId(`${side}-labels`), side);
      roveFocus(byId(`${side}-words`), ".label", lineStep);
    }
    connectCells();
  },

  show() {
    if (!state.picture) return;
    byId("name").textContent = mapTitle();
    byId("about").textContent = KINDS[state.kind].about(state.picture.read);
    byId("unit-note").textContent =
      state.unit === "words"
        ? "By words: a weight is summed over the pieces of the attended word and averaged over the pieces of the attending word."
        : "By pieces: ▁ marks the beginning of a word.";
    showSentences();
    drawMap(byId("cells").querySelector("canvas"), shownMap(), heatOf(byId("cells")));
  },

  focus(place) {
    if (!state.picture) return;
    const map = shownMap();
    const here = place && placeIn(state.kind, place);
    for (const side of ["row", "col"]) {
      shadeLabels(side, here, map);
      for (const word of byId(`${side}-words`).querySelectorAll(".label")) {
        const kept = state.kept?.side === side && state.kept.kind === state.kind && state.kept.index === Number(word.dataset.index);
        if (word.ariaPressed !== String(kept)) word.ariaPressed = String(kept);
      }
    }
    showMark(here);
    byId("reading").textContent = here ? readingOf(here, map) : "Point at a word to see what it looks at.";
    byId("reading").classList.toggle("quiet", here === null);
  },
});
