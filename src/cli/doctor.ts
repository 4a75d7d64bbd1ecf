import { execFile } from 'node:child_process';
import { access, constants, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ModelFailure } from '../contract/model.js';
import { chooseModel } from '../models/choose-model.js';
import { readArgs } from './args.js';
import { exitCode } from './exit-codes.js';
import { UsageProblem } from './usage-problem.js';
import { writeLine } from './write-line.js';

interface Finding {
  what: string;
  state: 'ok' | 'missing' | 'broken';
  /** What was found, or what is wrong and what to do about it. */
  detail: string;
}

const marks = { ok: '✓', missing: '–', broken: '✗' } as const;

/** Looks at what Helve needs on this machine. Something broken, not merely missing, makes it exit 1. */
export async function doctor(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, { json: { type: 'boolean' } });
  if (positionals.length > 0) throw new UsageProblem(`helve doctor takes no word such as "${positionals[0]}".`);
  const findings = await Promise.all([node(), shell(), search(), model(), dataFolder()]);
  if (values.json) await writeLine(process.stdout, JSON.stringify(findings, null, 2));
  else
    for (const { what, state, detail } of findings)
      await writeLine(process.stdout, `${marks[state]} ${what}: ${detail}`);
  return findings.some(({ state }) => state === 'broken') ? exitCode.failed : exitCode.ok;
}

async function node(): Promise<Finding> {
  return { what: 'Node', state: 'ok', detail: process.versions.node };
}

async function shell(): Promise<Finding> {
  const version = await firstLineOf('bash', ['--version']);
  if (version !== undefined) return { what: 'Shell', state: 'ok', detail: version };
  return { what: 'Shell', state: 'broken', detail: 'bash was not found, so the Bash tool can not run. Install bash.' };
}

async function search(): Promise<Finding> {
  const { findRipgrep } = await import('../platform/ripgrep.js');
  try {
    const path = await findRipgrep(process.env);
    const version = await firstLineOf(path, ['--version']);
    if (version !== undefined) return { what: 'Search', state: 'ok', detail: version };
    return {
      what: 'Search',
      state: 'broken',
      detail: `${path} does not run, so Glob and Grep can not work. Reinstall helve.`,
    };
  } catch (error) {
    return { what: 'Search', state: 'broken', detail: messageOf(error) };
  }
}

async function model(): Promise<Finding> {
  const what = 'Model';
  try {
    const model = await chooseModel(undefined, process.env);
    model.check?.();
    const host = URL.parse(process.env['ANTHROPIC_BASE_URL'] ?? '')?.host; // the rest of an address may hold a secret
    return { what, state: 'ok', detail: `${model.provider}/${model.name}${host ? ` at ${host}` : ''} (not asked)` };
  } catch (error) {
    const isMissing = error instanceof ModelFailure && error.kind === 'auth';
    return { what, state: isMissing ? 'missing' : 'broken', detail: messageOf(error) };
  }
}

async function dataFolder(): Promise<Finding> {
  const folder = process.env['HELVE_HOME'] || join(homedir(), '.helve');
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
    return { what: 'Data folder', state: 'ok', detail: folder };
  } catch (error) {
    const detail = `${folder} can not be written (${messageOf(error)}). Set HELVE_HOME to a folder that can.`;
    return { what: 'Data folder', state: 'broken', detail };
  }
}

async function firstLineOf(command: string, args: readonly string[]): Promise<string | undefined> {
  try {
    // Not in the project: nothing from it may run on our own initiative.
    const { stdout } = await promisify(execFile)(command, args, { cwd: homedir() });
    return stdout.split('\n', 1)[0];
  } catch {
    return undefined;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
