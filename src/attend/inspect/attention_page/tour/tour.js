// A tour in ten stations. Each has a question that is answered by doing something on the page; what is checked are the numbers of the model.
//
// A station is {title, text, box: what it opens, ask: the task, where: the element to do it with, check}. check() says {done, text} of what the page shows now, or nothing.
// stations.js has them.
const tour = { at: 0, done: new Set() };

const stationNow = () => STATIONS[tour.at];

function showTour() {
  byId("tour").hidden = !run.inside || !fitsTour();
  if (byId("tour").hidden) return;
  const { title, text, ask: task } = stationNow();
  const found = stationNow().check();
  if (found?.done) tour.done.add(tour.at);
  const list = byId("tour-stations");
  [...list.children].forEach((item, index) => {
    const button = item.firstChild;
    button.classList.toggle("done", tour.done.has(index));
    button.setAttribute("aria-label", `Station ${index + 1}: ${STATIONS[index].title}${tour.done.has(index) ? ", done" : ""}`);
    if (index === tour.at) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
    button.tabIndex = index === tour.at ? 0 : -1;
  });
  byId("tour-name").textContent = `${tour.at + 1}. ${title}`;
  if (byId("tour-text").dataset.of !== String(tour.at)) {
    byId("tour-text").replaceChildren(...text.map((part) => make("p", { textContent: part })));
    byId("tour-text").dataset.of = String(tour.at);
  }
  byId("tour-task").textContent = typeof task === "function" ? stationNow().ask() : task;
  const answer = byId("tour-answer");
  answer.classList.toggle("done", Boolean(found?.done));
  if (answer.textContent !== (found?.text ?? "")) answer.textContent = found?.text ?? "";
  byId("tour-next").hidden = tour.at === STATIONS.length - 1;
  byId("tour-next").classList.toggle("main", tour.done.has(tour.at));
  byId("tour-back").hidden = tour.at === 0;
  byId("tour-there").hidden = !stationNow().where;
}

function goToStation(at) {
  tour.at = at;
  stationNow().begin?.();
  const { box, layer } = stationNow();
  if (box && run.inside && hasBox(run.inside, box)) {
    const { stack } = BOXES[box];
    if (layer === "last") run.layers[stack] = Math.max(0, run.inside.layers[stack] - 1);
    openBox(box);
  }
  showTour();
  writeAddress();
}

function leadTo(id) {
  const there = byId(id);
  if (byId("begin").contains(there)) unfold("begin");
  there.scrollIntoView({ block: "center" });
  (there.querySelector("[tabindex=\"0\"]") ?? there).focus({ preventScroll: true });
}

// A tour of a translator: the others have half of the figure.
const fitsTour = () => Boolean(run.inside.tokens.source && run.inside.tokens.read);

views.push({
  connect() {
    const stations = make(
      "ol",
      { id: "tour-stations" },
      ...STATIONS.map((_, index) => make("li", {}, make("button", { type: "button", textContent: String(index + 1), onclick: () => goToStation(index) }))),
    );
    byId("tour").append(
      stations,
      make("h2", { id: "tour-name" }),
      make("div", { id: "tour-text" }),
      make("p", { className: "task" }, make("b", { textContent: "Try it. " }), make("span", { id: "tour-task" })),
      make("p", { id: "tour-answer", role: "status" }),
      make(
        "div",
        { className: "fields" },
        make("button", { type: "button", id: "tour-back", textContent: "Back", onclick: () => goToStation(tour.at - 1) }),
        make("button", { type: "button", id: "tour-there", textContent: "Show me where", onclick: () => leadTo(stationNow().where) }),
        make("button", { type: "button", id: "tour-next", textContent: "Next", onclick: () => goToStation(tour.at + 1) }),
      ),
    );
    roveFocus(stations, "button", lineStep);
  },
  show: showTour,
  moment: showTour,
  address(fields) {
    if (tour.at) fields.set("tour", String(tour.at + 1));
  },
  read(fields) {
    const at = Number(fields.get("tour"));
    tour.at = at >= 1 && at <= STATIONS.length ? Math.floor(at) - 1 : 0;
  },
});
