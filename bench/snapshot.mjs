// Measures what undo costs a command: examining the workspace before and after it. The first calls also copy files that
// have no copy yet, for at most 200 ms each; `calls until covered` counts these calls. The second row of each size is the
// work that is done in advance, while no call waits for it.
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importSource } from './bundle-source.mjs';

const SIZES = [200, 5_000, 50_000];
const FILES_PER_FOLDER = 50;
const LINES = 90; // about 4 kB
const RUNS = 10;
const MOST_CALLS = 50; // a workspace that takes longer to look through than a command waits is never covered as a whole

const { createWorkspaceSnapshots } = await importSource('src/platform/snapshots/workspace-snapshot.ts');
console.log(
  `### Snapshot around a command (Node ${process.versions.node}, median of ${RUNS} calls once all is covered)\n`,
);
console.log(
  '| files | done ahead for, ms | first before, ms | calls until covered | before, ms | after one change, ms | after none, ms |\n|--:|--:|--:|--:|--:|--:|--:|',
);
for (const files of SIZES) for (const isAhead of [false, true]) await row(files, isAhead);

async function row(files, isAhead) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'helve-bench-snapshot-')));
  const root = join(folder, 'project');
  try {
    makeTree(root, files);
    const snapshots = createWorkspaceSnapshots({
      roots: () => [root],
      dataFolder: join(folder, 'helve'),
      sessionId: 'bench',
    });
    const changed = join(root, 'package0', 'module0', 'file0.ts');
    let calls = 0;
    const around = async (work) => {
      calls += 1;
      const started = performance.now();
      const { notYet, unseen, notCovered } = await snapshots.before(`call_${calls}`);
      const before = performance.now() - started;
      if (notCovered) throw new Error(notCovered);
      work();
      const again = performance.now();
      await snapshots.after(`call_${calls}`);
      return { before, after: performance.now() - again, notYet, unseen };
    };
    const begun = performance.now();
    const awake = setInterval(() => {}, 1_000); // work that is done ahead keeps no process from ending
    if (isAhead) await snapshots.prepare();
    clearInterval(awake);
    const ahead = performance.now() - begun;
    const first = await around(() => {});
    for (let last = first; last.notYet + last.unseen > 0 && calls < MOST_CALLS; ) last = await around(() => {});
    const covered = calls;
    const [idle, busy] = [[], []];
    for (let run = 0; run < RUNS; run += 1) {
      idle.push(await around(() => {}));
      busy.push(await around(() => appendFileSync(changed, '// more\n')));
    }
    const cells = [
      ahead,
      first.before,
      covered,
      median(idle.map(({ before }) => before)),
      median(busy.map(({ after }) => after)),
      median(idle.map(({ after }) => after)),
    ];
    console.log(`| ${files} | ${cells.map((cell) => cell.toFixed(cell < 10 ? 1 : 0)).join(' | ')} |`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeTree(root, files) {
  mkdirSync(root);
  writeFileSync(join(root, '.gitignore'), 'dist\n*.log\nnode_modules\n');
  for (let index = 0; index < files; index += 1) {
    const place = Math.floor(index / FILES_PER_FOLDER);
    const into = join(root, `package${Math.floor(place / 20)}`, `module${place % 20}`);
    if (index % FILES_PER_FOLDER === 0) mkdirSync(into, { recursive: true });
    const lines = Array.from({ length: LINES }, (_, line) => `export const item${line} = compute(${index}, ${line});`);
    writeFileSync(join(into, `file${index}.ts`), `${lines.join('\n')}\n`);
  }
}

function median(times) {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)];
}
