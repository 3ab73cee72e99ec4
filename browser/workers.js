// The module with one thread, or the one with several, in a worker or not; and the calls that wait for it.
//
// A module is {wasm, creating, threads}: its bytes; the text that defines create() in a worker; and of several threads what serveWorker() is given.
const module_of_one = (wasm) => ({wasm, creating: [`'use strict'; var _scriptDir; const create = ${createAttendModule};`], threads: null});

// The other threads are workers, too, made from one text in a page, and from a file in Node.
async function module_of_several(folder, count, memory) {
  const [script, helper, wasm] = ['.js', '.worker.js', '.wasm'].map((ending) => `${folder}attend-threads${ending}`);
  if (in_node) {
    const [script_path, helper_path] = [script, helper].map((file) => (file.startsWith('file:') ? require('url').fileURLToPath(file) : require('path').resolve(file)));
    const creating = `const create = require(${JSON.stringify(script_path)});`;
    return {wasm: await bytes_of(wasm), creating: [creating], threads: {count, memory, script: script_path, helper: helper_path}};
  }
  const [script_text, helper_text, bytes] = await Promise.all([script, helper, wasm].map(bytes_of));
  const others = new Blob([script_text, '\nself.importScripts = () => {};  // it is there\n', helper_text], {type: 'text/javascript'});
  return {wasm: bytes, creating: [script_text, '\nconst create = createAttendModule;'], threads: {count, memory, script: 'attend-threads.js', helper: others}};
}

// Why several threads are not possible; null: they are.
function why_one_thread({wasm, worker}) {
  if (wasm !== undefined) return 'the option wasm names the module of one thread';
  if (!worker) return 'without a worker there is one thread';
  if (typeof SharedArrayBuffer === 'undefined' || globalThis.crossOriginIsolated === false)
    return 'the page is not isolated: its server has to send Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp';
  return null;
}

// A number of threads, as start() is asked for it. "auto": half of the processors, which often are two for one core; at most 4.
function number_of_threads(asked) {
  const processors = in_node ? require('os').cpus().length : navigator.hardwareConcurrency || 1;
  if (asked === 'auto') return Math.min(4, Math.ceil(processors / 2));
  if (Number.isInteger(asked) && asked >= 1 && asked <= 64) return asked;
  throw new AttendError('invalid-argument', `threads: expected "auto" or a whole number from 1 to 64, got ${JSON.stringify(asked)}`);
}

// What the threads share: 32 MB that can grow to 4 GB, or to less where a browser sets less aside. null: it has none.
function shared_memory() {
  for (const maximum of [65536, 32768, 16384]) {
    try {
      return new WebAssembly.Memory({initial: 512, maximum, shared: true});
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return null;
}

function start_worker({wasm, creating, threads}, flag) {
  const given = {wasm, threads, flag};
  const parts = [...creating, `\nconst begin = (port, given) => (${serveWorker})(create, ${makeEngine}, port, given);\n`];
  if (in_node) {
    const {Worker} = require('worker_threads');
    const worker = new Worker(`${parts.join('')}
      const {parentPort, workerData} = require('worker_threads');
      const port = {postMessage: (message) => parentPort.postMessage(message)};
      parentPort.on('message', (data) => port.onmessage({data}));
      begin(port, workerData);`, {eval: true, workerData: given});
    worker.unref();
    const port = {postMessage: (message) => worker.postMessage(message), terminate: () => worker.terminate(),
                  busy: (is) => (is ? worker.ref() : worker.unref())};
    worker.on('message', (data) => port.onmessage({data}));
    worker.on('error', (error) => port.onerror(error));
    return port;
  }
  const url = URL.createObjectURL(new Blob([...parts, 'onmessage = ({data}) => begin(self, data);'], {type: 'text/javascript'}));
  const worker = new Worker(url);
  URL.revokeObjectURL(url);
  worker.postMessage(given);
  worker.busy = () => {};
  return worker;
}

// The same without a worker.
function start_here(wasm) {
  const port = {busy: () => {}, terminate: () => {}};
  const inside = {postMessage: (message) => setTimeout(() => port.onmessage({data: message}))};
  serveWorker(createAttendModule, makeEngine, inside, {wasm, threads: null, flag: null});
  port.postMessage = (message) => setTimeout(() => inside.onmessage({data: message}));
  return port;
}

// Calls, one after the other, to a worker that can be replaced.
class Line {
  constructor(module, worker) {
    this.module = module;
    this.worker = worker;
    this.flag = worker && typeof SharedArrayBuffer !== 'undefined' ? new Int32Array(new SharedArrayBuffer(4)) : null;
    this.waiting = [];
    this.current = null;
    this.last = 0;
    this.models = new Map();  // id -> what loads it again
    this.ended = null;        // why nothing answers
    this.start();
  }
  start() {
    this.port = this.worker ? start_worker(this.module, this.flag) : start_here(this.module.wasm);
    this.port.onmessage = ({data}) => this.receive(data);
    this.port.onerror = ({message}) =>
      this.end(new AttendError('other', message ? `the engine has ended, start another: ${message}` : 'the worker does not start: a content security policy needs worker-src blob:'));
  }
  // Nothing answers from now on.
  end(failure) {
    this.ended ||= failure;
    this.port.terminate();
    for (const job of [this.current, ...this.waiting]) {
      if (job && job.forget) job.forget();
      if (job) job.reject(this.ended);
    }
    this.current = null;
    this.waiting = [];
  }
  call(method, argument, {signal, tell} = {}) {
    return new Promise((resolve, reject) => {
      const job = {id: ++this.last, method, argument, tell, resolve, reject};
      if (this.ended) return reject(this.ended);
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
