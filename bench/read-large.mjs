// Reads pages of a text file that is far larger than memory should ever be asked for: the first one, one in the middle,
// and one behind the end. Each figure comes from a process of its own, so that peak memory is that of one call.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importSource } from './bundle-source.mjs';

const WANTED_BYTES = 5_000_000_000;
const KEPT_FREE_BYTES = 2_000_000_000; // leaves space for other users of the disk
const LINE_BYTES = 80;
const CHUNK_LINES = 100_000;

const [file, offset] = process.argv.slice(2);
if (file === undefined) await report();
else console.log(JSON.stringify(await measure(file, Number(offset))));

async function report() {
  const folder = mkdtempSync(join(tmpdir(), 'helve-bench-'));
  try {
    const path = join(folder, 'large.log');
    const { bavail, bsize } = statfsSync(folder);
    const lines = await writeLines(
      path,
      Math.min(WANTED_BYTES, Math.max(bavail * bsize - KEPT_FREE_BYTES, LINE_BYTES)),
    );
    const gigabytes = ((lines * LINE_BYTES) / 1e9).toFixed(1);
    console.log(`### Read of a file of ${gigabytes} GB, ${lines} lines (Node ${process.versions.node})\n`);
    console.log('| page | ms | peak RSS, MB (before the call) |\n|---|--:|--:|');
    for (const [name, first] of [
      ['the first', 1],
      ['in the middle', Math.floor(lines / 2)],
      ['behind the end', lines + 1],
    ]) {
      const output = execFileSync(process.execPath, [fileURLToPath(import.meta.url), path, String(first)]);
      const { ms, startMB, peakMB } = JSON.parse(output.toString());
      console.log(`| ${name} | ${ms.toFixed(0)} | ${peakMB.toFixed(0)} (${startMB.toFixed(0)}) |`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Lines of one length, of which each tells its number. */
async function writeLines(path, bytes) {
  const lines = Math.floor(bytes / LINE_BYTES);
  const handle = await open(path, 'w');
  try {
    for (let first = 1; first <= lines; first += CHUNK_LINES) {
      const count = Math.min(CHUNK_LINES, lines - first + 1);
      const text = Array.from({ length: count }, (_, index) => lineOf(first + index)).join('');
      await handle.write(text);
    }
  } finally {
    await handle.close();
  }
  return lines;
}

function lineOf(number) {
  return `${`line ${number} `.padEnd(LINE_BYTES - 1, 'x')}\n`;
}

async function measure(path, first) {
  const { temporaryProject } = await importSource('src/testing/temporary-project.ts');
  const { readTool } = await importSource('src/tools/read.ts');
  const project = await temporaryProject();
  try {
    const startMB = process.resourceUsage().maxRSS / 1024;
    const started = performance.now();
    const { content, isError } = await project.run(readTool, { file_path: path, offset: first, limit: 100 });
    const ms = performance.now() - started;
    const expected =
      content.startsWith(`${first}\tline ${first} `) || content.includes('so there is nothing at offset');
    if (isError || !expected) throw new Error(`The page is not the one that was asked for: ${content.slice(0, 200)}`);
    return { ms, startMB, peakMB: process.resourceUsage().maxRSS / 1024 };
  } finally {
    await project.remove();
  }
}
