// attend in Node beside the program, with a worker and without, and with several threads, by browser_test.sh, which puts into FOLDER what the
// program answers:
//   node node_test.js ATTEND.JS FOLDER PROGRAM
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const zlib = require('zlib');

const {execFileSync} = require('child_process');
const {with_most_memory, with_trap} = require('./changed_module.js');

const [script, folder, program] = process.argv.slice(2);
const attend = require(path.resolve(script));
const file = (name) => path.join(folder, name);
const text_of = (name) => fs.readFileSync(file(name), 'utf8');
const lines_of = (name) => text_of(name).replace(/\n$/, '').split('\n');
const json_lines_of = (name) => lines_of(name).map((line) => JSON.parse(line));
const tests = {};
const several = fs.existsSync(script.replace(/\.js$/, '-threads.js'));

async function fails(promise, code, message) {
  await assert.rejects(promise, (error) => {
    assert.strictEqual(error.code, code, `${error.code}: ${error.message}`);
    assert.match(error.message, message);
    return true;
  });
}

tests['Translations are those of the program, with their scores'] = async (engine) => {
  const model = await engine.load(file('translator.safetensors'));
  assert.strictEqual(model.task, 'translation');
  const found = await model.translate(lines_of('sources'), {nBest: 2});
  const expected = json_lines_of('translations');
  assert.strictEqual(found.length, expected.length);
  const shown = ({text, score, tokens, tokenScores}) => ({text, score, tokens, scores: [...tokenScores]});
  const wanted = ({text, score, tokens, token_log_probabilities: scores}) => ({text, score: Math.fround(score), tokens, scores: scores.map(Math.fround)});
  for (let i = 0; i < found.length; ++i) assert.deepStrictEqual(found[i].candidates.map(shown), expected[i].translations.map(wanted));
};

tests['The same translations come alone'] = async (engine) => {
  const model = await engine.load(fs.readFileSync(file('translator.safetensors')));
  const sources = lines_of('sources').slice(0, 5);
  const together = await model.translate(sources);
  for (let i = 0; i < sources.length; ++i) assert.deepStrictEqual(await model.translate(sources[i]), together[i]);
};

tests['Explanations are those of the program'] = async (engine) => {
  const model = await engine.load(file('translator.safetensors'));
  const found = await model.explain(lines_of('sources')[0], {position: 1});
  const expected = JSON.parse(text_of('explanation'));
  for (const name of ['tokens', 'position', 'token', 'instead', 'difference', 'parts', 'lens', 'additions'])
    assert.deepStrictEqual(found[name], expected[name], name);
};

tests['The explorer has the attention of every head, and switches heads off'] = async (engine) => {
  const model = await engine.load(file('translator.safetensors'));
  const text = lines_of('sources')[0];
  const shown = await model.explore(text);
  assert.strictEqual(shown.translation, (await model.translate(text)).text);
  const heads = await model.heads(text);
  const {module, head, change} = heads[0];
  const off = await model.explore(text, {headsOff: [`${module}:${head}`], translation: shown.translation});
  assert.ok(Math.abs(off.log_probability - shown.log_probability - change) < 1e-4);
  assert.notStrictEqual(off.log_probability, shown.log_probability);
  const drawn = await model.draw(text, {seed: 2});
  assert.deepStrictEqual(await model.draw(text, {seed: 2}), drawn);
};

tests['Heads are tried one at a time, and other calls come in between'] = async (engine) => {
  const model = await engine.load(file('translator.safetensors'));
  assert.deepStrictEqual(model.languages, []);
  const text = lines_of('sources')[0];
  let tried = 0;
  const all = model.heads(text, {onHead: () => ++tried});
  await model.explore(text);
  const before = tried;
  const effects = await all;
  assert.ok(before < effects.length, `${before} of ${effects.length}`);
  assert.strictEqual(tried, effects.length);
  const stop = new AbortController(), seen = [];
  const onHead = (effect, head, heads) => {
    seen.push([effect, head, heads]);
    if (head === 1) stop.abort();
  };
  await assert.rejects(model.heads(text, {onHead, signal: stop.signal}), {name: 'AbortError'});
  assert.deepStrictEqual(seen, effects.slice(0, 2).map((effect, head) => [effect, head, effects.length]));
};

tests['The search is that of a translation'] = async (engine) => {
  const model = await engine.load(file('translator.safetensors'));
  const text = lines_of('sources')[0];
  const {translations, steps} = await model.beam(text, {beamSize: 3});
  const {candidates} = await model.translate(text, {beamSize: 3, nBest: 3});
  assert.deepStrictEqual(translations.map((found) => found.text), candidates.map((found) => found.text));
  assert.strictEqual(steps[0].written, 0);
};

tests['Classes and vectors are those of the program'] = async (engine) => {
  const model = await engine.load(file('classifier.safetensors'));
  assert.deepStrictEqual(model.labels, ['negative', 'positive']);
  const expected = json_lines_of('classes');
  (await model.classify(lines_of('texts'))).forEach(({label, probability}, i) => {
    assert.strictEqual(label, expected[i].label);
    assert.strictEqual(probability, Math.fround(expected[i].probability));
  });
  const vectors = json_lines_of('vectors');
  (await model.embed(lines_of('texts'))).forEach(({vector}, i) =>
    assert.deepStrictEqual([...vector], vectors[i].vector.map(Math.fround)));
};

tests['Text is written like by the program, and told as it is'] = async (engine) => {
  const model = await engine.load(file('writer.safetensors'));
  let told = '';
  const options = {temperature: 0.8, seed: 3, maxTokens: 30};
  const {text} = await model.generate('the ', {...options, onText: ({text: more}) => { told += more; }});
  assert.strictEqual(text, JSON.parse(text_of('written')).text);
  assert.strictEqual(told, text);
};

let trained = null;
tests['A translator trained here is read by the program, and is the same in parts'] = async (engine) => {
  const files = {'a.en': lines_of('sources').slice(0, 100).join('\n') + '\n', 'a.de': lines_of('sources').slice(0, 100).join('\n') + '\n'};
  const small = {srcTrain: 'a.en', tgtTrain: 'a.de', vocabSize: 120, dModel: 32, nHeads: 2, dFf: 64, nEncoderLayers: 1, nDecoderLayers: 1,
                 batchTokens: 256, maxSteps: 60, validEvery: 0, warmupSteps: 10, learningRate: 5e-3};
  const losses = [];
  const onProgress = ({event, loss}) => event === 'step' && losses.push(loss);
  const {bytes, steps, complete} = await engine.train('translation', files, {...small, onProgress});
  assert.ok(complete);
  assert.strictEqual(steps, 60);
  assert.strictEqual(losses.length, 60);
  assert.ok(losses[59] < losses[0] - 0.5, `${losses[0]} to ${losses[59]}`);
  trained = trained || bytes;
  assert.ok(Buffer.compare(trained, bytes) === 0, 'the bytes are those of one thread');
  fs.writeFileSync(file('trained.safetensors'), bytes);
  const model = await engine.load(bytes);
  const source = lines_of('sources')[0];
  const said = execFileSync(program, ['translate', file('trained.safetensors')], {input: source + '\n', encoding: 'utf8'});
  assert.strictEqual((await model.translate(source)).text + '\n', said);

  const stop = new AbortController();
  const stopped = await engine.train('translation', files, {...small, maxSteps: 1e6, signal: stop.signal,
    onProgress: ({step}) => step === 5 && stop.abort()});
  assert.ok(!stopped.complete);
  assert.ok(stopped.steps >= 5 && stopped.steps < 1e5);
};

tests['The engine of pages trains translators, with its own vocabularies, and says so'] = async () => {
  const page = path.join(path.dirname(path.resolve(script)), 'page/attend.js');
  if (!fs.existsSync(page)) return;
  const engine = await require(page).start();
  const lines = lines_of('sources').slice(0, 20).join('\n') + '\n';
  const options = {srcTrain: 'a', tgtTrain: 'a', vocabSize: 270, dModel: 8, nHeads: 1, dFf: 8, maxSteps: 1, validEvery: 0};
  assert.ok((await engine.train('translation', {a: lines}, {...options, tokenizer: 'byte-bpe'})).complete);
  await fails(engine.train('translation', {a: lines}, options), 'config', /tokenizer: expected byte-bpe or wordpiece/);
  await fails(engine.train('lm', {a: lines}, {train: 'a'}), 'config', /expected one of translation, got 'lm'/);
  engine.end();
};

tests['Errors have codes'] = async (engine) => {
  await fails(engine.load(new Uint8Array(100)), 'data', /safetensors/);
  const model = await engine.load(file('translator.safetensors'));
  await fails(model.translate('x', {beamsize: 3}), 'config', /beam[-_]size/);
  await fails(model.classify('x'), 'data', /translat/);
  await fails(model.translate('dog '.repeat(3000)), 'data', /1024/);
  await model.close();
  await fails(model.translate('x'), 'invalid-argument', /closed/);
};

tests['A call can be cancelled, and others go on'] = async (engine) => {
  const model = await engine.load(file('translator.safetensors'));
  const stop = new AbortController();
  const many = Array(100).fill(lines_of('sources')).flat();
  const begin = Date.now();
  const cancelled = model.translate(many, {signal: stop.signal});
  const next = model.translate(lines_of('sources')[0]);
  setTimeout(() => stop.abort(), 50);
  await fails(cancelled, 'cancelled', /cancelled/);
  assert.ok(Date.now() - begin < 5000);
  assert.strictEqual((await next).text, json_lines_of('translations')[0].translations[0].text);
};

const ends = {};

// An engine whose memory cannot grow beyond 50 MB.
async function short_engine(options) {
  const pages = 800;
  if (!options.threads) return attend.start({...options, wasm: with_most_memory(fs.readFileSync(script.replace(/js$/, 'wasm')), pages)});
  const {Memory} = WebAssembly;
  WebAssembly.Memory = class extends Memory {
    constructor(wanted) {
      super({...wanted, maximum: pages});
    }
  };
  try {
    return await attend.start(options);
  } finally {
    WebAssembly.Memory = Memory;
  }
}

ends['Memory that runs out is an error, and the engine goes on'] = async () => {
  const source = lines_of('sources')[0], first = json_lines_of('translations')[0].translations[0].text;
  for (const options of [{}, {worker: false}, ...(several ? [{threads: 3}] : [])]) {
    const engine = await short_engine(options);
    assert.strictEqual(engine.threads, options.threads || 1);
    const model = await engine.load(file('translator.safetensors'));
    const goes_on = async () => assert.strictEqual((await model.translate(source)).text, first);
    for (let i = 0; i < 3; ++i) {
      await fails(model.translate(Array(64).fill(source), {beamSize: 300, nBest: 300}), 'memory', /^out of memory/);
      await goes_on();
    }
    await fails(model.translate('dog '.repeat(3e7)), 'memory', /^out of memory: 120000001 bytes requested/);
    await goes_on();
    await fails(model.translate(Array(200000).fill(source.repeat(20))), 'memory', /^out of memory/);
    await goes_on();
    engine.end();
  }
};

ends['Errors of the program that uses an engine are left to that program'] = async () => {
  const listeners = () => ['uncaughtException', 'unhandledRejection'].map((event) => process.listenerCount(event));
  const before = listeners();
  const engine = await attend.start({worker: false});
  assert.deepStrictEqual(listeners(), before);
  assert.deepStrictEqual(before, [0, 0]);
  engine.end();
};

ends['An engine that has broken says so from then on'] = async () => {
  const wasm = fs.readFileSync(script.replace(/js$/, 'wasm'));
  const imports = WebAssembly.Module.imports(new WebAssembly.Module(wasm)).filter(({kind}) => kind === 'function').length;
  for (const worker of [true, false]) {
    const engine = await attend.start({wasm: with_trap(wasm, 'attend_beam', imports), worker});
    const model = await engine.load(file('translator.safetensors'));
    const source = lines_of('sources')[0];
    const calls = [model.beam(source), model.translate(source), engine.load(file('writer.safetensors'))];
    for (const call of calls) await fails(call, 'other', /^the engine has ended, start another: .*unreachable/);
    engine.end();
  }
};

ends['Calls of an engine that was ended are cancelled'] = async () => {
  const engine = await attend.start();
  const model = await engine.load(file('translator.safetensors'));
  const calls = [model.translate(Array(100).fill(lines_of('sources')).flat()), model.translate('The dog sleeps.')];
  engine.end();
  for (const call of [...calls, model.translate('The dog sleeps.'), engine.load(new Uint8Array(100))]) await fails(call, 'cancelled', /the engine was ended/);
};

const threaded = {};

// Milliseconds of the processor by thread of this process, most first
function times_of_threads() {
  const times = fs.readdirSync('/proc/self/task').map((thread) => {
    const fields = fs.readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').replace(/.*\) /, '').split(' ');
    return [thread, 10 * (Number(fields[11]) + Number(fields[12]))];
  });
  return new Map(times);
}

threaded['The work is divided'] = async () => {
  const share_of_others = {};  // of the time of the busiest
  for (const threads of [1, 3]) {
    const engine = await attend.start({threads});
    assert.deepStrictEqual([engine.threads, engine.whyOneThread], [threads, null]);
    const model = await engine.load(file('translator.safetensors'));
    const before = times_of_threads();
    await model.translate(lines_of('sources'), {nBest: 2});
    const spent = [...times_of_threads()].map(([thread, time]) => time - (before.get(thread) || 0)).sort((a, b) => b - a);
    share_of_others[threads] = spent.slice(1).map((time) => time / spent[0]);
    engine.end();
  }
  // A busy machine may let one of them wait, but not both.
  assert.ok(share_of_others[1][0] < 0.2, `with one thread another has ${share_of_others[1][0]} of its time`);
  assert.ok(share_of_others[3][0] > 0.3, `with three threads the second has ${share_of_others[3][0]} of the first's time`);
};

threaded['A training has the threads of the engine, whatever it is asked'] = async () => {
  const engine = await attend.start({threads: 2});
  const files = {a: lines_of('sources').slice(0, 20).join('\n') + '\n'};
  const options = {srcTrain: 'a', tgtTrain: 'a', vocabSize: 60, dModel: 8, nHeads: 1, dFf: 8, maxSteps: 2, validEvery: 0};
  const {bytes} = await engine.train('translation', files, options);
  for (const threads of [1, 2, 7])
    assert.deepStrictEqual((await engine.train('translation', files, {...options, threads})).bytes, bytes);
  engine.end();
};

threaded['Memory that another thread has made grow is read'] = async () => {
  const engine = await attend.start({threads: 4}), alone = await attend.start();
  const source = lines_of('sources')[0];
  const texts = Array(300).fill(source.repeat(8));
  const answers = [];
  for (const one of [engine, alone]) {
    const model = await one.load(file('translator.safetensors'));
    answers.push(await model.embed(texts, {pooling: 'none'}));
    one.end();
  }
  assert.deepStrictEqual(answers[0], answers[1]);
};

threaded['Where several are not possible there is one, and why'] = async () => {
  const wasm = fs.readFileSync(script.replace(/js$/, 'wasm'));
  for (const [options, why] of [[{wasm}, /wasm/], [{worker: false}, /worker/]]) {
    const engine = await attend.start({...options, threads: 4});
    assert.strictEqual(engine.threads, 1);
    assert.match(engine.whyOneThread, why);
    engine.end();
  }
  for (const threads of [0, -1, 1.5, 65, '2', null]) await fails(attend.start({threads}), 'invalid-argument', /threads: expected "auto" or a whole number/);
  await fails(attend.start({threads: 2, folder: file('nowhere')}), 'io', /nowhere.attend-threads/);
  const automatic = await attend.start({threads: 'auto'});
  assert.strictEqual(automatic.threads, Math.min(4, Math.ceil(require('os').cpus().length / 2)));
  automatic.end();
};

(async () => {
  for (const ending of ['.wasm', ...(several ? ['-threads.wasm'] : [])]) {
    const wasm = fs.readFileSync(script.replace(/\.js$/, ending));
    const sent = zlib.brotliCompressSync(wasm, {params: {[zlib.constants.BROTLI_PARAM_QUALITY]: 9}}).length;
    assert.ok(sent < 2.5e6, `attend${ending} has ${sent} bytes, compressed by brotli`);
  }
  if (!several) console.log('there is no attend-threads.js: tried with one thread only');
  const {start} = await import(`file://${path.resolve(path.dirname(script), 'npm/attend.mjs')}`);
  const imported = await start({worker: false});
  assert.strictEqual((await imported.load(file('translator.safetensors'))).task, 'translation');
  for (const options of [{}, {worker: false}, ...(several ? [{threads: 2}, {threads: 4}] : [])]) {
    for (const [name, test] of Object.entries(tests)) {
      if (options.worker === false && name.startsWith('A call can be cancelled')) continue;  // the only thread is busy
      const engine = await attend.start(options);
      assert.strictEqual(engine.threads, options.threads || 1);
      await test(engine).catch((error) => {
        console.error(`${name} (${JSON.stringify(options)})`);
        throw error;
      });
      engine.end();
    }
  }
  const others = {...ends, ...(several ? threaded : {})};
  for (const [name, test] of Object.entries(others))
    await test().catch((error) => {
      console.error(name);
      throw error;
    });
  console.log(`${Object.keys({...tests, ...others}).length} tests in Node`);
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
