import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Session } from '../../agent/session.js';
import { ToolPool } from '../../agent/tool-pool.js';
import type { FullEngineOptions } from '../../compose/options.js';
import type { ToolOutcome } from '../../contract/tool.js';
import { type ToolRun, temporaryProject } from '../../testing/temporary-project.js';
import { isRunning, isWritten, pidsIn, until } from '../../testing/watch-processes.js';
import { createFileLedger } from '../editing/file-ledger.js';
import { type BashData, bashTool } from './bash.js';
import { bashOutputTool } from './bash-output.js';
import { killShellTool } from './kill-shell.js';

async function project(options: Pick<FullEngineOptions, 'env'> = {}) {
  const made = await temporaryProject({}, options);
  onTestFinished(() => made.remove());
  /** Starts a command and returns its id. */
  const start = async (command: string, more: { timeout?: number } = {}): Promise<{ id: string } & ToolRun> => {
    const run = await made.run(bashTool, { command, run_in_background: true, ...more });
    expect(run).toMatchObject({ isError: false });
    const [id = ''] = /\bb[0-9a-f]{8}\b/.exec(String(run.content)) ?? [];
    return { id, ...run };
  };
  const look = async (id: string, filter?: string): Promise<string> => {
    const { content } = await made.run(bashOutputTool, { bash_id: id, ...(filter !== undefined && { filter }) });
    return String(content);
  };
  return {
    ...made,
    start,
    look,
    kill: async (id: string): Promise<string> => String((await made.run(killShellTool, { shell_id: id })).content),
    /** Waits for this status, and returns the last output. */
    lookUntil: async (id: string, status: RegExp): Promise<string> => {
      let seen = '';
      await until(async () => {
        seen += `${await look(id)}\n`;
        return status.test(seen);
      });
      return seen;
    },
  };
}

test('returns at once with an id and the path of the output file', async () => {
  const { start, engine } = await project();
  const { id, content, data } = await start('echo begun; sleep 1000');
  const file = join(engine.session.resultsFolder, 'call_1.txt');
  expect(content).toBe(
    `Command running in background with ID: ${id}. Output is being written to: ${file}. It is stopped when the session ends, at the latest after 1800 s. You are notified when it ends; BashOutput shows what is new until then, KillShell ends it. A cd inside it does not change the working directory of later commands.`,
  );
  expect(data).toMatchObject({ backgroundId: id, outputFile: file });
  expect(engine.session.stillRunning).toEqual([`${id}: echo begun; sleep 1000`]);
});

test('shows only new output since the last call', async () => {
  const { start, look, lookUntil, path } = await project();
  const { id } = await start(
    'mkfifo first second; echo one; read -r line < first; echo "two $line"; read -r line < second; printf end',
  );
  await until(async () => (await look(id)).includes('one'));
  expect(await look(id)).toMatch(/^Status: running\nOutput file: .*\n\(no new output\)$/);
  await appendFile(path('first'), 'more\n');
  await until(async () => /\ntwo more$/.test(await look(id)));
  await appendFile(path('second'), '\n');
  const last = await lookUntil(id, /completed/);
  expect(last.match(/end/g)).toHaveLength(1);
  expect(last).not.toContain('two');
  expect(await look(id)).toMatch(/^Status: completed, exit code 0\n.*\n\(no new output\)$/);
});

test.each([
  ['exit 3', 'failed, exit code 3'],
  ['true', 'completed, exit code 0'],
  ['kill -KILL $$', 'failed (ended by SIGKILL)'],
])('reports how %s has ended, and reminds the model of it', async (command, state) => {
  const { start, lookUntil, engine } = await project();
  const { id } = await start(command);
  expect(await lookUntil(id, /completed|failed/)).toContain(`Status: ${state}\n`);
  expect(engine.session.takeReminders()).toEqual([
    {
      type: 'text',
      text: expect.stringContaining(
        `<system-reminder>\nThe background command ${id} (${command}) has ended: ${state}. BashOutput shows`,
      ),
    },
  ]);
  expect(engine.session.takeReminders()).toEqual([]);
  expect(engine.session.stillRunning).toEqual([]);
});

test('a filter shows the matching lines, and the other lines count as seen', async () => {
  const { start, look, lookUntil } = await project();
  const { id } = await start(`for n in {1..100}; do echo "line $n"; done; printf 'line 77 of no end'; sleep 1000`);
  let seen = ''; // output may arrive over several reads
  await until(async () => {
    seen += `${await look(id, '7$')}\n`;
    return seen.includes('line 97');
  });
  expect(seen).toMatch(/^Status: running\nOutput file: /);
  expect(seen.match(/^line .*$/gm)).toEqual(Array.from({ length: 10 }, (_, ten) => `line ${ten || ''}7`));
  // The last line is incomplete, so the filter did not apply to it.
  expect(await lookUntil(id, /no end/)).toMatch(/\nline 77 of no end\n$/);
});

test('refuses an invalid filter, and reads nothing', async () => {
  const { start, look, lookUntil } = await project();
  const { id } = await start('echo here');
  expect(await look(id, '(')).toMatch(
    /^filter is not a valid JavaScript regular expression: .* Nothing was looked at\.$/,
  );
  expect(await lookUntil(id, /completed/)).toContain('here');
});

test('stops a filter that would run forever, and reads nothing', async () => {
  const { start, look, lookUntil } = await project();
  const { id } = await start(`printf '${'a'.repeat(60)}b\\n'; touch done`);
  await until(async () => (await look(id, 'no such line')).startsWith('Status: completed'));
  const { id: second } = await start(`printf '${'a'.repeat(60)}b\\n'; sleep 1000`);
  await until(async () => (await look(second, '(a+)+$')).startsWith('The filter /(a+)+$/ took longer than a second'));
  expect(await lookUntil(second, /aab/)).toMatch(/^Status: running/);
});

test('KillShell ends everything that the command started, including daemons', async () => {
  const { start, kill, look, path, engine } = await project();
  const { id } = await start(
    `setsid bash -c 'echo $$ >> pids; exec sleep 1000' & sleep 1000 & echo $! >> pids; echo $$ >> pids; wait`,
  );
  await until(() => isWritten(path('pids')) && pidsIn(path('pids')).length === 3);
  expect(await kill(id)).toMatch(new RegExp(`^${id} \\(setsid .*\\) and everything it had started was ended\\.$`));
  expect(pidsIn(path('pids')).filter(isRunning)).toEqual([]);
  expect(await look(id)).toMatch(/^Status: killed \(it was stopped on request\)\n/);
  expect(await kill(id)).toMatch(/had already ended, so there was nothing to do: killed/);
  expect(engine.session.takeReminders()).toEqual([]); // the model that stopped it already knows
});

test('ends a background command after its time limit', async () => {
  const { start, lookUntil } = await project();
  const { id } = await start('echo before; sleep 1000', { timeout: 300 });
  expect(await lookUntil(id, /killed/)).toMatch(/^Status: killed \(its time was up\)$/m);
});

test('ends a background command whose output never stops', async () => {
  const { start, lookUntil } = await project({ env: { ...process.env, HELVE_MAX_OUTPUT: '1M' } });
  const { id } = await start('yes');
  expect(await lookUntil(id, /killed/)).toMatch(/^Status: killed \(it wrote more than is kept\)$/m);
});

test('limits the total output of all commands of a session', async () => {
  const env = { ...process.env, HELVE_MAX_SESSION_OUTPUT: '2M' };
  const { start, lookUntil, run } = await project({ env });
  const started = [await start('yes'), await start('yes'), await start('yes')];
  for (const { id } of started) await lookUntil(id, /killed/);
  const { isError, content } = await run(bashTool, { command: 'yes' });
  expect(isError).toBe(true);
  expect(content).toMatch(/the commands of this session have written 2 ?MB? of output together/);
});

test('refuses a background command beyond the limit, and names the running ones', async () => {
  const { start, run } = await project({ env: { ...process.env, HELVE_MAX_BACKGROUND: '2' } });
  const { id } = await start('sleep 1000');
  await start('sleep 1001');
  const { content: refused } = await run(bashTool, { command: 'sleep 1002', run_in_background: true });
  expect(refused).toContain('2 commands run in the background already');
  expect(refused).toContain(`${id} (sleep 1000)`);
});

test('the directory of a background command is not carried over', async () => {
  const { start, lookUntil, root, engine } = await project();
  const { id } = await start('mkdir sub; cd sub; pwd');
  expect(await lookUntil(id, /completed/)).toContain(join(root, 'sub'));
  expect(engine.session.cwd).toBe(root);
});

test('survives an interrupt of the call that started it, and ends with the session', async () => {
  const { run, path, engine } = await project();
  const cancel = new AbortController();
  const command = 'echo $$ > pid; sleep 1000';
  await run(bashTool, { command, run_in_background: true }, { signal: cancel.signal });
  await until(() => isWritten(path('pid')));
  cancel.abort();
  expect(pidsIn(path('pid')).filter(isRunning)).toHaveLength(1);
  await engine.end();
  expect(pidsIn(path('pid')).filter(isRunning)).toEqual([]);
});

test.each([
  [bashOutputTool, { bash_id: 'b00000000' }],
  [killShellTool, { shell_id: 'b00000000' }],
])('lists the existing commands if an id is unknown', async (tool, input) => {
  const { run, start } = await project();
  expect(await run(tool, input)).toMatchObject({
    isError: true,
    content:
      'There is no background command "b00000000" in this session. None has run in the background since Helve was started.',
  });
  const { id } = await start('sleep 1000');
  expect((await run(tool, input)).content).toContain(`There are:\n${id} (sleep 1000): running`);
});

test('reading the output of a command and killing it need no permission', async () => {
  const { effects } = await project();
  expect(await effects(bashOutputTool, { bash_id: 'b1' })).toEqual([]);
  expect(await effects(killShellTool, { shell_id: 'b1' })).toEqual([]);
});

/** Runs a command in an interactive session. */
async function runInteractively(command: string, timeout: number) {
  const { root, path } = await project();
  const session = new Session({
    root,
    dataFolder: path('../interactive'),
    mode: 'default',
    env: process.env,
    ledger: createFileLedger(),
    tools: new ToolPool({ builtIn: [], mode: 'repl', simpleNames: [], root }),
    interactive: true,
  });
  onTestFinished(() => session.end());
  const accepted = bashTool.accept({ command, timeout });
  if (!accepted.ok) throw new Error('the input is right');
  const cancel = new AbortController();
  const running = accepted.call.run(session.contextFor('call', cancel.signal, { mayRead: () => true }));
  let outcome: ToolOutcome | undefined;
  while (!outcome) {
    const step = await running.next();
    if (step.done) outcome = step.value;
  }
  return { session, path, cancel, outcome, data: outcome.data as BashData }; // the tool's declared result type
}

test('moves a command to the background on timeout in an interactive session', async () => {
  const { session, path, cancel, outcome, data } = await runInteractively('echo $$ > pid; echo begun; sleep 1000', 500);
  expect(outcome.content).toMatch(
    /^begun\necho \$\$ > pid; echo begun; sleep 1000 did not finish in 0\.5 s and was moved to the background with ID: b[0-9a-f]{8}\. Output is being written to: .*\. You are notified/,
  );
  expect(session.stillRunning).toEqual([`${data.backgroundId}: echo $$ > pid; echo begun; sleep 1000`]);
  cancel.abort(); // the call is over, so its abort does not end the command
  expect(pidsIn(path('pid')).filter(isRunning)).toHaveLength(1);
  await session.end();
  expect(pidsIn(path('pid')).filter(isRunning)).toEqual([]);
});

test('kills a plain sleep on timeout', async () => {
  await expect(runInteractively('  sleep 1000', 300)).rejects.toThrow(
    /^sleep 1000 did not finish in 0\.3 s and was stopped/,
  );
});

test("moves a command to the background at the user's request", async () => {
  const { root, path } = await project();
  const session = new Session({
    root,
    dataFolder: path('../interactive'),
    mode: 'default',
    env: process.env,
    ledger: createFileLedger(),
    tools: new ToolPool({ builtIn: [], mode: 'repl', simpleNames: [], root }),
    interactive: true,
  });
  onTestFinished(() => session.end());
  const accepted = bashTool.accept({ command: 'echo $$ > pid; sleep 1000' });
  if (!accepted.ok) throw new Error('the input is right');
  expect(session.moveToBackground()).toBe(0);
  const running = accepted.call.run(session.contextFor('call', new AbortController().signal, { mayRead: () => true }));
  const outcome = (async () => {
    for (;;) {
      const step = await running.next();
      if (step.done) return step.value;
    }
  })();
  await until(() => existsSync(path('pid')) && pidsIn(path('pid')).length === 1);
  await until(() => session.moveToBackground() === 1);
  expect((await outcome).content).toMatch(/sleep 1000 was moved to the background by the user with ID: b[0-9a-f]{8}\./);
  expect(session.moveToBackground()).toBe(0);
  expect(pidsIn(path('pid')).filter(isRunning)).toHaveLength(1);
  expect(session.background?.[0]?.ranBeforeMs).toBeGreaterThan(0);
});
