// Several threads in a headless browser: pages of a server that isolates them (examples/browser/serve.py), and of one that does not. By
// browser_test.sh, which puts into FOLDER what the program answers; prints how fast it is.
//   node threads_test.js ATTEND.JS FOLDER chromium|firefox
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const {spawn} = require('child_process');
const {answer_of, answering} = require('./headless.js');

const [script, folder] = process.argv.slice(2, 4).map((name) => path.resolve(name));
const browser = process.argv[4];
const lines_of = (name) => fs.readFileSync(path.join(folder, name), 'utf8').replace(/\n$/, '').split('\n');

async function in_page() {
  const sources = (await (await fetch('sources')).text()).trim().split('\n');
  const engines = [];
  for (const threads of [1, 2, 4]) {
    const engine = await attend.start({threads});
    const model = await engine.load('translator.safetensors');
    engines.push({engine, model, rates: [], answer: {asked: threads, threads: engine.threads, whyOneThread: engine.whyOneThread}});
  }
  // One after the other several times, so that what else the machine does strikes all alike.
  for (let i = 0; i < 3; ++i) {
    for (const {model, rates, answer} of engines) {
      const begin = performance.now();
      const all = await model.translate(sources, {nBest: 2});
      const tokens = all.reduce((sum, {tokens}) => sum + tokens.length + 1, 0);
      rates.push((1000 * tokens) / (performance.now() - begin));
      answer.texts = all.map(({candidates}) => candidates.map(({text, score}) => [text, score]));
    }
  }
  for (const {engine, model, rates, answer} of engines) {
    answer.rate = rates.sort((a, b) => a - b)[1];
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 100);
    answer.cancelled = await model.translate(Array(50).fill(sources).flat(), {signal: stop.signal}).then(() => 'finished', ({name}) => name);
    answer.again = (await model.translate(sources[0])).text;
    engine.end();
  }
  return {isolated: crossOriginIsolated, answers: engines.map(({answer}) => answer)};
}

const site = path.join(folder, 'site');
fs.mkdirSync(site, {recursive: true});
for (const file of ['attend.js', 'attend.wasm', 'attend-threads.js', 'attend-threads.wasm', 'attend-threads.worker.js'])
  fs.copyFileSync(path.join(path.dirname(script), file), path.join(site, file));
for (const file of ['sources', 'translator.safetensors']) fs.copyFileSync(path.join(folder, file), path.join(site, file));
// The policy has all that attend needs.
const policy = "default-src 'none'; connect-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:";
fs.writeFileSync(path.join(site, 'page.html'), `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<title>attend</title><script src="attend.js"></script><script>${answering(in_page)}</script>`);

// use(address) while a program serves the site
async function served(command, use) {
  const server = spawn(command[0], command.slice(1), {stdio: ['ignore', 'pipe', 'ignore']});
  try {
    const line = await new Promise((resolve, reject) => {
      server.stdout.once('data', (text) => resolve(String(text)));
      server.once('exit', () => reject(new Error(`${command.join(' ')} has ended`)));
    });
    return await use(line.match(/http:[^ )\n]*\//)[0]);
  } finally {
    server.kill();
  }
}

const answers_of = async (command) => served(command, (address) => answer_of(`${address}page.html`, folder, browser));

(async () => {
  const expected = lines_of('translations').map((line) => JSON.parse(line).translations.map(({text, score}) => [text, Math.fround(score)]));
  const isolated = await answers_of(['python3', path.resolve(__dirname, '../../examples/browser/serve.py'), site, '0']);
  assert.ok(isolated.isolated);
  const plain = await answers_of(['python3', '-u', '-m', 'http.server', '--bind', '127.0.0.1', '--directory', site, '0']);
  assert.ok(!plain.isolated);
  for (const [{answers}, most] of [[isolated, 4], [plain, 1]]) {
    for (const {asked, threads, whyOneThread, texts, rate, cancelled, again} of answers) {
      assert.strictEqual(threads, Math.min(asked, most));
      if (threads === asked) assert.strictEqual(whyOneThread, null);
      else assert.match(whyOneThread, /not isolated.*Cross-Origin-Opener-Policy/);
      assert.deepStrictEqual(texts, expected);
      assert.strictEqual(cancelled, 'AbortError');
      assert.strictEqual(again, expected[0][0][0]);
      if (most > 1) console.log(`${browser} with threads: ${threads}: ${rate.toFixed(0)} tokens/s, ${(rate / answers[0].rate).toFixed(2)} times that of one`);
    }
  }
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
