// What the permission engine decides about commands, each as if typed in an empty project that is trusted: asks one process
// of the built command line about all of them.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const built = resolve(import.meta.dirname, '../bin/helve.cjs');

/**
 * For each command its decision, the reason, the effects, and the step that decided. `projectAt` is the folder where the
 * commands were written for: its name is replaced by the project's.
 */
export async function explainCommands(commands, { walls, helve = built, projectAt } = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'helve-explain-')));
  const [project, home] = [join(folder, 'project'), join(folder, 'home')];
  for (const each of [project, home]) mkdirSync(each);
  const child = spawn(
    process.execPath,
    [helve, 'permissions', 'explain', '--stdin', '--trust', ...(walls ? ['--walls', walls] : [])],
    {
      cwd: project,
      env: { PATH: process.env.PATH, HOME: home, IS_SANDBOX: '1' },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  child.stdin.on('error', () => {}); // it may refuse an option before it reads anything
  child.stdin.end(
    commands
      .map((command) => (projectAt ? command.replaceAll(projectAt, project) : command))
      .map((command, id) => `${JSON.stringify({ id: String(id), tool: 'Bash', input: { command } })}\n`)
      .join(''),
  );
  const answers = [];
  let rest = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      if (part === '') continue;
      const { id, decision, reason, effects, trail = [] } = JSON.parse(part);
      answers[Number(id)] = { decision, reason, effects, trail: trail.find(({ decided }) => decided) };
    }
  }
  rmSync(folder, { recursive: true, force: true });
  const answered = answers.filter(Boolean).length;
  if (answered !== commands.length) {
    throw new Error(`${commands.length} commands were asked about, ${answered} answered.`);
  }
  return answers;
}
