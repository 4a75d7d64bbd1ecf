import { readFileSync } from 'node:fs';
import { chmod, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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

test.each(cases)('$id: $why', async (one) => {
  const cwd = await emptyFolder();
  const file = join(cwd, 'real.txt');
  await writeFile(file, bytesOf(one.before_b64));
  if (one.mode_before !== undefined) await chmod(file, modeOf(one.mode_before));
  if (one.via_symlink) await symlink('real.txt', join(cwd, 'link.txt'));
  const file_path = one.via_symlink ? 'link.txt' : 'real.txt';

  const { content, isError } = await runCase(one, cwd, file_path);
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

/** One process from the read to the edit, since what was read is known to the session alone. */
async function runCase(one: EditCase, cwd: string, file_path: string): Promise<{ content: string; isError: boolean }> {
  const { edits } = one;
  const input = one.tool === 'MultiEdit' ? { file_path, edits } : { file_path, ...edits[0] };
  const calls = [
    ...(one.reads ? [{ tool: 'Read', input: { file_path } }] : []),
    ...betweenCalls(one),
    { tool: one.tool, input },
  ];
  const { stdout } = await runHelve(['call', '--stdin', '--permission-mode', 'bypassPermissions'], {
    cwd,
    input: calls.map((call) => JSON.stringify(call)).join('\n'),
  });
  const answer = jsonLines(stdout).at(-1);
  const { content } = answer ?? {};
  return {
    content: typeof content === 'string' ? content : JSON.stringify(content),
    isError: answer?.['is_error'] === true,
  };
}

/** What somebody else does to the file between the read and the edit: another program, so another process. */
function betweenCalls(one: EditCase): object[] {
  const bash = (command: string): object => ({ tool: 'Bash', input: { command } });
  return [
    ...(one.touch_after_read ? [bash('touch -d "+1 minute" real.txt')] : []),
    ...(one.changed_after_read_b64 !== undefined
      ? [bash(`printf %s '${one.changed_after_read_b64}' | base64 -d > real.txt`)]
      : []),
    ...(one.deleted_after_read ? [bash('rm real.txt')] : []),
  ];
}
