// A page in headless Chromium that answers once, by what it writes to its log.
'use strict';
const path = require('path');
const {spawn} = require('child_process');

// What the page at the address answers with answering(work): a value of JSON. `folder` is for what Chromium keeps.
exports.answer_of = (address, folder) => new Promise((resolve, reject) => {
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
    const answer = Buffer.from(found[1], 'base64').toString('utf8');
    if (answer.startsWith('error')) ended(reject, new Error(answer));
    else ended(resolve, JSON.parse(answer));
  });
});

// The script of a page that answers what the function work() resolves with.
exports.answering = (work) => `(${work})().then((answer) => JSON.stringify(answer), (error) => 'error: ' + error.stack)
  .then((text) => console.log('ANSWER ' + btoa(unescape(encodeURIComponent(text))) + ' END'));`;
