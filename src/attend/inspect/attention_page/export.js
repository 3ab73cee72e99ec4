// What a view shows as something to keep: a link, a picture as SVG or PNG, the numbers as JSON. Every view is exported by this, which it
// tells
//
//   name       of the files, and of the element that a link leads to
//   title()    above the picture
//   drawing()  the element of the page that shows it, or a drawing of its own
//   data()     the numbers

const FORMATS = {
  link: { title: "Copy a link to this view", keep: copyLink },
  svg: { title: "Save this view as SVG", keep: (view) => save("image/svg+xml", svgText(pictureOf(view)), `${view.name}.svg`) },
  png: { title: "Save this view as PNG", keep: savePng },
  json: { title: "Save the numbers of this view as JSON", keep: (view) => save("application/json", numbersOf(view), `${view.name}.json`) },
};
const LARGEST_PNG = 8192; // pixels of a side

const exporting = { at: "" }; // the view that a link leads to

const svgText = (svg) => new XMLSerializer().serializeToString(svg);

function pictureOf({ title, drawing }) {
  const shown = drawing();
  return shown.localName === "svg" ? shown : drawingOf(shown, title());
}

// The address says which text, model and changes they belong to.
const numbersOf = ({ name, title, data }) => JSON.stringify({ view: name, title: title(), address: location.hash, data: data() }, null, 1);

function save(type, content, name) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  make("a", { href: url, download: `attend-${name}` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

async function savePng(view) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(pictureOf(view)))}`;
  await image.decode();
  const scale = Math.min(2, LARGEST_PNG / Math.max(image.width, image.height));
  const canvas = make("canvas", { width: scale * image.width, height: scale * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const content = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  save("image/png", content, `${view.name}.png`);
}

async function copyLink({ name }) {
  writeAddress();
  const link = `${location.href}${location.hash.includes("?") ? "&" : "?"}at=${name}`;
  try {
    await navigator.clipboard.writeText(link);
    return "Copied.";
  } catch {
    history.replaceState(null, "", link);
    return "In the address bar.";
  }
}

// The menu of a view. It closes when something has been chosen, and when the focus goes elsewhere.
function exportBar(view) {
  const buttons = Object.entries(FORMATS).map(([value, { title }]) => make("button", { type: "button", value, textContent: title }));
  const said = make("span", { className: "quiet", role: "status" });
  const summary = make("summary", { title: `Keep this view: ${view.name}`, textContent: "⋯" });
  summary.setAttribute("aria-label", summary.title);
  const menu = make("details", { className: "menu" }, summary, make("div", { className: "choices", role: "group", ariaLabel: summary.title }, ...buttons));
  const bar = make("div", { className: "keep" }, said, menu);
  bar.dataset.view = view.name;
  roveFocus(menu, "button", lineStep);
  setStop(buttons, 0);
  menu.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget && !menu.contains(relatedTarget)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.stopPropagation();
    menu.open = false;
    summary.focus();
  });
  bar.addEventListener("click", async ({ target }) => {
    if (!target.value) return;
    menu.open = false;
    summary.focus();
    said.textContent = (await FORMATS[target.value].keep(view)) ?? "";
  });
  return bar;
}

// Leads to the view of the link, and again after what is above it has grown, until somebody goes elsewhere.
const goToView = () => requestAnimationFrame(() => byId(exporting.at)?.scrollIntoView());

views.push({
  connect() {
    document.addEventListener("pointerdown", ({ target }) => {
      for (const menu of document.querySelectorAll(".menu[open]")) if (!menu.contains(target)) menu.open = false;
    });
    for (const type of ["pointerdown", "keydown", "wheel"]) document.addEventListener(type, () => (exporting.at = ""), { passive: true });
  },
  show: goToView,
  read(fields) {
    exporting.at = fields.get("at") ?? "";
  },
});
