// Translates standard input, line by line:  node translate.js MODEL < in > out
// attend_addon.c says how to build the module.
const { readFileSync } = require("node:fs");
const { Translator } = require(process.env.ATTEND_ADDON ?? "./attend_addon.node");

try {
  const translator = new Translator(process.argv[2] ?? "");
  const lines = readFileSync(0, "utf8").split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) console.log(translator.translate(line));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
