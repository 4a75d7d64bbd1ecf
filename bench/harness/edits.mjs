// Replays commits of a git repository as calls of Edit, MultiEdit, Write and apply_patch, each file read once before, and
// tells how many give the very bytes of the commit. Files that Write replaces or a patch deletes are read whole.
// By hand, after a build: node bench/harness/edits.mjs REPOSITORY [COMMITS]
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createEngine } from '../../dist/index.mjs';
import { openClone } from './clone.mjs';

const [repository, count = '200'] = process.argv.slice(2);
if (!repository) {
  console.error('Name a git repository: node bench/harness/edits.mjs REPOSITORY [COMMITS]');
  process.exit(2);
}
const MAX_FILES = 40; // of a commit
const MAX_BYTES = 1_000_000; // of a file
const LEAST_CHARS = 10; // of a text that an edit is known by, without blanks

const git = (...args) =>
  execFileSync('git', ['-C', repository, ...args], { maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'ignore'] });

/** A file before and after a commit, or undefined where one of the two is no text that a tool could write. */
function filesOf(commit) {
  const files = [];
  const raw = git('diff-tree', '-r', '--no-renames', '--no-commit-id', '-z', commit).toString('utf8').split('\0');
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [oldMode, newMode, oldBlob, newBlob] = raw[at].slice(1).split(' ');
    const isFile = (mode) => mode === '100644' || mode === '100755' || mode === '000000';
    if (!isFile(oldMode) || !isFile(newMode)) return undefined;
    const before = oldMode === '000000' ? undefined : textOf(oldBlob);
    const after = newMode === '000000' ? undefined : textOf(newBlob);
    if (before === null || after === null) return undefined;
    if (before !== after) files.push({ path: raw[at + 1], before, after });
  }
  return files.length > 0 && files.length <= MAX_FILES ? files : undefined;
}

function textOf(blob) {
  const bytes = git('cat-file', 'blob', blob);
  const text = bytes.toString('utf8');
  return bytes.length > MAX_BYTES || bytes.includes(0) || !Buffer.from(text).equals(bytes) ? null : text;
}

const linesOf = (text) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
const seenAs = (text) => text.replaceAll('\r\n', '\n'); // what a model is shown, and sends

/** The changes from one list of lines to the other, by git: half-open ranges of old lines and the new ones. */
function changesOf(before, after) {
  const folder = mkdtempSync(join(tmpdir(), 'helve-replay-'));
  writeFileSync(join(folder, 'a'), before);
  writeFileSync(join(folder, 'b'), after);
  let diff = '';
  try {
    execFileSync('git', ['diff', '--no-index', '-U0', '--no-color', '--no-ext-diff', 'a', 'b'], {
      cwd: folder,
      maxBuffer: 2 ** 30,
    });
  } catch (error) {
    diff = error.stdout.toString('utf8'); // exit code 1: they differ
  }
  rmSync(folder, { recursive: true });
  const fresh = linesOf(after);
  return [...diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)].map(
    ([, from, length = '1', to, added = '1']) => {
      const start = Number(length) === 0 ? Number(from) : Number(from) - 1;
      const first = Number(added) === 0 ? Number(to) : Number(to) - 1;
      return { start, end: start + Number(length), lines: fresh.slice(first, first + Number(added)) };
    },
  );
}

/** Changes with lines around them, so many that each passage is there once; those that touch are made one. */
function passagesOf(lines, changes, around, isOnly) {
  let groups = changes.map((change) => ({ from: change.start - around, to: change.end + around, changes: [change] }));
  for (;;) {
    const joined = [];
    for (const group of groups) {
      group.from = Math.max(0, group.from);
      group.to = Math.min(lines.length, group.to);
      const last = joined.at(-1);
      if (last && group.from < last.to + 1) {
        last.to = Math.max(last.to, group.to);
        last.changes.push(...group.changes);
      } else joined.push(group);
    }
    groups = joined;
    const doubtful = groups.filter(({ from, to }) => (from > 0 || to < lines.length) && !isOnly(lines.slice(from, to)));
    if (doubtful.length === 0) return groups;
    for (const group of doubtful) {
      group.from -= 1;
      group.to += 1;
    }
  }
}

const MAX_AROUND = 10;

/** With more lines around each edit where one would not be unique in what the edits before leave. */
function textEdits(before, after) {
  let edits = [];
  for (let around = 1; around <= MAX_AROUND; around += 1) {
    edits = editsWith(before, after, around);
    let text = seenAs(before);
    const areUnique = edits.every(({ old_string, new_string }) => {
      const at = text.indexOf(old_string);
      const isUnique = at !== -1 && at === text.lastIndexOf(old_string);
      text = text.slice(0, at) + new_string + text.slice(at + old_string.length);
      return isUnique;
    });
    if (areUnique) break;
  }
  return edits;
}

function editsWith(before, after, around) {
  const lines = linesOf(before);
  const [whole, target] = [seenAs(before), seenAs(after)];
  // Without its last ending, as it is sent; and long enough to say which place is meant.
  const isOnly = (some) => {
    const text = seenAs(some.join('')).replace(/\n$/, '');
    if (text.replace(/\s/g, '').length < LEAST_CHARS || !whole.includes(text)) return false;
    return [whole, target].every((each) => each.indexOf(text) === each.lastIndexOf(text));
  };
  return passagesOf(lines, changesOf(before, after), around, isOnly).map(({ from, to, changes }) => {
    const parts = [];
    let at = from;
    for (const { start, end, lines: fresh } of changes) {
      parts.push(...lines.slice(at, start), ...fresh);
      at = end;
    }
    let [old_string, new_string] = [lines.slice(from, to), [...parts, ...lines.slice(at, to)]].map((some) =>
      seenAs(some.join('')),
    );
    if (old_string.endsWith('\n') && new_string.endsWith('\n')) {
      [old_string, new_string] = [old_string.slice(0, -1), new_string.slice(0, -1)];
    }
    return { old_string, new_string };
  });
}

function patchOf(path, before, after) {
  if (after === undefined) return [`*** Delete File: ${path}`];
  const bare = (text) => linesOf(seenAs(text)).map((line) => line.replace(/\n$/, ''));
  if (before === undefined) return [`*** Add File: ${path}`, ...bare(after).map((line) => `+${line}`)];
  const lines = bare(before);
  const places = new Map();
  for (const [index, line] of lines.entries()) places.set(line, [...(places.get(line) ?? []), index]);
  const isOnly = (some) => {
    if (some.length === 0) return false;
    const starts = places.get(some[0]) ?? [];
    return starts.filter((start) => some.every((line, offset) => lines[start + offset] === line)).length === 1;
  };
  const hunks = passagesOf(lines, changesOf(seenAs(before), seenAs(after)), 3, isOnly).flatMap(
    ({ from, to, changes }) => {
      const hunk = ['@@'];
      let at = from;
      for (const { start, end, lines: fresh } of changes) {
        hunk.push(
          ...lines.slice(at, start).map((line) => ` ${line}`),
          ...lines.slice(start, end).map((line) => `-${line}`),
        );
        hunk.push(...fresh.map((line) => `+${line.replace(/\n$/, '')}`));
        at = end;
      }
      return [...hunk, ...lines.slice(at, to).map((line) => ` ${line}`)];
    },
  );
  return [`*** Update File: ${path}`, ...hunks];
}

const endsAlike = ({ before, after }) =>
  before === undefined ||
  after === undefined ||
  before === '' ||
  after === '' ||
  before.endsWith('\n') === after.endsWith('\n');
const kindOfEndings = (text) => (text.includes('\r\n') ? (/(?<!\r)\n/.test(text) ? 'mixed' : 'crlf') : 'lf');
const keepsEndings = ({ before, after }) =>
  before === undefined ||
  after === undefined ||
  !before.includes('\n') ||
  !after.includes('\n') ||
  (kindOfEndings(before) === kindOfEndings(after) && kindOfEndings(before) !== 'mixed');
const isEdited = ({ before, after }) => before !== undefined && after !== undefined && before !== '';

/** What each tool can say of a commit: the files that it changes, and the calls; undefined where it can't express it. */
const tools = {
  Edit: {
    takes: (files) => files.filter(isEdited),
    canExpress: keepsEndings,
    calls: (files) =>
      files.flatMap(({ path, before, after }) =>
        textEdits(before, after).map((edit) => ({ name: 'Edit', input: { file_path: path, ...edit } })),
      ),
  },
  MultiEdit: {
    takes: (files) => files.filter(isEdited),
    canExpress: keepsEndings,
    calls: (files) =>
      files.map(({ path, before, after }) => ({
        name: 'MultiEdit',
        input: { file_path: path, edits: textEdits(before, after) },
      })),
  },
  Write: {
    takes: (files) => files.filter(({ after }) => after !== undefined),
    canExpress: () => true,
    readsAll: () => true,
    calls: (files) =>
      files.map(({ path, before, after }) => {
        const wanted = kindOfEndings(after);
        const converts = before !== undefined && kindOfEndings(before) !== wanted && wanted !== 'mixed';
        const content = wanted === 'mixed' ? after : seenAs(after);
        const line_endings = converts || (before === undefined && wanted === 'crlf') ? { line_endings: wanted } : {};
        return { name: 'Write', input: { file_path: path, content, ...line_endings } };
      }),
  },
  apply_patch: {
    takes: (files) => files,
    readsAll: ({ after }) => after === undefined,
    canExpress: (file) =>
      keepsEndings(file) &&
      endsAlike(file) &&
      file.before !== '' &&
      file.after !== '' &&
      (file.before !== undefined || (file.after.endsWith('\n') && !file.after.includes('\r'))),
    calls: (files) => {
      const parts = files.flatMap(({ path, before, after }) => patchOf(path, before, after));
      return [{ name: 'apply_patch', input: { input: ['*** Begin Patch', ...parts, '*** End Patch'].join('\n') } }];
    },
  },
};

async function replay(tool, files) {
  const folder = mkdtempSync(join(tmpdir(), 'helve-replay-'));
  const root = join(folder, 'project');
  mkdirSync(root);
  for (const { path, before } of files) {
    if (before === undefined) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), before);
  }
  const engine = createEngine({
    root,
    dataFolder: join(folder, 'data'),
    permissionMode: 'bypassPermissions',
    editStyle: 'patch',
    audit: false,
    canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: input }),
  });
  let number = 0;
  const run = async (name, input) => {
    number += 1;
    const [result] = await engine.runCalls([{ id: `c${number}`, name, input }]);
    const text = typeof result.content === 'string' ? result.content : JSON.stringify(result.content);
    return { isError: result.is_error === true, text };
  };
  try {
    for (const file of files) {
      const { path, before } = file;
      if (before === undefined) continue;
      for (let offset = 1; ; ) {
        const { text } = await run('Read', { file_path: path, ...(offset > 1 && { offset }) });
        const next = /To continue, read with offset (\d+)\./.exec(text);
        if (!tool.readsAll?.(file) || !next) break;
        offset = Number(next[1]);
      }
    }
    for (const { name, input } of tool.calls(files)) {
      const { isError, text } = await run(name, input);
      if (isError) return text.split('\n')[0];
    }
    for (const { path, after } of files) {
      const written = read(join(root, path));
      if (written !== after) return 'the bytes differ';
    }
    return undefined;
  } finally {
    await engine.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

const results = Object.fromEntries(
  Object.keys(tools).map((name) => [name, { tried: 0, beyond: 0, equal: 0, reasons: [] }]),
);
let commits = 0;
let leftOut = 0;
for (const commit of git('log', '--no-merges', '--format=%H', '-n', String(Number(count) * 3))
  .toString()
  .trim()
  .split('\n')) {
  if (commits >= Number(count)) break;
  let files;
  try {
    files = filesOf(commit);
  } catch {
    continue; // a file of it is not in this copy
  }
  if (!files) {
    leftOut += 1;
    continue;
  }
  commits += 1;
  for (const [name, tool] of Object.entries(tools)) {
    const taken = tool.takes(files);
    const result = results[name];
    if (taken.length === 0) continue;
    if (!taken.every(tool.canExpress)) {
      result.beyond += 1;
      continue;
    }
    result.tried += 1;
    const reason = await replay(tool, taken);
    if (reason === undefined) result.equal += 1;
    else result.reasons.push(`${commit.slice(0, 10)}: ${reason.slice(0, 300)}`);
  }
}
const { commit: newest, licence } = openClone(repository);
console.log(`${repository} at ${newest.slice(0, 12)} (${licence})`);
console.log(
  `${commits} commits back from there; left out: ${leftOut} with other than UTF-8 text, with links, or of too many files`,
);
for (const [name, { tried, beyond, equal, reasons }] of Object.entries(results)) {
  console.log(
    `${name}: ${equal} of ${tried} byte-equal (${((100 * equal) / Math.max(1, tried)).toFixed(1)} %); ${beyond} beyond what it can say`,
  );
  for (const reason of reasons) console.log(`  ${reason}`);
}
