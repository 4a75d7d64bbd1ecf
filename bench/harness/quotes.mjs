// Files that quote calls written as text, as a model quotes them after it has read them: none may become a call. By hand:
//
//   node bench/harness/quotes.mjs CLONE [--show]
//
// CLONE is a clone of any repository with such files; vllm-project/vllm (Apache-2.0) has the tests of its parsers. A file
// counts if Helve reads calls in some part of it when nothing is known of the file.
import { parseArgs } from 'node:util';
import { importSource } from '../bundle-source.mjs';
import { openClone } from './clone.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { show: { type: 'boolean', default: false } },
});
const [path] = positionals;
if (path === undefined) {
  console.error('Name a clone: node bench/harness/quotes.mjs CLONE');
  process.exit(2);
}
const { recoverCalls } = await importSource('src/models/wire/chat/text-calls/recover-calls.ts');
const { quotedIn } = await importSource('src/models/wire/chat/text-calls/quoted-text.ts');
const { taggedFormats } = await importSource('src/models/wire/chat/text-calls/formats.ts');

const MAX_CHARS = 200_000; // of a file; a longer one is not read whole by a model
const openings = Object.values(taggedFormats).flatMap((format) => format.openings);
// Names as calls of all formats have them, so that the tools of every quoted call are offered.
const NAME =
  /"name"\s*:\s*"([\w.-]{1,64})"|<function=([\w.-]{1,64})|invoke name="([\w.-]{1,64})|functions\.([\w-]{1,64})|\[TOOL_CALLS\]([\w.-]{1,64})|<tool_call>\s*([\w.-]{1,64})|tool▁sep｜>([\w.-]{1,64})|\b([\w.]{1,64})\(\w+\s*=/g;

const clone = openClone(path);
const totals = { files: 0, quotations: 0, recovered: 0 };
const texts = clone.files.filter((file) => /\.(py|md|rst|txt|jinja|json|js|ts|rs|go)$/.test(file));
for await (const { name, text } of clone.texts(texts)) {
  if (text === undefined || text.length > MAX_CHARS || !openings.some((opening) => text.includes(opening))) continue;
  const names = [...text.matchAll(NAME)].flatMap((match) => match.slice(1).filter(Boolean));
  const tools = [...new Set(names)].map((each) => ({ name: each, input_schema: { type: 'object' } }));
  const quotations = quotationsOf(text).filter((part) => recoverCalls(part, tools).calls.length > 0);
  if (quotations.length === 0) continue;
  totals.files += 1;
  const isQuoted = quotedIn(asRead(text), []);
  for (const quotation of quotations) {
    totals.quotations += 1;
    const { calls } = recoverCalls(quotation, tools, isQuoted);
    if (calls.length === 0) continue;
    totals.recovered += 1;
    if (options.show) console.log(`${name}  ${JSON.stringify(quotation).slice(0, 200)}`);
  }
}
console.log(`${path} at ${clone.commit.slice(0, 12)} (${clone.licence})`);
console.log(
  `${totals.files} files with calls in text, ${totals.quotations} quotations that would be calls by themselves`,
);
console.log(`recovered from a model that has read the file: ${totals.recovered}`);

/** What a model may repeat of a file: each passage that begins with an opening, and the value of each text in the code. */
function quotationsOf(text) {
  const parts = new Set();
  for (const opening of openings) {
    for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, at + 1)) {
      const rest = text.slice(at, at + 2000);
      const closing = opening.startsWith('<') ? opening.replace(/^<(\|?)/, '</$1') : '\n\n';
      const end = rest.indexOf(closing);
      if (end >= 0) parts.add(rest.slice(0, end + closing.length).trim());
      parts.add(rest.split(/\n\s*\n|"""|'''/, 1)[0].trim());
    }
  }
  for (const [, inside] of text.matchAll(/"""(.{1,2000}?)"""/gs)) parts.add(inside.trim());
  for (const [whole] of text.matchAll(/'(?:[^'\\\n]|\\.){10,2000}'|"(?:[^"\\\n]|\\.){10,2000}"/g)) {
    parts.add(
      whole
        .slice(1, -1)
        .replaceAll('\\n', '\n')
        .replaceAll(/\\(["'\\])/g, '$1'),
    );
  }
  return [...parts];
}

/** A conversation in which the file was read, as Read shows it. */
function asRead(text) {
  const content = text
    .split('\n')
    .map((line, index) => `${index + 1}\t${line}`)
    .join('\n');
  return [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content }] }];
}
