// What runs beside the WebAssembly, in a worker or not. Nothing here needs anything from around it, so that its text can become a worker.

// A function that calls the library: engine(method, argument, tell). `asked()`: whether the call is to end; `rest`, where only messages tell that:
// waits for them.
function makeEngine(module, asked, rest) {
  const codes = ['ok', 'invalid-argument', 'config', 'data', 'io', 'cancelled', 'memory', 'diverged', 'other'];
  const models = new Map();
  const cancellation = module._attend_cancellation_asking(module.addFunction(() => (asked() ? 1 : 0), 'i'));
  let files = 0;

  // Memory as numbers. Any thread may have made it grow, of which the module then knows nothing here.
  let views = {};
  function memory() {
    const {buffer} = module.wasmMemory || module.HEAPU8;
    if (views.buffer !== buffer)
      views = {buffer, words: new Uint32Array(buffer), whole: new Int32Array(buffer), floats: new Float32Array(buffer), doubles: new Float64Array(buffer)};
    return views;
  }
  const word_at = (pointer) => memory().words[pointer >>> 2];
  const floats_at = (pointer, count) => memory().floats.slice(pointer >>> 2, (pointer >>> 2) + count);

  function allocated(bytes) {
    const pointer = module._malloc(bytes);
    if (pointer === 0) throw {code: 'memory', message: `out of memory: ${bytes} bytes requested`};
    return pointer;
  }

  const text_at = (pointer) => (pointer === 0 ? '' : module.UTF8ToString(pointer));

  // use(pointer, bytes) with a text as UTF-8
  function with_text(text, use) {
    const bytes = module.lengthBytesUTF8(text);
    const pointer = allocated(bytes + 1);
    module.stringToUTF8(text, pointer, bytes + 1);
    try {
      return use(pointer, bytes);
    } finally {
      module._free(pointer);
    }
  }

  // use(error), and the error that it stores
  function checked(use) {
    const error = allocated(4);
    memory().words[error >>> 2] = 0;
    try {
      const value = use(error);
      const found = word_at(error);
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
    const count = allocated(16);
    const value = call(count);
    const numbers = [word_at(count), word_at(count + 8)];
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
    if (scores !== 0) found.tokenScores = floats_at(scores, count);
    const [pairs, words] = counted((to) => module._attend_result_alignment(...place, to));
    if (pairs !== 0)
      found.alignment = Array.from({length: words}, (_, i) => [0, 1].map((side) => memory().whole[(pairs >>> 2) + 2 * i + side]));
    const [has_span, begin] = counted((to) => module._attend_result_span(...place, to, to + 8));
    if (has_span !== 0) found.span = [begin, counted((to) => module._attend_result_span(...place, to + 8, to))[1]];
    return found;
  }

  function item_of(result, item) {
    const found = {choices: []};
    const choices = Number(module._attend_result_choices(result, BigInt(item)));
    for (let i = 0; i < choices; ++i) found.choices.push(choice_of(result, item, i));
    const [values, rows, width] = counted((to) => module._attend_result_vectors(result, BigInt(item), to, to + 8));
    if (values !== 0) Object.assign(found, {rows, width, values: floats_at(values, rows * width)});
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
    const number = (offset) => memory().doubles[(pointer + offset) >>> 3], whole = (offset) => word_at(pointer + offset);
    const about = {event: ['', 'step', 'validation', 'note'][whole(0)]};
    if (about.event === 'note') return {...about, note: text_at(whole(88))};
    Object.assign(about, {step: whole(8), epoch: whole(16), loss: number(24), nll: number(32), seconds: number(80)});
    if (about.event === 'step')
      return {...about, learningRate: number(40), gradientNorm: number(48), tokens: whole(56), tokensPerSecond: number(72)};
    about.best = whole(4) !== 0;
    about.metrics = {};
    for (let i = 0; i < whole(96); ++i)
      about.metrics[text_at(word_at(whole(104) + 4 * i))] = memory().doubles[(whole(108) >>> 3) + i];
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
    // There are no more threads than those that all calls share.
    const {threads, ...others} = options;
    if (threads > 1) options = others;
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

// In a worker: answers messages. `flag`: where a page says which call is to end; null: it sends a message. `threads`: null of the module with one,
// otherwise {count, memory: what they share, script: of the module, helper: that of the other threads, a path or a Blob}.
function serveWorker(createModule, makeEngine, port, {wasm, threads, flag}) {
  let engine = null, current = 0, stopped = 0, ended = null;
  const asked = () => stopped === current || (flag !== null && Atomics.load(flag, 0) === current);
  const rest = flag !== null ? null : () => new Promise((resolve) => setTimeout(resolve));
  const about = {wasmBinary: wasm};
  if (threads !== null) {
    const helper = typeof threads.helper === 'string' ? threads.helper : URL.createObjectURL(threads.helper);
    Object.assign(about, {processors: threads.count, wasmMemory: threads.memory, mainScriptUrlOrBlob: threads.script,
                          locateFile: (name) => (name.endsWith('.worker.js') ? helper : name)});
  }
  const started = createModule(about).then((module) => { engine = makeEngine(module, asked, rest); });
  port.onmessage = async ({data: {id, method, argument}}) => {
    if (method === 'stop') {
      stopped = id;
      return;
    }
    if (ended !== null) return port.postMessage({id, failure: ended});
    try {
      await started;
      current = id;
      const value = await engine(method, argument, (event) => port.postMessage({id, event}));
      port.postMessage({id, value});
    } catch (failure) {
      const message = String(failure.message || failure);
      // Where the module has stopped in the middle of a call, what it has in memory is of no use.
      if (engine !== null && failure instanceof WebAssembly.RuntimeError) ended = {code: 'other', message: `the engine has ended, start another: ${message}`};
      // JavaScript has no more memory: of arrays and texts it says only that they are too long.
      const short = failure instanceof RangeError && !/stack/.test(message);
      port.postMessage({id, failure: ended || {code: failure.code || (short ? 'memory' : 'other'), message: short ? `out of memory: ${message}` : message}});
    }
  };
}
