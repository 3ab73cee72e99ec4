// A model file of one's own in place of the page's: chosen with the button, or dropped anywhere on the page. It stays in the browser. The
// page's model stays, too, to be compared with; a model that was opened before goes.
const LARGEST_FILE = 100e6; // bytes

async function openModel(file) {
  if (file.size > LARGEST_FILE) throw new Error(`${file.name} has ${Math.ceil(file.size / 1e6)} MB, and this page opens files of at most 100 MB: attend quantize makes them smaller.`);
  const taken = engine.models[0].about.name;
  const stem = file.name.replace(/\.safetensors$/, "");
  const opened = await loadedModel(stem === taken ? `${stem}, opened` : stem, file);
  if (opened.about.task === "tagging") {
    opened.model.close();
    throw new Error(`${file.name} tags words: the page shows models that translate, write, classify or embed.`);
  }
  const [own, ...before] = engine.models;
  engine.models = [own, opened];
  question.model = opened.about.name;
  tell("reset");
  await listModels();
  byId("examples").hidden = true;
  // What is asked of it already is answered first.
  for (const { model } of before) model.close();
}

async function tryModel(file) {
  say(`Loading ${file.name} …`);
  document.body.dataset.state = "busy";
  try {
    await startEngine();
    await openModel(file);
    say("");
    document.body.dataset.state = "ready";
    await ask();
  } catch (error) {
    say(faultOf(error).message, true);
    document.body.dataset.state = "ready";
  }
}

views.push({
  connect() {
    const input = byId("model-file");
    byId("open-model").addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      if (input.files.length) tryModel(input.files[0]);
      input.value = "";
    });
    const hasFile = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
    const mark = (over) => document.body.classList.toggle("dropping", over);
    document.addEventListener("dragover", (event) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      mark(true);
    });
    document.addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) mark(false);
    });
    document.addEventListener("drop", (event) => {
      mark(false);
      if (!hasFile(event)) return;
      event.preventDefault();
      tryModel(event.dataTransfer.files[0]);
    });
  },
});
