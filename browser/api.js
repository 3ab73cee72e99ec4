// attend for JavaScript, as attend.d.ts describes it.
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
  constructor(line, {version, threads, whyOneThread}) {
    this.line = line;
    this.version = version;
    this.threads = threads;
    this.whyOneThread = whyOneThread;
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
    this.line.end(new AttendError('cancelled', 'the engine was ended'));
  }
}

async function start({wasm, worker = true, threads = 1, folder} = {}) {
  const place = folder_of(folder);
  let count = number_of_threads(threads), reason = null, memory = null;
  if (count > 1) reason = why_one_thread({wasm, worker});
  if (count > 1 && reason === null) {
    memory = shared_memory();
    if (memory === null) reason = 'the browser has no memory for several threads';
  }
  if (memory === null) count = 1;
  const module = memory === null ? module_of_one(await bytes_of(wasm === undefined ? place + 'attend.wasm' : wasm)) : await module_of_several(place, count, memory);
  const line = new Line(module, worker);
  return new Attend(line, {version: await line.call('version'), threads: count, whyOneThread: reason});
}

const api = {start, AttendError, script: typeof document === 'object' && document.currentScript ? document.currentScript.src : ''};
