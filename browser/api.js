// The interface of attend for JavaScript: attend.d.ts describes it. createAttendModule(), before this in attend.js, is what Emscripten made of
// the library. Works as a script, with require() and, through attend.mjs, with import; from a server, from a file and within a page.
var attend = (() => {
  'use strict';

  class AttendError extends Error {
    constructor(code, message) {
      super(message);
      this.name = code === 'cancelled' ? 'AbortError' : 'AttendError';
      this.code = code;
    }
  }

  // What runs beside the WebAssembly, in a worker or not. It needs nothing from around it, so that its text can become a worker.
  function makeEngine(module, asked, rest) {
    const codes = ['ok', 'invalid-argument', 'config', 'data', 'io', 'cancelled', 'memory', 'diverged', 'other'];
    const models = new Map();
    const cancellation = module._attend_cancellation_asking(module.addFunction(() => (asked() ? 1 : 0), 'i'));
    let files = 0;

    const text_at = (pointer) => (pointer === 0 ? '' : module.UTF8ToString(pointer));

    // use(pointer, bytes) with a text as UTF-8
    function with_text(text, use) {
      const bytes = module.lengthBytesUTF8(text);
      const pointer = module._malloc(bytes + 1);
      module.stringToUTF8(text, pointer, bytes + 1);
      try {
        return use(pointer, bytes);
      } finally {
        module._free(pointer);
      }
    }

    // use(error), and the error that it stores
    function checked(use) {
      const error = module._malloc(4);
      module.HEAPU32[error >> 2] = 0;
      try {
        const value = use(error);
        const found = module.HEAPU32[error >> 2];
        if (found === 0) return value;
        const failure = {code: codes[module._attend_error_code(found)], message: text_at(module._attend_error_message(found))};
        module._attend_error_free(found);
        throw failure;
      } finally {
        module._free(error);
      }
    }

    function set_option(options, name, value) {
      const own = name.replace(/[A-Z]/g, (letter) => '_' + letter.toLowerCase());
      with_text(own, (pointer) => {
        const one = (call, item) => with_text(String(item), (text) => checked((error) => module[call](options, pointer, text, error)));
        if (!Array.isArray(value)) return one('_attend_options_set', value);
        checked((error) => module._attend_options_set(options, pointer, 0, error));
        for (const item of value) one('_attend_options_add', item);
      });
    }

    function with_options(given, use) {
      const options = module._attend_options_new();
      try {
        for (const [name, value] of Object.entries(given || {}))
          if (value !== undefined && value !== null) set_option(options, name, value);
        return use(options);
      } finally {
        module._attend_options_free(options);
      }
    }

    function with_texts(list, use) {
      const texts = module._attend_texts_new();
      try {
        for (const text of list)
          with_text(String(text), (pointer, bytes) => checked((error) => module._attend_texts_add(texts, pointer, BigInt(bytes), error)));
        return use(texts);
      } finally {
        module._attend_texts_free(texts);
      }
    }

    // call(count), where the library stores a number of 64 bits: [what it returns, the number]
    function counted(call) {
      const count = module._malloc(16);
      const value = call(count);
      const numbers = [module.HEAPU32[count >> 2], module.HEAPU32[(count >> 2) + 2]];
      module._free(count);
      return [value, ...numbers];
    }

    function choice_of(result, item, choice) {
      const place = [result, BigInt(item), BigInt(choice)];
      const found = {
        text: text_at(module._attend_result_text(...place, 0)),
        score: module._attend_result_score(...place),
        index: Number(module._attend_result_index(...place)),
        label: text_at(module._attend_result_label(...place)),
        complete: module._attend_result_complete(...place) !== 0,
        tokens: [],
      };
      const tokens = Number(module._attend_result_token_count(...place));
      for (let i = 0; i < tokens; ++i) found.tokens.push(text_at(module._attend_result_token(...place, BigInt(i))));
      const [scores, count] = counted((to) => module._attend_result_token_scores(...place, to));
      if (scores !== 0) found.tokenScores = module.HEAPF32.slice(scores >> 2, (scores >> 2) + count);
      const [pairs, words] = counted((to) => module._attend_result_alignment(...place, to));
      if (pairs !== 0)
        found.alignment = Array.from({length: words}, (_, i) => [module.HEAP32[(pairs >> 2) + 2 * i], module.HEAP32[(pairs >> 2) + 2 * i + 1]]);
      const [has_span, begin] = counted((to) => module._attend_result_span(...place, to, to + 8));
      if (has_span !== 0) found.span = [begin, counted((to) => module._attend_result_span(...place, to + 8, to))[1]];
      return found;
    }

    function item_of(result, item) {
      const found = {choices: []};
      const choices = Number(module._attend_result_choices(result, BigInt(item)));
      for (let i = 0; i < choices; ++i) found.choices.push(choice_of(result, item, i));
      const [values, rows, width] = counted((to) => module._attend_result_vectors(result, BigInt(item), to, to + 8));
      if (values !== 0) Object.assign(found, {rows, width, values: module.HEAPF32.slice(values >> 2, (values >> 2) + rows * width)});
      return found;
    }

    // The items of the result that call(error) returns.
    function items_of(call) {
      const result = checked(call);
      try {
        return Array.from({length: Number(module._attend_result_count(result))}, (_, item) => item_of(result, item));
      } finally {
        module._attend_result_free(result);
      }
    }

    const json_of = (call) => JSON.parse(items_of(call)[0].choices[0].text);

    function model_of(id) {
      const found = models.get(id);
      if (found === undefined) throw {code: 'invalid-argument', message: 'the model was closed'};
      return found.model;
    }

    // Texts of a result in bytes of UTF-8, as places in a string of JavaScript
    function place_in(text, bytes) {
      return new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, bytes)).length;
    }

    // A file with these bytes, in a folder of its own. It stays: changes of the attention are made from it.
    function written_file(bytes, name) {
      const folder = `/attend-${++files}`;
      module.FS.mkdir(folder);
      const path = `${folder}/${name.replace(/[^\w.-]/g, '_') || 'model'}`;
      module.FS.writeFile(path, bytes);
      return {path, remove: () => {
        module.FS.unlink(path);
        module.FS.rmdir(folder);
      }};
    }

    const calls = {
      load({id, bytes, name}) {
        const file = written_file(bytes, name);
        try {
          const model = with_text(file.path, (pointer) => checked((error) => module._attend_load(pointer, 0, cancellation, error)));
          models.set(id, {model, file});
          const labels = [];
          for (let i = 0n; i < module._attend_model_label_count(model); ++i) labels.push(text_at(module._attend_model_label(model, i)));
          const languages = json_of((error) => module._attend_model_languages(model, error));
          return {task: text_at(module._attend_model_task(model)), labels, languages};
        } catch (failure) {
          file.remove();
          throw failure;
        }
      },
      close({id}) {
        module._attend_model_free(model_of(id));
        models.get(id).file.remove();
        models.delete(id);
      },
      version() {
        return text_at(module._attend_version());
      },
      // The calls of attend/c/attend.h with a model, texts and options
      ask({id, call, texts, options}) {
        return with_texts(texts, (list) =>
          with_options(options, (given) =>
            items_of((error) => module[`_attend_${call}`](model_of(id), list, given, cancellation, error))));
      },
      tag({id, texts, options}) {
        const items = calls.ask({id, call: 'tag', texts, options});
        items.forEach((item, i) => {
          for (const choice of item.choices) choice.span = choice.span.map((bytes) => place_in(String(texts[i]), bytes));
        });
        return items;
      },
      generate({id, texts, options, tells}, tell) {
        const on_text = tells
          ? module.addFunction((user, item, choice, text) => {
              tell({item: Number(item), choice: Number(choice), text: text_at(text)});
              return 0;
            }, 'iijjij')
          : 0;
        try {
          return with_texts(texts, (list) =>
            with_options(options, (given) =>
              items_of((error) => module._attend_generate(model_of(id), list, given, on_text, 0, cancellation, error))));
        } finally {
          if (on_text !== 0) module.removeFunction(on_text);
        }
      },
      score({id, texts, targets, options}) {
        const ask = (list, wanted) =>
          with_options(options, (given) =>
            items_of((error) => module._attend_score(model_of(id), list, wanted, given, cancellation, error)));
        return with_texts(texts, (list) => (targets ? with_texts(targets, (wanted) => ask(list, wanted)) : ask(list, 0)));
      },
      rank({id, query, documents, options}) {
        return with_text(query, (text) =>
          with_texts(documents, (list) =>
            with_options(options, (given) =>
              items_of((error) => module._attend_rank(model_of(id), text, list, given, cancellation, error)))));
      },
      // The calls of attend/browser/exploring.h
      explore({id, call, text, options}) {
        return with_text(text, (pointer) =>
          with_options(options, (given) =>
            json_of((error) => module[`_attend_${call}`](model_of(id), pointer, given, cancellation, error))));
      },
      words({id, texts, options}) {
        return with_texts(texts, (list) =>
          with_options(options, (given) =>
            json_of((error) => module._attend_explore_words(model_of(id), list, given, cancellation, error))));
      },
    };

    calls.demo = ({options}) =>
      with_options(options, (given) => json_of((error) => module._attend_demo_sentences(given, error)));

    // Heads that are tried one at a time: other calls may come in between. `trials` is a number that the page chose.
    const trials = new Map();
    calls.begin_trials = ({id, trials: number, text, options}) => {
      const begun = with_text(text, (pointer) => with_options(options, (given) =>
        checked((error) => module._attend_head_trials_new(model_of(id), pointer, given, cancellation, error))));
      trials.set(number, begun);
      return Number(module._attend_head_trials_count(begun));
    };
    calls.trial = ({trials: number, head}) => {
      if (!trials.has(number)) throw {code: 'cancelled', message: 'the trials ended with their worker'};
      return json_of((error) => module._attend_head_trial(trials.get(number), BigInt(head), cancellation, error));
    };
    calls.end_trials = ({trials: number}) => {
      module._attend_head_trials_free(trials.get(number) || 0);
      trials.delete(number);
    };

    // What a callback of attend_train() is given, attend_progress of attend/c/attend.h
    function progress_at(pointer) {
      const number = (offset) => module.HEAPF64[(pointer + offset) >> 3], whole = (offset) => module.HEAPU32[(pointer + offset) >> 2];
      const about = {event: ['', 'step', 'validation', 'note'][whole(0)]};
      if (about.event === 'note') return {...about, note: text_at(whole(88))};
      Object.assign(about, {step: whole(8), epoch: whole(16), loss: number(24), nll: number(32), seconds: number(80)});
      if (about.event === 'step')
        return {...about, learningRate: number(40), gradientNorm: number(48), tokens: whole(56), tokensPerSecond: number(72)};
      about.best = whole(4) !== 0;
      about.metrics = {};
      for (let i = 0; i < whole(96); ++i)
        about.metrics[text_at(module.HEAPU32[(whole(104) >> 2) + i])] = module.HEAPF64[(whole(108) >> 3) + i];
      return about;
    }

    function remove(path) {
      if (!module.FS.isDir(module.FS.stat(path).mode)) return module.FS.unlink(path);
      for (const name of module.FS.readdir(path)) if (name !== '.' && name !== '..') remove(`${path}/${name}`);
      module.FS.rmdir(path);
    }

    // Trains in parts where only the page's messages can stop it: each saves a checkpoint, and the next resumes. The bytes are the same.
    calls.train = async ({task, files: given, options, models}, tell) => {
      const folder = `/attend-${++files}`, run = folder + '/run', part_of_seconds = 2;
      let part_began = 0;
      const on_progress = module.addFunction((user, pointer) => {
        tell(progress_at(pointer));
        return asked() || ((rest || models) && performance.now() - part_began > 1000 * part_of_seconds) ? 1 : 0;
      }, 'iii');
      const train_part = (resume) => {
        part_began = performance.now();
        return with_text(task, (name) => with_text(run, (place) => with_options({...options, data: folder, resume}, (list) =>
          items_of((error) => module._attend_train(name, place, list, on_progress, 0, 0, error))[0].choices[0])));
      };
      try {
        module.FS.mkdir(folder);
        for (const [name, content] of Object.entries(given)) module.FS.writeFile(`${folder}/${name}`, content);
        let found = train_part(false);
        const bytes = () => (module.FS.analyzePath(found.text).exists ? module.FS.readFile(found.text) : null);
        while (!found.complete && !asked()) {
          if (models && bytes()) tell({event: 'model', steps: found.index, loss: found.score, bytes: bytes()});
          if (rest) await rest();
          if (!asked()) found = train_part(true);
        }
        return {steps: found.index, complete: found.complete, loss: found.score, bytes: bytes()};
      } finally {
        module.removeFunction(on_progress);
        if (module.FS.analyzePath(folder).exists) remove(folder);
      }
    };
    return (method, argument, tell) => calls[method](argument, tell);
  }

  // In a worker: answers messages.
  function serveWorker(createModule, makeEngine, port, wasm, flag) {
    let engine = null, current = 0, stopped = 0;
    const asked = () => stopped === current || (flag !== null && Atomics.load(flag, 0) === current);
    const rest = flag !== null ? null : () => new Promise((resolve) => setTimeout(resolve));
    const started = createModule({wasmBinary: wasm}).then((module) => { engine = makeEngine(module, asked, rest); });
    port.onmessage = async ({data: {id, method, argument}}) => {
      if (method === 'stop') {
        stopped = id;
        return;
      }
      try {
        await started;
        current = id;
        const value = await engine(method, argument, (event) => port.postMessage({id, event}));
        port.postMessage({id, value});
      } catch (failure) {
        port.postMessage({id, failure: {code: failure.code || 'other', message: String(failure.message || failure)}});
      }
    };
  }

  const in_node = typeof process === 'object' && process.versions && process.versions.node && typeof window === 'undefined';

  function startWorker(wasm, flag) {
    const text = `'use strict'; var _scriptDir; const create = ${createAttendModule};
      const begin = (port, {wasm, flag}) => (${serveWorker})(create, ${makeEngine}, port, wasm, flag);`;
    if (in_node) {
      const {Worker} = require('worker_threads');
      const worker = new Worker(`${text}
        const {parentPort, workerData} = require('worker_threads');
        const port = {postMessage: (message) => parentPort.postMessage(message)};
        parentPort.on('message', (data) => port.onmessage({data}));
        begin(port, workerData);`, {eval: true, workerData: {wasm, flag}});
      worker.unref();
      const port = {postMessage: (message) => worker.postMessage(message), terminate: () => worker.terminate(),
                    busy: (is) => (is ? worker.ref() : worker.unref())};
      worker.on('message', (data) => port.onmessage({data}));
      worker.on('error', (error) => port.onerror(error));
      return port;
    }
    const url = URL.createObjectURL(new Blob([`${text} onmessage = ({data}) => begin(self, data);`], {type: 'text/javascript'}));
    const worker = new Worker(url);
    URL.revokeObjectURL(url);
    worker.postMessage({wasm, flag});
    worker.busy = () => {};
    return worker;
  }

  // The same without a worker.
  function startHere(wasm) {
    const port = {busy: () => {}, terminate: () => {}};
    const inside = {postMessage: (message) => setTimeout(() => port.onmessage({data: message}))};
    serveWorker(createAttendModule, makeEngine, inside, wasm, null);
    port.postMessage = (message) => setTimeout(() => inside.onmessage({data: message}));
    return port;
  }

  async function bytes_of(source) {
    if (typeof source === 'function') source = source();
    source = await source;
    if (source instanceof ArrayBuffer) return new Uint8Array(source);
    if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    if (typeof Blob !== 'undefined' && source instanceof Blob) return new Uint8Array(await source.arrayBuffer());
    if (typeof Response !== 'undefined' && source instanceof Response) {
      if (!source.ok) throw new AttendError('io', `${source.url}: the server answers ${source.status}`);
      return new Uint8Array(await source.arrayBuffer());
    }
    const place = String(source);
    if (in_node && !/^(https?|data|blob):/.test(place))
      return new Uint8Array(await require('fs').promises.readFile(place.startsWith('file:') ? new URL(place) : place));
    return bytes_of(fetch(place));
  }

  const name_of = (source) => {
    if (typeof Blob !== 'undefined' && source instanceof Blob) return source.name || 'model';
    if (typeof source === 'string' || source instanceof URL) return String(source).split(/[?#]/)[0].split('/').pop() || 'model';
    return 'model';
  };

  const script_folder = () => {
    if (in_node && typeof __dirname !== 'undefined') return __dirname + '/';
    return new URL('.', api.script || location.href).href;
  };

  // Calls, one after the other, to a worker that can be replaced.
  class Line {
    constructor(wasm, worker) {
      this.wasm = wasm;
      this.worker = worker;
      this.flag = worker && typeof SharedArrayBuffer !== 'undefined' ? new Int32Array(new SharedArrayBuffer(4)) : null;
      this.waiting = [];
      this.current = null;
      this.last = 0;
      this.models = new Map();  // id -> what loads it again
      this.start();
    }
    start() {
      this.port = this.worker ? startWorker(this.wasm, this.flag) : startHere(this.wasm);
      this.port.onmessage = ({data}) => this.receive(data);
      this.port.onerror = (error) => this.receive({id: this.current ? this.current.id : 0, failure: {code: 'other', message: error.message}});
    }
    call(method, argument, {signal, tell, transfer} = {}) {
      return new Promise((resolve, reject) => {
        const job = {id: ++this.last, method, argument, tell, resolve, reject};
        if (signal) {
          if (signal.aborted) return reject(new AttendError('cancelled', 'the call was cancelled'));
          job.abort = () => this.cancel(job);
          signal.addEventListener('abort', job.abort, {once: true});
          job.forget = () => signal.removeEventListener('abort', job.abort);
        }
        this.waiting.push(job);
        this.next();
      });
    }
    next() {
      if (this.current || this.waiting.length === 0) return;
      this.current = this.waiting.shift();
      this.port.busy(true);
      const {id, method, argument} = this.current;
      this.port.postMessage({id, method, argument});
    }
    receive({id, value, failure, event}) {
      const job = this.current;
      if (!job || job.id !== id) return;
      if (event) return job.tell && job.tell(event);
      this.current = null;
      this.port.busy(false);
      if (job.forget) job.forget();
      if (failure) job.reject(new AttendError(failure.code, failure.message));
      else job.resolve(value);
      this.next();
    }
    cancel(job) {
      const cancelled = new AttendError('cancelled', 'the call was cancelled');
      if (this.current !== job) {
        this.waiting = this.waiting.filter((other) => other !== job);
        return job.reject(cancelled);
      }
      if (this.flag) return Atomics.store(this.flag, 0, job.id);
      if (!this.worker || job.method === 'train') return this.port.postMessage({id: job.id, method: 'stop'});
      // Nobody can tell the worker: another takes its place.
      this.port.terminate();
      this.current = null;
      job.reject(cancelled);
      this.start();
      const loads = [];
      for (const [id, source] of this.models)
        loads.push({id: ++this.last, method: 'load', argument: {id, bytes: null, ...source}, resolve: () => {}, reject: () => this.models.delete(id)});
      this.waiting.unshift(...loads);
      this.next();
    }
  }

  const list_of = (texts) => (Array.isArray(texts) ? texts : [texts]);
  const like = (texts, items) => (Array.isArray(texts) ? items : items[0]);

  function settings(options = {}) {
    const {signal, onText, ...rest} = options;
    return [rest, {signal, tell: onText}];
  }

  const written = ({text, score, complete, tokens, tokenScores, alignment}) =>
    ({text, score, complete, tokens, tokenScores, ...(alignment ? {alignment} : {})});
  const with_candidates = ({choices}) => ({...written(choices[0]), candidates: choices.map(written)});

  class Model {
    constructor(line, id, {task, labels, languages}) {
      this.task = task;
      this.labels = labels;
      this.languages = languages;
      this.id = id;
      this.trials = 0;
      this.ask = (method, argument, settings) => line.call(method, {id, ...argument}, settings);
      this.close = () => {
        line.models.delete(id);
        return line.call('close', {id});
      };
    }
    async each(call, texts, options, answer, method = 'ask') {
      const [given, settings_] = settings(options);
      const items = await this.ask(method, {call, texts: list_of(texts), options: given, tells: Boolean(settings_.tell)}, settings_);
      return like(texts, items.map(answer));
    }
    translate(texts, options) {
      return this.each('translate', texts, options, with_candidates);
    }
    generate(prompts, options) {
      return this.each('generate', prompts, options, with_candidates, 'generate');
    }
    classify(texts, options) {
      return this.each('classify', texts, options, ({choices, values}) => ({
        label: choices.length > 0 ? choices[0].label : null,
        probability: choices.length > 0 ? choices[0].score : null,
        labels: choices.map(({label, score}) => ({label, probability: score})),
        outputs: values,
      }));
    }
    tag(texts, options) {
      return this.each('tag', texts, options,
        ({choices}) => choices.map(({text, label, score, span: [begin, end]}) => ({text, label, score, begin, end})), 'tag');
    }
    embed(texts, options) {
      return this.each('embed', texts, options, ({choices, rows, width, values}) =>
        ({vector: values, rows, width, tokens: choices[0].tokens, omitted: choices[0].index}));
    }
    async score(texts, targets, options) {
      const [given, settings_] = settings(options);
      const items = await this.ask('score', {texts: list_of(texts), targets: targets == null ? null : list_of(targets), options: given}, settings_);
      return like(texts, items.map(({choices}) => ({score: choices[0].score, tokenScores: choices[0].tokenScores})));
    }
    async rank(query, documents, options) {
      const [given, settings_] = settings(options);
      const [item] = await this.ask('rank', {query, documents, options: given}, settings_);
      return item.choices.map(({text, score, index}) => ({text, score, index}));
    }
    json(call, text, options) {
      const [given, settings_] = settings(options);
      return this.ask('explore', {call, text, options: given}, settings_);
    }
    explain(text, options) {
      return this.json('explain', text, options);
    }
    explore(text, options) {
      return this.json('explore', text, options);
    }
    inside(text, options) {
      return this.json('explore_inside', text, options);
    }
    async heads(text, options) {
      const {onHead, signal, ...given} = options || {};
      const trials = `${this.id}/${++this.trials}`;
      const stopped = () => {
        if (signal && signal.aborted) throw new AttendError('cancelled', 'the call was cancelled');
      };
      const effects = [];
      const heads = await this.ask('begin_trials', {trials, text, options: given}, {signal});
      try {
        for (let head = 0; head < heads; ++head) {
          stopped();
          effects.push(await this.ask('trial', {trials, head}));
          if (onHead) onHead(effects[head], head, heads);
        }
      } finally {
        await this.ask('end_trials', {trials});
      }
      return effects;
    }
    beam(text, options) {
      return this.json('beam', text, options);
    }
    draw(text, options) {
      return this.json('explore_draw', text, options);
    }
    words(word, texts, options) {
      const [given, settings_] = settings(options);
      return this.ask('words', {texts, options: {...given, word}}, settings_);
    }
  }

  class Attend {
    constructor(line, version) {
      this.line = line;
      this.version = version;
      this.models = 0;
    }
    async load(source, {signal, name = name_of(source)} = {}) {
      const line = this.line, id = ++this.models;
      const bytes = await bytes_of(source);
      const about = await line.call('load', {id, bytes, name}, {signal});
      if (line.worker && !line.flag) line.models.set(id, {bytes, name});
      return new Model(line, id, about);
    }
    async train(task, files, options) {
      const {onProgress, onModel, signal, ...given} = options || {};
      const tell = (event) => {
        const told = event.event === 'model' ? onModel : onProgress;
        if (told) told(event);
      };
      return this.line.call('train', {task, files, options: given, models: Boolean(onModel)}, {signal, tell});
    }
    demo(options = {}) {
      return this.line.call('demo', {options});
    }
    end() {
      this.line.port.terminate();
    }
  }

  async function start({wasm, worker = true} = {}) {
    const bytes = await bytes_of(wasm === undefined ? script_folder() + 'attend.wasm' : wasm);
    const line = new Line(bytes, worker);
    return new Attend(line, await line.call('version'));
  }

  const api = {start, AttendError, script: typeof document === 'object' && document.currentScript ? document.currentScript.src : ''};
  return api;
})();
if (typeof module === 'object' && module.exports) module.exports = attend;
globalThis.attend = attend;
