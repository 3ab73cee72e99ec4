// One file that is a whole page, attend, its WebAssembly and a translator in it, opened from disk in headless Chromium, with a worker and without.
// By browser_test.sh, which puts into FOLDER what the program answers; prints how long it takes.
//   node chromium_test.js ATTEND.JS FOLDER
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const {answer_of, answering} = require('./headless.js');

const [script, folder] = process.argv.slice(2).map((name) => path.resolve(name));
const text_of = (name) => fs.readFileSync(path.join(folder, name), 'utf8');
const lines_of = (name) => text_of(name).replace(/\n$/, '').split('\n');

async function in_page() {
  const bytes = (id) => Uint8Array.from(atob(document.getElementById(id).textContent), (letter) => letter.charCodeAt(0));
  const sources = JSON.parse(document.getElementById('sources').textContent);
  const answers = [];
  for (const worker of [true, false]) {
    const times = {};
    const timed = async (name, work) => {
      const begin = performance.now();
      const value = await work();
      times[name] = performance.now() - begin;
      return value;
    };
    const [wasm, file] = [bytes('wasm'), bytes('model')];
    const engine = await timed('start', () => attend.start({wasm, worker}));
    const model = await timed('load', () => engine.load(file));
    await timed('first sentence', () => model.translate(sources[0]));
    const one = await timed('one sentence', () => model.translate(sources[0]));
    const all = await timed('all', () => model.translate(sources, {nBest: 2}));
    const tokens = all.reduce((sum, {tokens}) => sum + tokens.length + 1, 0);
    const explained = await model.explain(sources[0], {position: 1});
    let cancelled = 'no worker';
    if (worker) {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 100);
      cancelled = await model.translate(Array(50).fill(sources).flat(), {signal: stop.signal}).then(() => 'finished', ({name}) => name);
      const again = await model.translate(sources[0]);  // by another worker
      if (again.text !== one.text) cancelled = again.text;
    }
    answers.push({worker, times, tokens, cancelled, explained, texts: all.map(({candidates}) => candidates.map(({text, score}) => [text, score]))});
    engine.end();
  }
  return answers;
}

const base64 = (file) => fs.readFileSync(file).toString('base64');
const data = (id, text) => `<script type="text/plain" id="${id}">${text}</script>\n`;
const page = path.join(folder, 'page.html');
fs.writeFileSync(page, `<!doctype html><meta charset="utf-8"><title>attend</title>
${data('wasm', base64(script.replace(/js$/, 'wasm')))}${data('model', base64(path.join(folder, 'translator.safetensors')))}
${data('sources', JSON.stringify(lines_of('sources')))}<script>${fs.readFileSync(script, 'utf8').replace(/<\/script/g, '<\\/script')}</script>
<script>${answering(in_page)}</script>`);

(async () => {
  const expected = lines_of('translations').map((line) => JSON.parse(line).translations.map(({text, score}) => [text, Math.fround(score)]));
  for (const {worker, times, tokens, cancelled, explained, texts} of await answer_of(`file://${page}`, folder)) {
    assert.deepStrictEqual(texts, expected);
    assert.deepStrictEqual(explained.parts, JSON.parse(text_of('explanation')).parts);
    if (worker) assert.strictEqual(cancelled, 'AbortError');
    const shown = Object.entries(times).map(([name, time]) => `${name} ${time.toFixed(0)} ms`).join(', ');
    console.log(`Chromium ${worker ? 'with' : 'without'} a worker: ${shown}, ${(1000 * tokens / times.all).toFixed(0)} tokens/s`);
  }
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
