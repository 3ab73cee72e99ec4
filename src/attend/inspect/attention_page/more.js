// Views below the maps, which ask the server only while they are open. Each is an element <details> with its question in the address.

// Makes one: {name: of its field in the address, title: for an answer, fits: whether there is something to show of it, address and read: its
// question as text, load: asks, with the changes that are in effect, shows, and returns the numbers that are shown}. Returns what is to be
// called after its question changed.
function addPanel({ name, title, load, fits, address = () => "1", read = () => {} }) {
  const body = make("div", { className: "panel" });
  let numbers = null;
  const bar = exportBar({ name, title: () => title(state.answer), drawing: () => body, data: () => numbers });
  bar.hidden = true;
  const panel = make("details", { id: name }, make("summary"), body, bar);
  let [shownFor, wanted, loading] = ["", "", false];
  const loadOnce = async () => {
    try {
      numbers = await load(body);
    } catch (error) {
      numbers = null;
      body.replaceChildren(make("p", { className: "fault", textContent: error.message }));
    }
    bar.hidden = !numbers;
  };
  const update = async () => {
    panel.hidden = !state.answer || !fits(state.answer);
    if (panel.hidden) return;
    panel.firstChild.textContent = title(state.answer);
    if (!panel.open) return;
    wanted = JSON.stringify([currentFields(), state.answer.translation, address()]);
    if (loading) return;
    loading = true;
    document.body.dataset[name] = "busy";
    while (wanted !== shownFor) {
      shownFor = wanted;
      // What had the focus keeps it, though it is made again.
      const focused = body.contains(document.activeElement) ? document.activeElement.id : "";
      await loadOnce();
      if (focused && !body.contains(document.activeElement)) byId(focused)?.focus();
    }
    loading = false;
    document.body.dataset[name] = "ready";
    goToView();
  };
  views.push({
    connect() {
      byId("more").append(panel);
      panel.addEventListener("toggle", () => {
        update();
        writeAddress();
      });
    },
    show: update,
    address(fields) {
      if (panel.open) fields.set(name, address());
    },
    read(fields) {
      panel.open = fields.has(name);
      read(fields.get(name) ?? "");
    },
  });
  return () => {
    update();
    writeAddress();
  };
}

// What is written with these tokens.
const textOfTokens = (tokens) => tokens.join("").replaceAll("▁", " ").trim();

function goOnFrom(tokens) {
  question.prefix = textOfTokens(tokens);
  byId("answer").scrollIntoView();
  ask();
}
