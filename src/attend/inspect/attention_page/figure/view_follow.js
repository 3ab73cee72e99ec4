// The view of one vector: the token that the pointer, the focus or a finger is on is followed through the whole figure and the open box. Of
// the rest, what its attention looks at remains, as much as it does.
//
// run.followed  {stack, token}; null: nothing is followed
Object.assign(run, { followed: null });

const INSIDE_BOX = 7; // from the edge of a box to its vectors
const LEAST_LOOK = 0.01;

// The token whose vector is at this place; null: there is none.
function vectorUnder({ target, clientX, clientY }) {
  const chip = target.closest(".texts .token");
  if (chip) return { stack: chip.dataset.stack, token: Number(chip.dataset.index) };
  const figure = target.closest("#box-numbers .numbers");
  const label = figure && target.closest("li");
  const stack = figure?.querySelector(".cells").dataset.of;
  if (label?.parentElement.matches(".tokens")) return { stack, token: Number(label.dataset.index) };
  if (target.localName !== "canvas") return null;
  const { left, top, width, height } = target.getBoundingClientRect();
  if (figure) return { stack, token: Math.floor((Math.max(0, clientY - top) / height) * target.height) };
  const box = target.closest("#figure .box");
  if (!box || isOfText(box.dataset.id)) return null;
  const own = BOXES[box.dataset.id].stack;
  const count = run.inside.tokensOf(own).length;
  return { stack: own, token: Math.max(0, Math.min(count - 1, Math.floor(((clientX - left) / width) * count))) };
}

// How much a followed token looks at others, mean of the heads of the layers that are shown: {self, cross}, null where that is not
// computed yet. For a token of the encoder, `cross` is how much the decoder looks at it, from each of its tokens.
function looksOf({ stack, token }) {
  const weights = (id) => run.inside.meanWeights(BOXES[id].of(run.layers[BOXES[id].stack])[0]);
  const reached = (id) => (hasBox(run.inside, id) ? stateOfBox(id).rows : -1);
  const self = `${stack}-self`;
  const far = reached("decoder-cross");
  const cross = () => (stack === "decoder" ? weights("decoder-cross").row(token) : weights("decoder-cross").col(token).map((share, row) => (row <= far ? share : 0)));
  return { self: reached(self) >= token ? weights(self).row(token) : null, cross: far >= (stack === "decoder" ? token : 0) ? cross() : null };
}

// Shows a strip of vectors as much as it says for each of them.
function fade(canvas, shares) {
  const stops = shares?.map((share, i) => `rgb(0 0 0/${(0.12 + 0.88 * shadeOf(share)).toFixed(2)}) ${(100 * i) / shares.length}% ${(100 * (i + 1)) / shares.length}%`);
  canvas.style.maskImage = stops ? `linear-gradient(90deg,${stops})` : "";
}

// Curves from the keys to the token that looks at them.
function linksOf({ stack, token }, { self, cross }) {
  const x = (side, index) => FIGURE.column[side] - FIGURE.box / 2 + INSIDE_BOX + ((FIGURE.box - 2 * INSIDE_BOX) * (index + 0.5)) / run.inside.tokensOf(side).length;
  const links = [];
  const link = (share, from, path) => share >= LEAST_LOOK && links.push({ share, from, path });
  const foot = TOPS[`${stack}-self`] + HIGH;
  self?.forEach((share, key) => link(share, [x(stack, key), foot + 44], `C${x(stack, key)} ${foot + 22} ${x(stack, token)} ${foot + 26} ${x(stack, token)} ${foot + 2}`));
  const [top, edge, middle] = [TOPS["encoder-ffn-norm"], FIGURE.column.decoder - FIGURE.box / 2, TOPS["decoder-cross"] + HIGH / 2];
  const into = `${edge - 50} ${top - 20} ${edge - 2} ${middle}`;
  if (stack === "decoder") cross?.forEach((share, key) => link(share, [x("encoder", key), top], `C${x("encoder", key)} ${top - 44} ${into}`));
  else if (cross) link(Math.max(...cross), [x(stack, token), top], `C${x(stack, token)} ${top - 44} ${into}`);
  return links;
}

function drawLinks(links) {
  byId("figure-links").replaceChildren(
    ...links.flatMap(({ share, from, path }) => {
      const look = { opacity: shadeOf(share).toFixed(2), "stroke-width": (1 + 3 * share).toFixed(1) };
      return [svgElement("path", { d: `M${from.join(" ")}${path}`, ...look }), svgElement("circle", { cx: from[0], cy: from[1], r: (1.5 + 2 * share).toFixed(1), ...look })];
    }),
  );
}

// What is said of it, in the place of the moment.
function captionOfFollowed() {
  const { stack, token } = run.followed;
  const { self, cross } = looksOf(run.followed);
  const most = (shares, wordAt) => [...shares.keys()].sort((a, b) => shares[b] - shares[a]).slice(0, 2).filter((i) => shares[i] >= LEAST_LOOK).map((i) => `“${wordOf(wordAt(i))}” ${percent(shares[i])}`).join(", ");
  const own = run.inside.tokensOf(stack);
  const written = stack === "decoder" ? run.inside.writtenAt(token) : undefined;
  const says = [
    self && `Layer ${run.layers[stack] + 1}, mean of its heads: it looks ${stack === "decoder" ? "back " : ""}at ${most(self, (i) => own[i])}.`,
    cross && stack === "decoder" && `In the source it looks at ${most(cross, (i) => run.inside.tokens.source[i])}.`,
    cross && stack === "encoder" && `The decoder looks at it most to write ${most(cross, (i) => run.inside.writtenAt(i) ?? run.inside.tokens.read[i])}.`,
    written !== undefined && `Then “${wordOf(written)}” is written.`,
  ];
  return [`“${wordOf(own[token])}”, token ${token + 1} of the ${stack}`, says.filter(Boolean).join(" ")];
}

function showFollowed() {
  const { followed } = run;
  const root = byId("running");
  root.dataset.follow = followed?.stack ?? "";
  root.style.setProperty("--follow", followed?.token ?? -1);
  const looks = followed && looksOf(followed);
  const seen = { encoder: null, decoder: null };
  if (followed) Object.assign(seen, { [followed.stack]: looks.self, [followed.stack === "encoder" ? "decoder" : "encoder"]: looks.cross });
  for (const box of figureBoxes()) {
    const { stack } = BOXES[box.dataset.id];
    const own = followed?.stack === stack;
    // Of the other stack, what the cross-attention connects with.
    const met = followed && !own && looks.cross && ["encoder-ffn-norm", "decoder-cross"].includes(box.dataset.id);
    box.classList.toggle("aside", Boolean(followed) && !own && !met);
    const only = () => Array.from(run.inside.tokensOf(stack), (_, i) => Number(i === followed.token));
    fade(box.lastChild, isOfText(box.dataset.id) ? null : own ? only() : met ? Array.from(looks.cross) : null);
  }
  for (const line of byId("figure-drawn").querySelectorAll("[data-to]")) line.classList.toggle("followed", BOXES[line.dataset.to].stack === followed?.stack);
  for (const chip of document.querySelectorAll(".texts .token")) {
    const { stack, index } = chip.dataset;
    shade(chip, seen[stack]?.[index]);
    chip.classList.toggle("followed", followed?.stack === stack && followed.token === Number(index));
  }
  drawLinks(followed ? linksOf(followed, looks) : []);
  showCaption();
}

function follow(place) {
  const { followed } = run;
  if (place?.stack === followed?.stack && place?.token === followed?.token) return;
  run.followed = place && run.inside?.tokensOf(place.stack)?.[place.token] !== undefined ? place : null;
  showFollowed();
}

// What the keyboard is on is followed when the pointer has left.
const focusedVector = () => (document.activeElement.matches(".texts .token:focus-visible") ? vectorUnder({ target: document.activeElement }) : null);

views.push({
  connect() {
    const root = byId("running");
    root.addEventListener("pointermove", (event) => follow(vectorUnder(event) ?? (event.pointerType === "touch" ? run.followed : focusedVector())));
    root.addEventListener("pointerleave", ({ pointerType }) => pointerType === "touch" || follow(focusedVector()));
    root.addEventListener("click", (event) => event.pointerType === "touch" && follow(vectorUnder(event)), { capture: true });
    root.addEventListener("focusin", ({ target }) => follow(vectorUnder({ target })));
    root.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && !root.contains(relatedTarget) && follow(null));
    document.addEventListener("pointerdown", (event) => event.pointerType === "touch" && !root.contains(event.target) && follow(null));
    document.addEventListener("keydown", ({ key }) => key === "Escape" && follow(null));
  },
});
