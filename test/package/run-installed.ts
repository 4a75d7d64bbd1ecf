import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface InstalledRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program of the installed package without any configuration, with a home folder of its own. */
export async function runInstalled(
  program: string,
  args: readonly string[],
  { cwd, input = '', path }: { cwd?: string | undefined; input?: string; path?: string } = {},
): Promise<InstalledRun> {
  const home = await mkdtemp(join(tmpdir(), 'helve-home-'));
  const child = spawn(program, args, {
    cwd: cwd ?? home,
    env: { PATH: path ?? process.env['PATH'], HOME: home, TMPDIR: tmpdir() },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {}); // a run that ends early does not read all of it
  child.stdin.end(input);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return await new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (code) => done({ code, stdout, stderr }));
  });
}
