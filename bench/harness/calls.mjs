// Calls that models wrote as text: how many Helve recovers, and how often it recovers one that is not there. By hand:
//
//   node bench/harness/calls.mjs RESULTS GORILLA [--show]
//
// RESULTS is a clone of HuanzhiMao/BFCL-Result (no licence stated: read, never copied), which has the recorded answers of
// 71 models of 2024 to the Berkeley Function Calling Leaderboard and the leaderboard's judgement of each. GORILLA is a
// clone of ShishirPatil/gorilla (Apache-2.0), which has the tools and the right calls. Only answers in text count; models
// with calls of their own are left out.
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { importSource } from '../bundle-source.mjs';
import { jsonLines, plainName, readCases } from './bfcl.mjs';
import { openClone } from './clone.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { show: { type: 'boolean', default: false } },
});
const [results, gorilla] = positionals;
if (gorilla === undefined) {
  console.error('Name two clones: node bench/harness/calls.mjs BFCL-RESULT GORILLA');
  process.exit(2);
}
const { recoverCalls } = await importSource('src/models/wire/chat/text-calls/recover-calls.ts');

const { textCallFamilies } = await importSource('src/models/catalogue/catalogue-data.ts');

const SNAPSHOT = '2024-08-11';
// The leaderboard renamed its sets: then, and now.
const SETS = {
  simple: 'simple_python',
  multiple_function: 'multiple',
  parallel_function: 'parallel',
  parallel_multiple_function: 'parallel_multiple',
  relevance: 'irrelevance',
};

const answersAt = openClone(results);
const casesAt = openClone(gorilla);
const cases = await readCases(casesAt, Object.values(SETS));
const byFormat = new Map();
const totals = {
  right: 0,
  recovered: 0,
  rightMarked: 0,
  recoveredMarked: 0,
  different: 0,
  decoded: 0,
  same: 0,
  other: 0,
  none: 0,
  unread: 0,
  invented: 0,
};
const models = new Set();

for (const [then, now] of Object.entries(SETS)) {
  const recorded = new RegExp(`^${SNAPSHOT}/result/([^/]+)/gorilla_openfunctions_v1_test_${then}_result\\.json$`);
  const files = answersAt.files.filter((file) => recorded.test(file));
  const judged = files.map((file) => `${SNAPSHOT}/score/${recorded.exec(file)[1]}/${then}_score.json`);
  const wrong = new Map();
  for await (const { name, text } of answersAt.texts(judged)) {
    if (text === undefined) continue;
    const [, ...failed] = jsonLines(text);
    wrong.set(name, new Map(failed.map((entry) => [entry.prompt?.id ?? `relevance_${entry.id - 1}`, entry])));
  }
  for await (const { name, text } of answersAt.texts(files)) {
    const model = recorded.exec(name)[1];
    const failures = wrong.get(`${SNAPSHOT}/score/${model}/${then}_score.json`);
    if (text === undefined || failures === undefined) continue;
    for (const { id, result } of jsonLines(text)) {
      if (typeof result !== 'string') continue;
      const known = cases.get(id.replace(then, now));
      if (known === undefined) continue;
      models.add(model);
      judge(model, known, result, failures.get(id), then === 'relevance');
    }
  }
}

function judge(model, { id, tools, expected }, text, failure, needsNoCall) {
  // Some models were shown names with dots, which tools of an agent never have.
  const named = text.replaceAll('\\_', '_');
  const offered = tools.map((tool) => (named.includes(tool.shownName) ? { ...tool, name: tool.shownName } : tool));
  const { calls, format, text: before } = recoverCalls(text, offered);
  const found = calls.map(({ name, json }) => ({ name: plainName(name), input: inputOf(json) }));
  if (needsNoCall) {
    if (failure !== undefined) return; // the model did write a call
    totals.none += 1;
    if (found.length === 0) return;
    const isOnlyCall = before.trim() === '';
    totals[isOnlyCall ? 'unread' : 'invented'] += 1;
    show(isOnlyCall ? 'only a call' : 'invented', model, id, text, found);
  } else if (failure === undefined) {
    totals.right += 1;
    if (isMarked(model)) totals.rightMarked += 1;
    count(format ?? formatOf(text), found.length > 0);
    if (found.length === 0) return show('not recovered', model, id, text, found);
    totals.recovered += 1;
    if (isMarked(model)) totals.recoveredMarked += 1;
    if (sameAsExpected(found, expected)) return;
    totals.different += 1;
    show('different', model, id, text, found);
  } else if (Array.isArray(failure.model_result_decoded) && found.length > 0) {
    const decoded = decodedCalls(failure.model_result_decoded);
    if (decoded === undefined) return;
    totals.decoded += 1;
    if (isDeepStrictEqual(found.map(plain), decoded.map(plain))) {
      totals.same += 1;
      return;
    }
    totals.other += 1;
    show('other than decoded', model, id, text, found);
  }
}

console.log(`HuanzhiMao/BFCL-Result ${answersAt.commit.slice(0, 12)} (${answersAt.licence}), ${SNAPSHOT}`);
console.log(`ShishirPatil/gorilla ${casesAt.commit.slice(0, 12)} (${casesAt.licence})`);
console.log(`${models.size} models that answered in text`);
console.log(
  `right calls written as text: ${totals.right}, recovered ${totals.recovered} (${percent(totals.recovered, totals.right)})`,
);
console.log(
  `  of the families that the catalogue marks: ${totals.rightMarked}, recovered ${totals.recoveredMarked} (${percent(totals.recoveredMarked, totals.rightMarked)})`,
);
console.log(`  of those recovered, ${totals.different} differ from the answers that count as right now`);
console.log(
  `other calls that the leaderboard could read: ${totals.decoded} recovered, ${totals.other} of them otherwise than it read them`,
);
console.log(
  `answers in which the leaderboard read no call: ${totals.none}; ${totals.unread} are nothing but a call in another form, and Helve recovers it`,
);
console.log(`  recovered from the others: ${totals.invented} (${percent(totals.invented, totals.none)})`);
console.log('format                    written  recovered');
for (const [format, { written, recovered }] of [...byFormat].sort(([, a], [, b]) => b.written - a.written)) {
  console.log(`${format.padEnd(24)}  ${String(written).padStart(7)}  ${String(recovered).padStart(9)}`);
}

/** Whether Helve reads calls in the text of this model when it runs on a local server: the names here begin with a vendor. */
function isMarked(model) {
  const words = model.toLowerCase().replace(/^(?:open-|[^_]+_)/, '');
  return textCallFamilies.some((family) => words.startsWith(family));
}

function count(format, isRecovered) {
  const entry = byFormat.get(format) ?? { written: 0, recovered: 0 };
  byFormat.set(format, { written: entry.written + 1, recovered: entry.recovered + (isRecovered ? 1 : 0) });
}

/** What an answer looks like that was not recovered. */
function formatOf(text) {
  const start = text.trim();
  if (start.includes('<tool_call>')) return 'hermes, not recovered';
  if (start.includes('```')) return 'fenced, not recovered';
  if (/^\[\s*[\w.]+\(/.test(start)) return 'pythonic, not recovered';
  if (/^[[{]/.test(start)) return 'JSON, not recovered';
  if (/^[\w.]+\(/.test(start)) return 'a bare expression';
  return 'among prose';
}

function sameAsExpected(found, expected) {
  if (found.length !== expected.length) return false;
  const left = [...expected];
  return found.every((call) => {
    const at = left.findIndex((wanted) => matches(call, wanted));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** Each argument has one of its right values; one whose values include "" may be left out. */
function matches({ name, input }, { name: wanted, values }) {
  if (name !== wanted || typeof input !== 'object' || input === null) return false;
  const isPresent = ([field, right]) => field in input || right.includes('');
  return (
    Object.entries(values).every(isPresent) &&
    Object.entries(input).every(([field, value]) => values[field]?.some((right) => isSame(value, right)))
  );
}

function isSame(value, right) {
  if (typeof value === 'string' && typeof right === 'string') return folded(value) === folded(right);
  if (Array.isArray(value) && Array.isArray(right)) {
    return value.length === right.length && value.every((item, at) => isSame(item, right[at]));
  }
  if (typeof value === 'object' && value !== null && typeof right === 'object' && right !== null) {
    return Object.entries(value).every(([field, inner]) =>
      [right[field]].flat().some((choice) => isSame(inner, choice)),
    );
  }
  return value === right;
}

/** As the leaderboard compares texts. */
function folded(text) {
  return text.toLowerCase().replaceAll(/[ ,./\-_*^'"]/g, '');
}

function decodedCalls(decoded) {
  const calls = decoded.flatMap((call) => (typeof call === 'object' && call !== null ? Object.entries(call) : []));
  return calls.length > 0 ? calls.map(([name, input]) => ({ name, input })) : undefined;
}

function plain({ name, input }) {
  return { name: plainName(name), input };
}

function inputOf(json) {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function show(what, model, id, text, found) {
  if (!options.show) return;
  console.log(
    `${what}  ${model}  ${id}  ${JSON.stringify(text).slice(0, 300)}  ${JSON.stringify(found).slice(0, 300)}`,
  );
}

function percent(part, whole) {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(2)} %`;
}
