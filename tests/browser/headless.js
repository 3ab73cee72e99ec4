// A page in a headless browser that answers once.
'use strict';
const path = require('path');
const {promisify} = require('util');
const {execFile, spawn} = require('child_process');

function value_of(answer) {
  if (answer.startsWith('error')) throw new Error(answer);
  return JSON.parse(answer);
}

// By what the page writes to its log.
const answer_in_chromium = (address, folder) => new Promise((resolve, reject) => {
  const browser = spawn('chromium', ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--enable-logging=stderr',
    `--user-data-dir=${path.join(folder, 'chromium')}`, address]);
  const ended = (use, value) => {
    clearTimeout(late);
    browser.kill('SIGKILL');
    browser.stderr.destroy();
    use(value);
  };
  const late = setTimeout(() => ended(reject, new Error(`Chromium does not answer: ${said.slice(-2000)}`)), 300000);
  let said = '';
  browser.stderr.on('data', (more) => {
    said += more;
    const found = said.match(/ANSWER ([A-Za-z0-9+/=]*) END/);
    if (!found) return;
    ended(resolve, Buffer.from(found[1], 'base64').toString('utf8'));
  });
});

async function answer_in_firefox(address, folder) {
  return (await promisify(execFile)('python3', [path.join(__dirname, 'firefox.py'), address, folder], {maxBuffer: 1e8})).stdout;
}

const browsers = {chromium: answer_in_chromium, firefox: answer_in_firefox};

// What the page at the address answers with answering(work): a value of JSON. `folder` is for what the browser keeps.
exports.answer_of = async (address, folder, browser = 'chromium') => value_of(await browsers[browser](address, folder));

// The script of a page that answers what the function work() resolves with.
exports.answering = (work) => `(${work})().then((answer) => JSON.stringify(answer), (error) => 'error: ' + error.stack)
  .then((text) => {
    window.answer = text;
    console.log('ANSWER ' + btoa(unescape(encodeURIComponent(text))) + ' END');
  });`;
