// The view of all maps at once: small ones of every layer and head, of the encoder, the decoder and between them. What is pointed at is
// followed through all of them.

const numberOrNull = (text) => (text === "" ? null : Number(text));
const sectionOf = (kind) => byId("overview").querySelector(`[data-kind=${kind}]`);
const thumbnails = (root = byId("overview")) => [...root.querySelectorAll(".map")];
const placeOfThumbnail = ({ dataset }) => ({ kind: dataset.kind, layer: numberOrNull(dataset.layer), head: numberOrNull(dataset.head) });

function crossSvg() {
  const svg = svgElement("svg", { class: "cross", viewBox: "0 0 1 1", preserveAspectRatio: "none" });
  svg.append(svgElement("path", { d: "M0 0 1 1M1 0 0 1", stroke: "#c2410c", "stroke-width": 2, "vector-effect": "non-scaling-stroke" }));
  return svg;
}

function thumbnail(kind, layer, head) {
  const button = make(
    "button",
    { type: "button", className: "map" },
    make("canvas"),
    make("i", { className: "row-beam" }),
    make("i", { className: "col-beam" }),
    make("i", { className: "badge" }),
  );
  Object.assign(button.dataset, { kind, layer: layer ?? "", head: head ?? "" });
  return button;
}

const heading = (text, number) => make("span", { className: "heading" }, make("span", { className: "wide", textContent: text }), number);

function makeSection(kind) {
  const layers = state.picture.data.maps[kind].pieces;
  const heads = layers[0].map((_, head) => head);
  const grid = make(
    "div",
    { className: heads.length <= 4 ? "grid few" : "grid" },
    make("span"),
    heading("", "mean"),
    ...heads.map((head) => heading("head ", String(head + 1))),
    ...layers.flatMap((_, layer) => [heading("layer ", String(layer + 1)), ...[null, ...heads].map((head) => thumbnail(kind, layer, head))]),
    heading("", "all"),
    thumbnail(kind, null, null),
  );
  grid.style.setProperty("--heads", heads.length);
  roveFocus(grid, ".map", (key, from, list) => {
    const width = heads.length + 1;
    const steps = { ArrowUp: from - width, ArrowDown: from + width < list.length ? from + width : list.length - 1 };
    return key in steps ? steps[key] : lineStep(key, from, list);
  });
  const section = make("section", {}, make("h2", { textContent: KINDS[kind].name, id: `kind-${kind}` }), grid);
  section.setAttribute("aria-labelledby", `kind-${kind}`);
  section.dataset.kind = kind;
  return section;
}

// The word whose row the pointer is on.
function rowUnder(event, button) {
  const { kind } = button.dataset;
  const box = button.getBoundingClientRect();
  const count = state.picture.labels(kind, "row", state.unit).length;
  const index = Math.floor(((event.clientY - box.top) / box.height) * count);
  return { kind, side: "row", index: Math.min(count - 1, Math.max(0, index)) };
}

// The badge below a map of several heads is that of the head with the largest.
function badgeOf(names) {
  const badges = names.map((name) => state.badges[name]).filter(Boolean);
  return badges.sort((a, b) => Math.abs(b.share) - Math.abs(a.share))[0];
}

function showThumbnail(button, heat) {
  const { kind, layer, head } = placeOfThumbnail(button);
  const names = state.picture.heads(kind, layer, head);
  const off = names.length > 0 && names.every((name) => state.off.has(name));
  const badge = badgeOf(names);
  const map = state.picture.map(kind, state.unit, layer, head);
  if (heat) drawMap(button.firstChild, map, heat);
  button.firstChild.classList.toggle("dense", Math.max(map.rows, map.cols) > 64);
  button.classList.toggle("off", off);
  const cross = button.querySelector(".cross");
  if (!off) cross?.remove();
  else if (!cross) button.firstChild.after(crossSvg());
  const bar = button.lastChild;
  bar.hidden = !badge;
  bar.classList.toggle("minus", badge?.share > 0);
  bar.style.setProperty("--share", Math.abs(badge?.share ?? 0).toFixed(3));
  const selected = kind === state.kind && layer === state.layer && head === state.head;
  button.setAttribute("aria-pressed", String(selected));
  button.title = `${nameOf(kind, layer, head)}${off ? ", off" : ""}${badge ? `: ${badge.text}` : ""}`;
  button.setAttribute("aria-label", button.title);
}

// After badges have changed.
function showBadges() {
  for (const button of thumbnails()) showThumbnail(button, null);
}

// The frame of a row and of a column, as shares of the map.
function showBeams(section, beams) {
  const style = section.style;
  for (const side of ["row", "col"]) {
    const beam = beams?.[side];
    section.classList.toggle(`has-${side}`, beam !== undefined);
    if (!beam) continue;
    style.setProperty(`--${side}-at`, `${(100 * beam.index) / beam.count}%`);
    style.setProperty(`--${side}-size`, `${100 / beam.count}%`);
  }
}

// The place as seen in the maps of another kind: the same words on one of its axes.
function beamsIn(kind, place) {
  const beams = {};
  const axis = KINDS[place.kind].axes[place.side];
  for (const side of ["row", "col"]) {
    if (KINDS[kind].axes[side] === axis) beams[side] = { index: place.index, count: state.picture.labels(kind, side, state.unit).length };
  }
  return beams;
}

views.push({
  connect() {
    byId("tools").append(
      exportBar({
        name: "overview",
        title: () => `Attention of every layer and head, by ${state.unit}`,
        drawing: () => byId("overview"),
        data: () => state.answer ?? state.picture.data,
      }),
    );
    byId("overview").addEventListener("click", (event) => {
      const button = event.target.closest(".map");
      if (!button) return;
      const { kind, layer, head } = placeOfThumbnail(button);
      select(kind, layer, head);
      if (event.detail > 0 && matchMedia("(max-width: 60rem)").matches) byId("name").scrollIntoView();
    });
    byId("overview").addEventListener("pointermove", (event) => {
      const button = event.pointerType === "mouse" && event.target.closest(".map");
      pointAt(button ? rowUnder(event, button) : null);
    });
    byId("overview").addEventListener("pointerleave", () => pointAt(null));
    byId("units").addEventListener("change", (event) => setUnit(event.target.value));
    byId("scale").append(
      ...[0, 0.05, 0.25, 0.5, 1].map((weight) => {
        const swatch = make("span", { className: "swatch" }, make("i"), percent(weight));
        shade(swatch, weight);
        return swatch;
      }),
    );
  },

  show() {
    byId("panel").hidden = !state.picture;
    if (!state.picture) return;
    byId("units").querySelector(`[value=${state.unit}]`).checked = true;
    const overview = byId("overview");
    const shape = JSON.stringify(state.picture.kinds().map((kind) => [kind, state.picture.data.maps[kind].pieces.map((heads) => heads.length)]));
    if (overview.dataset.shape !== shape) {
      overview.replaceChildren(...state.picture.kinds().map(makeSection));
      overview.dataset.shape = shape;
    }
    const drawn = `${state.unit} ${heatOf(overview)}`;
    const redraw = this.picture !== state.picture || this.drawn !== drawn;
    const heat = redraw ? heatOf(overview) : null;
    Object.assign(this, { picture: state.picture, drawn });
    for (const section of overview.children) {
      const buttons = thumbnails(section);
      for (const button of buttons) showThumbnail(button, heat);
      const selected = buttons.findIndex((button) => button.getAttribute("aria-pressed") === "true");
      if (!section.contains(document.activeElement)) setStop(buttons, Math.max(selected, 0));
    }
  },

  focus(place) {
    if (!state.picture) return;
    for (const kind of state.picture.kinds()) showBeams(sectionOf(kind), place && beamsIn(kind, place));
  },
});
