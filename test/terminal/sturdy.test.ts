import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { isRunning } from '../cli/run-helve.js';
import { converse } from './converse.js';
import { whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);

const gone = async (pid: number): Promise<void> =>
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 20_000 });

/** A conversation in which a command is at work, and the command's process. */
async function atWork() {
  const begun = await converse(
    [{ calls: [{ name: 'Bash', input: { command: 'echo run >> runs.txt; echo $$ > at-work; exec sleep 1000' } }] }],
    { args: ['--dangerously-skip-permissions'] },
  );
  const { terminal, say } = begun;
  await say('wait');
  await vi.waitFor(() => expect(existsSync(join(terminal.project, 'at-work'))).toBe(true), { timeout: 20_000 });
  const command = Number(await readFile(join(terminal.project, 'at-work'), 'utf8'));
  return { ...begun, command, helve: await terminal.pid() };
}

/** Resumes the last session of the same folder: the model learns the outcome of the call, which is not run again. */
async function goesOn({ project, home }: { project: string; home: string }): Promise<string> {
  const { terminal, server, say } = await converse([{ text: 'I see.' }], {
    args: ['--continue'],
    folders: { project, home },
  });
  await terminal.shows('❯ wait');
  await say('what happened?');
  await terminal.shows('I see.');
  expect(server.refused).toEqual([]);
  expect(await readFile(join(project, 'runs.txt'), 'utf8')).toBe('run\n');
  return server.requests[0]?.text ?? '';
}

inTerminal('closing the terminal ends what runs in it, and the session can be resumed', async () => {
  const { terminal, helve, command } = await atWork();
  await terminal.hangUp();
  await gone(helve);
  await gone(command);
  expect(await goesOn(terminal)).toContain('interrupted');
});

inTerminal('after a kill, the session can be resumed, and the next start ends its command', async () => {
  const { terminal, helve, command } = await atWork();
  process.kill(helve, 'SIGKILL');
  expect(await terminal.exitCode()).toBe(137);
  await goesOn(terminal);
  await gone(command);
});

inTerminal(
  'after a kill, --continue names the call that was running, ends its command, and /undo takes it back',
  async () => {
    const { terminal, say: queue, helve, command } = await atWork();
    await queue('and then the next thing');
    await terminal.shows('» and then the next thing');
    const sessions = join(terminal.home, '.helve', 'sessions');
    const kept = async () =>
      (await readdir(sessions, { recursive: true })).some((name) => name.endsWith('queued.json'));
    await vi.waitFor(async () => expect(await kept()).toBe(true), { timeout: 20_000 });
    process.kill(helve, 'SIGKILL');
    expect(await terminal.exitCode()).toBe(137);
    expect(isRunning(command)).toBe(true);
    const { terminal: next, say } = await converse([], {
      args: ['--continue'],
      folders: { project: terminal.project, home: terminal.home },
    });
    const shown = await next.shows(
      /■ Bash echo run[\s\S]*Helve\s+was\s+ended\s+while\s+this\s+ran;\s+it\s+may\s+or\s+may\s+not\s+have\s+taken\s+effect:\s+check,\s+or\s+ask\s+the\s+model\s+to\s+check/,
    );
    expect(shown.match(/Helve\s+was\s+ended\s+while/g)).toHaveLength(1);
    expect(shown).not.toMatch(/Helve\s+was\s+stopped/);
    expect(isRunning(command)).toBe(false);
    // The prompt that waited is back, and not sent.
    await next.shows(/A prompt was still waiting when Helve was ended[\s\S]*❯ and then the next thing/);
    expect(await kept()).toBe(false);
    await next.press('C-c');
    await next.hides('❯ and then');
    await say('/cost');
    expect(await next.shows(/Cost .*, 1 prompt\n/)).toContain('1 prompt cut off when Helve was killed');
    await say('/undo');
    expect(await next.shows(/remove runs\.txt[\s\S]*y {2}Yes/)).not.toContain('still running');
  },
);

inTerminal('a full disk is reported, and the conversation goes on', async ({ skip }) => {
  const canMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0;
  if (!canMount) skip('a file system can not be mounted here');
  const small = 'mkdir "$HELVE_HOME" && mount -t tmpfs -o size=96k,mode=700 tmpfs "$HELVE_HOME" && exec "$@"';
  const { terminal, say } = await converse(
    [{ text: `${'words '.repeat(12)}\n\n`.repeat(1_500), chunkBytes: 60_000 }, { text: 'Still here.' }],
    { before: ['unshare', '--mount', 'bash', '-c', small, 'bash'] },
  );
  await say('tell me all');
  await terminal.shows("The data folder can't be written");
  await say('go on');
  await terminal.shows('Still here.');
});

inTerminal('plain lines have the commands too, and a hang-up gives the terminal back', async () => {
  const { terminal, say } = await converse([{ text: 'Hello.' }], { args: ['--screen-reader'] });
  await terminal.shows(/^>/m);
  await say('/theme');
  await terminal.shows('A number');
  await terminal.press('Enter');
  await terminal.shows(/A number[^\n]*\n[\s\S]*^>/m); // the prompt is back, below the question
  await say('/help');
  await terminal.shows('/rewind');
  process.kill(await terminal.pid(), 'SIGHUP');
  expect(await terminal.exitCode()).toBe(129);
  expect(await terminal.modes()).toMatch(/(?<!-)icanon.*(?<!-)echo /s);
});
