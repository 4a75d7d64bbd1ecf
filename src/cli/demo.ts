import { readArgs } from './args.js';
import { ownCommand, ownCommandLine } from './demo/own-command.js';
import { UsageProblem } from './usage-problem.js';

declare const HELVE_VERSION: string; // defined by the build

/** A scripted model with the real tools on a sample project: in the interface at a terminal, as lines without one. */
export async function demo(argv: readonly string[]): Promise<number> {
  const { positionals } = readArgs(argv, {});
  if (positionals.length > 0) throw new UsageProblem(`helve demo takes no argument such as "${positionals[0]}".`);
  const program = process.argv[1] ?? '';
  const helve = ownCommand({ program, path: process.env['PATH'] ?? '', cwd: process.cwd() });
  const own = { helve, elsewhere: helve === 'helve' ? undefined : ownCommandLine(program) };
  if (process.stdin.isTTY && process.stdout.isTTY) {
    const { terminalDemo } = await import('./demo/terminal-demo.js');
    return await terminalDemo(own, HELVE_VERSION);
  }
  const { lineDemo } = await import('./demo/line-demo.js');
  return await lineDemo(own);
}
