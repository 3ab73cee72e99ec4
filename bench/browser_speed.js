// How fast attend is in Node with one thread and with several, and the program with one thread beside it:
//   node bench/browser_speed.js build/wasm/attend.js MODEL SOURCES PROGRAM
// Times are the best of several, since other programs can only slow them down. Tokens are counted per second of processor time; with several threads
// per second, in alternation, of which the median is printed.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const {spawnSync} = require('child_process');

const [script, file, source_file, program] = process.argv.slice(2);
const attend = require(path.resolve(script));
const sources = fs.readFileSync(source_file, 'utf8').trim().split('\n').slice(0, 500);

async function best(times, work, clock = () => performance.now()) {
  let least = Infinity;
  for (let i = 0; i < times; ++i) {
    const begin = clock();
    await work();
    least = Math.min(least, clock() - begin);
  }
  return least;
}

const processor_time = () => {
  const {user, system} = process.cpuUsage();
  return (user + system) / 1000;
};

async function compare_threads() {
  const counts = [1, 2, 4], rates = counts.map(() => []);
  const engines = await Promise.all(counts.map((threads) => attend.start({threads})));
  const models = await Promise.all(engines.map((engine) => engine.load(file)));
  for (let round = 0; round < 9; ++round) {
    for (const [i, model] of models.entries()) {
      const begin = performance.now();
      const tokens = (await model.translate(sources)).reduce((sum, {tokens}) => sum + tokens.length + 1, 0);
      rates[i].push((1000 * tokens) / (performance.now() - begin));
    }
  }
  const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
  counts.forEach((count, i) => {
    const ratio = median(rates[i].map((rate, round) => rate / rates[0][round]));
    console.log(`threads: ${count}: ${Math.round(median(rates[i]))} tokens/s, ${ratio.toFixed(2)} times that of one`);
  });
  for (const engine of engines) engine.end();
}

// Milliseconds of the processor that the program takes for these lines
function program_time(lines, instructions) {
  const environment = {...process.env, TIMEFORMAT: '%U %S'};
  if (instructions) environment.ATTEND_INSTRUCTIONS = instructions;
  const {stderr} = spawnSync('bash', ['-c', 'time "$0" translate "$1" --threads 1 >/dev/null 2>&1', program, file],
    {input: lines.join('\n') + '\n', env: environment, encoding: 'utf8'});
  const [user, system] = stderr.trim().split(' ').map(Number);
  return 1000 * (user + system);
}

(async () => {
  const start = await best(7, async () => (await attend.start()).end());
  const engine = await attend.start();
  const load = await best(7, async () => (await engine.load(file)).close());
  const model = await engine.load(file);
  const sentence = await best(50, () => model.translate(sources[0]));
  let tokens = 0;
  const all = await best(3, async () => {
    tokens = (await model.translate(sources)).reduce((sum, {tokens}) => sum + tokens.length + 1, 0);
  }, processor_time);
  engine.end();
  const rate = (milliseconds) => `${Math.round((1000 * tokens) / milliseconds)} tokens/s`;
  console.log(`start ${start.toFixed(0)} ms, load ${load.toFixed(0)} ms, a sentence ${sentence.toFixed(1)} ms, ${sources.length} sentences ${rate(all)}`);
  if (fs.existsSync(script.replace(/\.js$/, '-threads.js'))) await compare_threads();
  for (const instructions of ['SSE4', '']) {
    const least = (lines) => Math.min(...[1, 2, 3].map(() => program_time(lines, instructions)));
    console.log(`the program, one thread, ${instructions || 'all instructions'}: ${rate(least(sources) - least(sources.slice(0, 1)))}`);
  }
  console.log(os.cpus()[0].model);
})();
