// Data of a public repository, read from a local clone at its newest commit. Nothing of it is kept in this repository.
import { execFileSync, spawn } from 'node:child_process';

/** A clone at its newest commit. Works without a work tree, and where some large files were left out. */
export function openClone(path) {
  const git = (...args) =>
    execFileSync('git', ['-C', path, ...args], { maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'ignore'] });
  const commit = git('rev-parse', 'HEAD').toString().trim();
  const files = git('ls-tree', '-r', '-z', '--name-only', 'HEAD').toString().split('\0').filter(Boolean);
  return {
    commit,
    files,
    /** The first line of the repository's licence that says something, for the report. */
    licence: licenceOf(files, (file) => git('show', `HEAD:${file}`).toString()),
    /** The texts of these files, in order; undefined for one that the clone does not hold. */
    texts: (names) => catFiles(path, names),
  };
}

function licenceOf(files, read) {
  const file = files.find((name) => /^(licen[cs]e|copying)(\.\w+)?$/i.test(name));
  if (file === undefined) return 'none stated';
  const [first = '', second = ''] = read(file)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  return /^version/i.test(second) ? `${first}, ${second}` : first;
}

/** One git process for all files: thousands of them would take minutes. */
async function* catFiles(path, names) {
  const git = spawn('git', ['-C', path, 'cat-file', '--batch'], { stdio: ['pipe', 'pipe', 'ignore'] });
  git.stdin.end(names.map((name) => `HEAD:${name}\n`).join(''));
  let buffered = Buffer.alloc(0);
  let wanted; // bytes of the current file, with the line break after it
  let at = 0;
  for await (const chunk of git.stdout) {
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
    for (;;) {
      if (wanted === undefined) {
        const end = buffered.indexOf('\n');
        if (end < 0) break;
        const header = buffered.subarray(0, end).toString();
        buffered = buffered.subarray(end + 1);
        const size = / blob (\d+)$/.exec(header)?.[1];
        if (size === undefined) yield { name: names[at++], text: undefined };
        else wanted = Number(size) + 1;
      } else {
        if (buffered.length < wanted) break;
        yield { name: names[at++], text: buffered.subarray(0, wanted - 1).toString('utf8') };
        buffered = buffered.subarray(wanted);
        wanted = undefined;
      }
    }
  }
}
