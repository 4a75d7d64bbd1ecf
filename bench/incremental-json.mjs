// Shows that reading a streamed call costs the same per megabyte however long it gets: one `content` field in deltas of
// 20 bytes, from the first delta to the parsed value. Each figure comes from a process of its own, so that peak memory
// is that of one run. Parsing all text so far at each delta, the usual way, is measured at the smallest size only.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { importSource } from './bundle-source.mjs';

const MB = 1_000_000;
const SIZES = [0.6, 1.25, 2.5, 5];
const DELTA_BYTES = 20;
const RUNS = 5;
const READS = 100; // of the partial input on the way, as a screen does

const [how, size] = process.argv.slice(2);
if (how === undefined) report();
else console.log(JSON.stringify(await measure(how, Number(size))));

function report() {
  console.log(`One \`content\` field in ${DELTA_BYTES}-byte deltas; median of ${RUNS} runs, Node ${process.version}\n`);
  console.log(`| reader | MB | deltas | ms | ms per MB | ms with ${READS} reads of the partial input | peak RSS, MB |`);
  console.log('|---|--:|--:|--:|--:|--:|--:|');
  for (const megabytes of SIZES) {
    const plain = medianRun('incremental', megabytes);
    row('incremental', plain, medianRun('incremental-read', megabytes).ms.toFixed(0));
  }
  row('parse all text at each delta', runAlone('naive', SIZES[0]), '');
}

function row(reader, { megabytes, deltas, ms, peakMB, startMB }, msWithReads) {
  const cells = [reader, megabytes, deltas, ms.toFixed(0), (ms / megabytes).toFixed(1), msWithReads];
  console.log(`| ${cells.join(' | ')} | ${peakMB.toFixed(0)} (${startMB.toFixed(0)} before) |`);
}

function medianRun(way, megabytes) {
  const runs = Array.from({ length: RUNS }, () => runAlone(way, megabytes));
  return runs.sort((a, b) => a.ms - b.ms)[Math.floor(RUNS / 2)];
}

function runAlone(way, megabytes) {
  const output = execFileSync(process.execPath, [fileURLToPath(import.meta.url), way, String(megabytes)]);
  return JSON.parse(output.toString());
}

async function measure(way, megabytes) {
  const { PartialJson } = await importSource('src/platform/text/partial-json.ts');
  const deltas = split(writeCall(megabytes * MB));
  const startMB = process.resourceUsage().maxRSS / 1024;
  const started = performance.now();
  const value = way === 'naive' ? parseAnew(deltas) : readIncrementally(deltas, new PartialJson(), way);
  const ms = performance.now() - started;
  if (value.file_path !== 'src/generated.ts') throw new Error('the value that was read is not the one that was sent');
  return { megabytes, deltas: deltas.length, ms, startMB, peakMB: process.resourceUsage().maxRSS / 1024 };
}

function readIncrementally(deltas, json, way) {
  const every = way === 'incremental-read' ? Math.ceil(deltas.length / READS) : Number.POSITIVE_INFINITY;
  let shown = 0;
  for (const [index, delta] of deltas.entries()) {
    json.push(delta);
    if ((index + 1) % every === 0) shown += json.value?.content?.length ?? 0;
  }
  const result = json.finish();
  if (!result.ok) throw new Error(result.error.reason);
  return { ...result.value, shown };
}

function parseAnew(deltas) {
  let text = '';
  let value = {};
  for (const delta of deltas) {
    text += delta;
    for (const end of ['"}', '']) {
      try {
        value = JSON.parse(text + end);
        break;
      } catch {
        // Cut in the middle of a name or an escape: the last value stands.
      }
    }
  }
  return value;
}

/** The input of a call that writes a file: source text with its quotes, line ends and a few wide characters escaped or not. */
function writeCall(bytes) {
  const line = '  const größe = measure("a\tb", { depth: 3 }); // → 日本語 😀\n';
  const perLine = Buffer.byteLength(JSON.stringify(line)) - 2;
  return JSON.stringify({ file_path: 'src/generated.ts', content: line.repeat(Math.ceil(bytes / perLine)) });
}

/** Cut by bytes and decoded as a stream is, so that a delta may end within a character. */
function split(text) {
  const bytes = Buffer.from(text);
  const decoder = new TextDecoder();
  const deltas = [];
  for (let at = 0; at < bytes.length; at += DELTA_BYTES) {
    deltas.push(decoder.decode(bytes.subarray(at, at + DELTA_BYTES), { stream: true }));
  }
  return deltas;
}
