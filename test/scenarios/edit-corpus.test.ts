import { readFileSync } from 'node:fs';
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { emptyFolder, jsonLines, runHelve } from '../cli/run-helve.js';

// Edits of files in every state, with what must become of them, through the command line as other programs use it.
interface EditCase {
  id: string;
  why: string;
  tool: string;
  before_b64: string;
  reads: boolean;
  edits: object[];
  expect: { ok: boolean | 'any'; after_b64?: string; alt_after_b64?: string; error_matches?: string };
  alt_after_b64?: string;
  changed_after_read_b64?: string;
  touch_after_read?: boolean;
  deleted_after_read?: boolean;
  via_symlink?: boolean;
  mode_before?: number | string;
  mode_after?: number | string;
}

const cases: EditCase[] = readFileSync('test/fixtures/edit-cases.jsonl', 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line));

const bytesOf = (base64: string): Buffer => Buffer.from(base64, 'base64');
const modeOf = (mode: number | string): number => (typeof mode === 'string' ? Number.parseInt(mode, 8) : mode);

let cwd: string;
let answers: Array<Record<string, unknown>>;

// One process for all of them, each with a folder of its own: what was read is known to the session alone.
beforeAll(async () => {
  cwd = await emptyFolder();
  for (const one of cases) await prepare(one);
  const calls = cases.flatMap(callsOf);
  const { stdout } = await runHelve(['call', '--stdin', '--permission-mode', 'bypassPermissions'], {
    cwd,
    input: calls.map((call) => JSON.stringify(call)).join('\n'),
  });
  answers = jsonLines(stdout);
});

test.each(cases)('$id: $why', async (one) => {
  const file = join(cwd, one.id, 'real.txt');
  const { content, isError } = answerTo(one);
  const after = await readFile(file).catch(() => undefined);
  const outcomes = [one.expect.after_b64, one.expect.alt_after_b64, one.alt_after_b64].flatMap((text) =>
    text === undefined ? [] : [bytesOf(text)],
  );
  if (one.expect.ok === true) expect([content, isError]).toEqual([content, false]);
  if (one.expect.ok === false) expect([content, isError]).toEqual([content, true]);
  if (!isError) {
    expect(outcomes).toContainEqual(after);
    if (one.mode_after !== undefined) expect((await stat(file)).mode & 0o7777).toBe(modeOf(one.mode_after));
    return;
  }
  if (one.expect.error_matches !== undefined) expect(content).toMatch(new RegExp(one.expect.error_matches, 'i'));
  const untouched = one.deleted_after_read ? undefined : bytesOf(one.changed_after_read_b64 ?? one.before_b64);
  expect(after).toEqual(untouched);
});

async function prepare(one: EditCase): Promise<void> {
  const folder = join(cwd, one.id);
  const file = join(folder, 'real.txt');
  await mkdir(folder);
  await writeFile(file, bytesOf(one.before_b64));
  if (one.mode_before !== undefined) await chmod(file, modeOf(one.mode_before));
  if (one.via_symlink) await symlink('real.txt', join(folder, 'link.txt'));
}

function callsOf(one: EditCase): object[] {
  const { edits } = one;
  const file_path = `${one.id}/${one.via_symlink ? 'link.txt' : 'real.txt'}`;
  const input = one.tool === 'MultiEdit' ? { file_path, edits } : { file_path, ...edits[0] };
  return [
    ...(one.reads ? [{ tool: 'Read', input: { file_path } }] : []),
    ...betweenCalls(one),
    { id: one.id, tool: one.tool, input },
  ];
}

/** Changes to the file between the read and the edit, made by another process. */
function betweenCalls(one: EditCase): object[] {
  const bash = (command: string): object => ({ tool: 'Bash', input: { command } });
  const file = `${one.id}/real.txt`;
  return [
    ...(one.touch_after_read ? [bash(`touch -d "+1 minute" ${file}`)] : []),
    ...(one.changed_after_read_b64 !== undefined
      ? [bash(`printf %s '${one.changed_after_read_b64}' | base64 -d > ${file}`)]
      : []),
    ...(one.deleted_after_read ? [bash(`rm ${file}`)] : []),
  ];
}

function answerTo(one: EditCase): { content: string; isError: boolean } {
  const { content, is_error } = answers.find(({ id }) => id === one.id) ?? {};
  return { content: typeof content === 'string' ? content : JSON.stringify(content), isError: is_error === true };
}
