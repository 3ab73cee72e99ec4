// What pages read of the bytes in them (source/page_text.js), by the cases of core.PageText.
//   node page_text_test.js ROOT
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const root = process.argv[2];
const script = fs.readFileSync(path.join(root, 'src/attend/inspect/attention_page/source/page_text.js'), 'utf8');
const bytesOfText = vm.runInThisContext(`${script}; bytesOfText`);

const cases = fs.readFileSync(path.join(root, 'tests/core/strings/data/page_text_cases.jsonl'), 'utf8').trim().split('\n').map(JSON.parse);
assert.ok(cases.length > 700);
for (const {bytes, text} of cases) assert.strictEqual(Buffer.from(bytesOfText(text)).toString('hex'), bytes);
console.log(`${cases.length} texts`);
