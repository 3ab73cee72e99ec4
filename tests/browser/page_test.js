// The page of `attend page` in headless Chromium, from disk and without a network: every view of the explorer, whose numbers must be those of
// the program, and models of one's own. By page_test.sh, which writes into FOLDER the page and what the program answers. Screenshots go to
// SCREENSHOTS, if that is given.
//   node page_test.js FOLDER [SCREENSHOTS]
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const {spawn} = require('child_process');

const folder = path.resolve(process.argv[2]);
const screenshots = process.argv[3];
const text_of = (name) => fs.readFileSync(path.join(folder, name), 'utf8');
const json_of = (name) => JSON.parse(text_of(name));
const TEXT = text_of('text').trim();

// Chromium, by the DevTools protocol through two pipes.
class Browser {
  constructor() {
    this.process = spawn('chromium', ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--remote-debugging-pipe',
      '--window-size=1280,900', `--user-data-dir=${path.join(folder, 'chromium')}`], {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    this.last = 0;
    this.waiting = new Map();
    this.events = [];
    let rest = '';
    this.process.stdio[4].on('data', (more) => {
      const messages = (rest + more.toString('utf8')).split('\0');
      rest = messages.pop();
      messages.forEach((message) => this.receive(JSON.parse(message)));
    });
  }
  receive({id, result, error, method, params}) {
    if (!id) return this.events.push({method, params});
    const {resolve, reject} = this.waiting.get(id);
    this.waiting.delete(id);
    error ? reject(new Error(error.message)) : resolve(result);
  }
  send(method, params = {}, sessionId = this.session) {
    const id = ++this.last;
    this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + '\0');
    return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject}));
  }
  async open() {
    const {targetId} = await this.send('Target.createTarget', {url: 'about:blank'});
    this.session = (await this.send('Target.attachToTarget', {targetId, flatten: true})).sessionId;
    for (const domain of ['Page', 'Runtime', 'Log', 'Network', 'DOM']) await this.send(`${domain}.enable`);
    await this.send('Network.emulateNetworkConditions', {offline: true, latency: 0, downloadThroughput: 0, uploadThroughput: 0});
    await this.send('Browser.setDownloadBehavior', {behavior: 'deny'}, undefined);
    await this.send('Page.addScriptToEvaluateOnNewDocument', {source: `window.kept = [];
      const url_of = URL.createObjectURL;
      URL.createObjectURL = (blob) => { if (blob.type === 'application/json') blob.text().then((text) => kept.push(text)); return url_of(blob); };`});
  }
  async evaluate(code) {
    const {result, exceptionDetails} = await this.send('Runtime.evaluate', {expression: code, awaitPromise: true, returnByValue: true});
    if (exceptionDetails) throw new Error(`${code}: ${exceptionDetails.exception.description}`);
    return result.value;
  }
  async until(condition, what, seconds = 60) {
    for (const end = Date.now() + 1000 * seconds; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 30)))
      if (await this.evaluate(condition).catch(({message}) => { if (!/navigated/.test(message)) throw new Error(message); })) return;
    throw new Error(`no ${what}; the page says: ${await this.evaluate('document.getElementById("message").textContent')}`);
  }
  // What went wrong, and what was fetched, since the last call.
  faults() {
    const found = this.events.splice(0).flatMap(({method, params}) => {
      if (method === 'Runtime.exceptionThrown') return [params.exceptionDetails.exception?.description ?? params.exceptionDetails.text];
      if (method === 'Runtime.consoleAPICalled' && ['error', 'warning'].includes(params.type)) return [params.args.map(({value}) => value).join(' ')];
      if (method === 'Log.entryAdded') return [params.entry.text];
      if (method === 'Network.requestWillBeSent' && !/^(file|data|blob):/.test(params.request.url)) return [`asks the network for ${params.request.url}`];
      return [];
    });
    return found;
  }
}

const browser = new Browser();
const text_in = (selector) => browser.evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent.trim()`);
const click = (selector) => browser.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
const ready = () => browser.until('document.body.dataset.state === "ready"', 'answer');

async function open_page(fields = {}, view = 'cross/words') {
  await browser.send('Page.navigate', {url: 'about:blank'});
  await browser.send('Page.navigate', {url: `file://${folder}/page.html#${view}?${new URLSearchParams(fields)}`});
  await browser.until('document.readyState === "complete"', 'page');
  await ready();
  assert.strictEqual(await text_in('#message'), '');
}

async function open_panel(name, fields = {}) {
  await open_page({text: TEXT, [name]: '1', ...fields});
  await browser.until(`document.body.dataset.${name} === "ready"`, name);
}

// The numbers that a view saves.
async function numbers_of(view) {
  await browser.evaluate('kept.length = 0');
  await click(`.keep[data-view="${view}"] button[value="json"]`);
  await browser.until('kept.length === 1', `numbers of ${view}`);
  return JSON.parse(await browser.evaluate('kept[0]')).data;
}

async function screenshot(name) {
  if (!screenshots) return;
  const {data} = await browser.send('Page.captureScreenshot', {captureBeyondViewport: true});
  fs.writeFileSync(path.join(screenshots, `page-${name}.png`), Buffer.from(data, 'base64'));
}

const tests = {};

tests['The page begins with its text, and the numbers are those of the program'] = async () => {
  await browser.send('Page.navigate', {url: `file://${folder}/page.html`});
  await browser.until('document.body?.dataset.state === "ready" && !document.getElementById("answer").hidden', 'first answer');
  assert.strictEqual(await browser.evaluate('document.getElementById("text").value'), TEXT);
  const {answer} = await numbers_of('answer');
  const {translation, log_probability} = json_of('attention.json');
  assert.strictEqual(answer.translation, translation);
  assert.strictEqual(Math.fround(answer.log_probability), Math.fround(log_probability));
  assert.ok((await text_in('#score')).includes(log_probability.toFixed(2).replace('-', '−')));
  await screenshot('light');
};

const EXAMPLES = ['text', 'lines', 'marks', 'scripts', 'long'].map((name) => text_of(name).replace(/\n$/, ''));

async function press(key, code) {
  for (const type of ['rawKeyDown', 'keyUp']) await browser.send('Input.dispatchKeyEvent', {type, key, code: key, windowsVirtualKeyCode: code});
}

async function point_at(selector) {
  const [x, y] = await browser.evaluate(`(({left, top, width, height}) => [left + width / 2, top + height / 2])(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`);
  for (const type of ['mousePressed', 'mouseReleased']) await browser.send('Input.dispatchMouseEvent', {type, x, y, button: 'left', clickCount: 1});
}

// What is shown is this text, and the address leads to it.
async function expect_text(text) {
  const asked = `new URLSearchParams(location.hash.split('?').slice(1).join('?')).get('text') === ${JSON.stringify(text)}`;
  await browser.until(`document.body.dataset.state === 'ready' && ${asked}`, `answer to ${text}`);
  assert.strictEqual(await text_in('#message'), '');
  assert.strictEqual(await browser.evaluate('document.getElementById("text").value'), text);
  // Of what the model does not know, the words are there nevertheless.
  assert.strictEqual(await browser.evaluate('document.querySelectorAll("#col-words .label:not(.mark-token)").length'), text.split(/\s+/).length);
  assert.strictEqual(await browser.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'), 0);
}

tests['Examples are chosen with the arrow keys, and with the pointer'] = async () => {
  assert.ok(EXAMPLES.at(-1).length > 600);
  await browser.send('Page.navigate', {url: 'about:blank'});
  await browser.send('Page.navigate', {url: `file://${folder}/page.html`});
  await browser.until('document.body?.dataset.state === "ready" && !document.getElementById("answer").hidden', 'first answer');
  assert.deepStrictEqual(await browser.evaluate('[...document.getElementById("examples").options].map(({text}) => text)'),
    ['Examples', ...EXAMPLES.map((text) => text.split(/\s+/).join(' '))]);
  await browser.evaluate('document.getElementById("text").focus()');
  await press('Tab', 9);
  assert.strictEqual(await browser.evaluate('document.activeElement.id'), 'examples');
  for (const text of EXAMPLES) {
    await press('ArrowDown', 40);
    await expect_text(text);
  }
  await press('ArrowUp', 38);
  await expect_text(EXAMPLES.at(-2));
  await press('Tab', 9);
  assert.strictEqual(await browser.evaluate('document.getElementById("examples").selectedIndex'), 0);
  await point_at('#examples');
  for (let i = 0; i < 3; ++i) await press('ArrowDown', 40);
  await press('Enter', 13);
  await expect_text(EXAMPLES[2]);
  const address = await browser.evaluate('location.href');
  await browser.send('Page.navigate', {url: 'about:blank'});
  await browser.send('Page.navigate', {url: address});
  await browser.until('document.readyState === "complete"', 'page');
  await expect_text(EXAMPLES[2]);
};

tests['What is shown is faint while it answers another question'] = async () => {
  await open_page({text: TEXT});
  const ask = (text) => browser.evaluate(`document.getElementById("text").value = ${JSON.stringify(text)}; document.getElementById("ask").requestSubmit()`);
  const is_stale = () => browser.evaluate('document.body.classList.contains("stale")');
  await ask('  ');
  assert.strictEqual(await text_in('#message'), 'Enter a text.');
  assert.ok(!await is_stale());
  await ask('dog '.repeat(300));
  await browser.until('document.body.classList.contains("stale")', 'refusal');
  assert.match(await text_in('#message'), /at most 256 tokens/);
  await ask('A cat.');
  await browser.until('!document.body.classList.contains("stale")', 'answer');
  assert.strictEqual(await text_in('#message'), '');
};

tests['Changes that the model refuses can be undone'] = async () => {
  await browser.send('Page.navigate', {url: 'about:blank'});
  await browser.send('Page.navigate', {url: `file://${folder}/page.html#cross/words?${new URLSearchParams({text: TEXT, off: 'decoder.layers.9.cross_attn:0'})}`});
  await browser.until('document.body?.dataset.state === "ready" && document.getElementById("message").textContent !== ""', 'refusal');
  assert.match(await text_in('#message'), /decoder\.layers\.9/);
  await click('#undo');
  await browser.until('document.body.dataset.state === "ready" && document.getElementById("message").textContent === ""', 'answer');
  assert.strictEqual((await numbers_of('answer')).answer.translation, json_of('attention.json').translation);
  assert.strictEqual(await browser.evaluate('document.body.className'), '');
};

tests['The figure runs on what the engine computes'] = async () => {
  await open_page({text: TEXT});
  await browser.until('!document.getElementById("running").hidden', 'figure');
};

tests['Heads that are off change the answer as in the program'] = async () => {
  await open_page({text: TEXT, off: 'encoder.layers.0.self_attn:0,decoder.layers.0.cross_attn'});
  const {answer, unchanged} = await numbers_of('answer');
  const expected = json_of('off.json');
  assert.strictEqual(answer.translation, expected.translation);
  assert.strictEqual(Math.fround(answer.log_probability), Math.fround(expected.log_probability));
  assert.strictEqual(Math.fround(unchanged.log_probability), Math.fround(json_of('attention.json').log_probability));
};

tests['The importance of every head is that of the program; it can be stopped'] = async () => {
  await open_page({text: TEXT});
  await click('#importance');
  await browser.until('!document.getElementById("ranking").hidden', 'importance');
  const rounded = (heads) => heads.map(({module, head, change}) => [module, head, Math.fround(change)]);
  assert.deepStrictEqual(rounded(await numbers_of('importance')), rounded(json_of('attention.json').heads));
  await browser.evaluate('document.getElementById("importance").click(); document.getElementById("text").value = "A cat."; document.getElementById("ask").requestSubmit()');
  await browser.until('document.getElementById("importance-progress").hidden && document.getElementById("ranking").hidden', 'end of the trials');
  await ready();
};

tests['Why a word is written has the parts of the program'] = async () => {
  await open_panel('why', {why: '1'});
  assert.deepStrictEqual((await numbers_of('why')).parts, json_of('explanation.json').parts);
  await browser.evaluate('document.getElementById("why").scrollIntoView()');
  await screenshot('why');
};

tests['The next tokens and what is drawn'] = async () => {
  await open_panel('next', {next: '0,0.7'});
  await click('#draw');
  await browser.until('document.querySelectorAll("#drawn li").length === 1', 'drawn text');
  const numbers = await numbers_of('next');
  assert.strictEqual(numbers.tokens.length, 10);
  assert.strictEqual(numbers.drawn[0].text, json_of('drawn.json').translations[0].text);
};

tests['The beam is that of the program'] = async () => {
  await open_panel('beam', {beam: '3'});
  const {steps, translations} = await numbers_of('beam');
  const expected = json_of('beam.json').translations;
  assert.deepStrictEqual(translations.map(({text}) => text), expected.map(({text}) => text));
  translations.forEach(({score}, i) => assert.ok(Math.abs(score - expected[i].score) < 1e-5, `${score} and ${expected[i].score}`));
  assert.ok(steps.length > 1);
};

tests['A word in several texts'] = async () => {
  await open_panel('uses', {uses: ['dog', 1, TEXT, 'A dog sees the cat.'].join('\n')});
  const {uses, layer} = await numbers_of('uses');
  assert.strictEqual(layer, 1);
  assert.strictEqual(uses.length, 2);
};

tests['Another text beside this one'] = async () => {
  await open_page({text: TEXT, with: 'The old cat sleeps.'});
  await browser.until('!document.getElementById("beside").hidden', 'other answer');
  assert.strictEqual((await numbers_of('beside')).there.translation, json_of('beside.json').translation);
};

// A real drop on the page.
async function drop(file) {
  const data = {items: [], files: [file], dragOperationsMask: 1};
  for (const type of ['dragEnter', 'dragOver', 'drop']) await browser.send('Input.dispatchDragEvent', {type, x: 200, y: 200, data});
}

tests['A model of one\'s own takes the place of the page\'s, and is compared with it'] = async () => {
  await open_page({text: TEXT});
  await drop(path.join(folder, 'second.safetensors'));
  await browser.until('document.getElementById("model").value === "second" && document.body.dataset.state === "ready"', 'second model');
  const {answer} = await numbers_of('answer');
  const second = json_of('second.json');
  assert.strictEqual(answer.translation, second.translation);
  assert.strictEqual(Math.fround(answer.log_probability), Math.fround(second.log_probability));
  await click('#with-toggle');
  await browser.evaluate('const other = document.getElementById("with-model"); other.selectedIndex = 1; other.dispatchEvent(new Event("change", {bubbles: true}))');
  await browser.until('!document.getElementById("beside").hidden', 'both models');
  assert.strictEqual((await numbers_of('beside')).there.translation, json_of('attention.json').translation);
};

tests['A classifier, a language model and an embedding model can be opened'] = async () => {
  await open_page({text: TEXT});
  for (const [name, shown] of [['classifier', '#classes tr'], ['writer', '#score'], ['vectors', '#panel']]) {
    const {root} = await browser.send('DOM.getDocument');
    const {nodeId} = await browser.send('DOM.querySelector', {nodeId: root.nodeId, selector: '#model-file'});
    await browser.send('DOM.setFileInputFiles', {nodeId, files: [path.join(folder, `${name}.safetensors`)]});
    await browser.until(`document.getElementById("model").value === "${name}" && document.body.dataset.state === "ready"`, name);
    assert.strictEqual(await text_in('#message'), '', name);
    assert.ok(await browser.evaluate(`document.querySelector(${JSON.stringify(shown)}) !== null`), name);
  }
  assert.strictEqual(await browser.evaluate('document.getElementById("model").options.length'), 2);  // the page's, and the last one
};

tests['A file that is no model is refused, and the page goes on'] = async () => {
  await open_page({text: TEXT});
  for (const [file, said] of [['hostile.safetensors', /hostile\.safetensors/], ['cut.safetensors', /cut\.safetensors/], ['foreign.safetensors', /not an attend model/],
    ['tagger.safetensors', /tags words/], ['large.safetensors', /101 MB/]]) {
    await drop(path.join(folder, file));
    await browser.until('document.getElementById("message").classList.contains("fault")', `refusal of ${file}`);
    assert.match(await text_in('#message'), said);
    assert.doesNotMatch(await text_in('#message'), /\/attend-/);
    await browser.evaluate('document.getElementById("ask").requestSubmit()');
    await browser.until('document.body.dataset.state === "ready" && document.getElementById("message").textContent === ""', `answer after ${file}`);
    assert.strictEqual((await numbers_of('answer')).answer.translation, json_of('attention.json').translation);
  }
};

tests['A translator is trained in the page, shown meanwhile, and saved'] = async () => {
  await browser.send('Page.navigate', {url: 'about:blank'});
  await browser.send('Page.navigate', {url: `file://${folder}/page.html`});
  await browser.until('document.getElementById("train") && document.body.dataset.state === "ready"', 'training to choose');
  await browser.evaluate(`document.getElementById('train').open = true;
    for (const [name, value] of [['width', 32], ['layers', 1], ['heads', 2], ['steps', 1600]]) document.getElementById('train-' + name).value = value;
    document.getElementById('train-start').click()`);
  await browser.until('document.querySelectorAll("#train-said li").length > 1', 'translations while it trains', 180);
  assert.strictEqual(await browser.evaluate('document.getElementById("model").value'), 'trained here');
  await screenshot('training');
  await browser.until(`(() => {
    const heights = document.querySelector('#train-curve .loss').getAttribute('points').split(' ').map((point) => Number(point.split(',')[1]));
    return heights.at(-1) - heights[0] > 20;  // from the top, of 140
  })()`, 'loss that falls', 180);
  await click('#train-stop');
  await browser.until('/^Stopped after/.test(document.getElementById("train-state").textContent) && document.body.dataset.state === "ready"', 'end', 60);
  fs.writeFileSync(path.join(folder, 'trained.txt'), (await numbers_of('answer')).answer.translation + '\n');
  const bytes = await browser.evaluate(`new Promise((resolve) => {
    URL.createObjectURL = (blob) => { blob.arrayBuffer().then((all) => resolve(Array.from(new Uint8Array(all), (byte) => String.fromCharCode(byte)).join(''))); return 'data:,'; };
    document.getElementById('train-save').click();
  }).then(btoa)`);
  fs.writeFileSync(path.join(folder, 'trained.safetensors'), Buffer.from(bytes, 'base64'));
};

tests['It fits a phone, in the dark, too'] = async () => {
  await browser.send('Emulation.setDeviceMetricsOverride', {width: 390, height: 844, deviceScaleFactor: 2, mobile: true});
  await browser.send('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: 'dark'}]});
  await open_panel('beam', {importance: '1'});
  await browser.until('!document.getElementById("ranking").hidden', 'importance');
  // A model that has learned little repeats the end of a word.
  await browser.evaluate('document.querySelector("#answer-words .label").append("hould".repeat(60))');
  assert.strictEqual(await browser.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'), 0);
  await browser.evaluate('scrollTo(0, 0)');
  await screenshot('phone-dark');
};

(async () => {
  const late = setTimeout(() => { console.error('Chromium does not answer'); browser.process.kill('SIGKILL'); process.exit(1); }, 600000);
  try {
    await browser.open();
    for (const [name, test] of Object.entries(tests)) {
      const begin = Date.now();
      try {
        await test();
        assert.deepStrictEqual(browser.faults(), []);
      } catch (error) {
        error.message = `${name}: ${error.message}\n${browser.faults().join('\n')}`;
        throw error;
      }
      console.log(`${name} (${Date.now() - begin} ms)`);
    }
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
  clearTimeout(late);
  browser.process.kill('SIGKILL');
})();
