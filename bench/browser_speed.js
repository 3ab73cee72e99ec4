// How fast attend is in Node, and the program with one thread beside it:
//   node bench/browser_speed.js build/wasm/attend.js MODEL SOURCES PROGRAM
// Times are the best of several, since other programs can only slow them down. Tokens are counted per second of processor time.
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
  for (const instructions of ['SSE4', '']) {
    const least = (lines) => Math.min(...[1, 2, 3].map(() => program_time(lines, instructions)));
    console.log(`the program, one thread, ${instructions || 'all instructions'}: ${rate(least(sources) - least(sources.slice(0, 1)))}`);
  }
  console.log(os.cpus()[0].model);
})();
