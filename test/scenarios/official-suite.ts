// The official conformance suite and the official inspector of MCP. They are not among the dependencies: the CI fetches
// them, and docs/mcp.md says how to do it by hand. Where they are missing, their tests are skipped and say so.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'vitest';
import { sample, seeded, seedOfRun } from '../seeded.js';

const folder = resolve(process.env['HELVE_CONFORMANCE'] ?? 'node_modules/.cache/mcp-official');
const packages = join(folder, 'node_modules/@modelcontextprotocol');
const suite = join(packages, 'conformance/dist/index.js');
/** The version that has the scenarios of the revision 2026-07-28, under a name of its own. */
const nextSuite = join(folder, 'node_modules/conformance-next/dist/index.js');
const inspector = join(packages, 'inspector/clients/launcher/build/index.js');

export const withSuite = (name: string, body: () => Promise<void>, timeoutMs?: number): void =>
  testWith(suite, name, body, timeoutMs);
export const withNextSuite = (name: string, body: () => Promise<void>, timeoutMs?: number): void =>
  testWith(nextSuite, name, body, timeoutMs);
export const withBothSuites = (name: string, body: () => Promise<void>): void =>
  testWith(existsSync(suite) ? nextSuite : suite, name, body);
export const withInspector = (name: string, body: () => Promise<void>): void => testWith(inspector, name, body);

function testWith(program: string, name: string, body: () => Promise<void>, timeoutMs?: number): void {
  test(name, { ...(timeoutMs !== undefined && { timeout: timeoutMs }) }, async ({ skip }) => {
    if (!existsSync(program)) skip(`${program} is not there: docs/mcp.md says how to fetch it.`);
    await body();
  });
}

/**
 * The share of scenarios that a run of CI plays, since each takes a second of work: others in each run, by a seed that is
 * printed. A soak plays all.
 */
export function scenariosOfRun<Scenario>(scenarios: readonly Scenario[], share: number): Scenario[] {
  if (process.env['HELVE_SOAK'] !== undefined) return [...scenarios];
  const seed = seedOfRun();
  const chosen = sample(scenarios, Math.ceil(scenarios.length * share), seeded(seed));
  process.stderr.write(`HELVE_SEED=${seed}: ${chosen.length} of ${scenarios.length} scenarios: ${chosen.join(', ')}\n`);
  return chosen;
}

export interface ProgramRun {
  code: unknown;
  output: string;
}

/** One half of the suite. It fails where a scenario fails that is not expected to, and where one passes that is. */
export async function runSuite(
  half: 'client' | 'server',
  flags: readonly string[],
  expectedFailures?: readonly string[],
): Promise<ProgramRun> {
  return await run([suite, half, ...flags, ...(await baselineFlags(half, expectedFailures))]);
}

/** The scenarios that a revision of the protocol requires. Those beyond it run too, and don't count. */
export async function runRequirements(
  half: 'client' | 'server',
  revision: string,
  flags: readonly string[],
  expectedFailures?: readonly string[],
): Promise<ProgramRun> {
  const baseline = await baselineFlags(half, expectedFailures);
  return await run([nextSuite, half, '--requirements', revision, ...flags, ...baseline]);
}

async function baselineFlags(half: 'client' | 'server', names: readonly string[] | undefined): Promise<string[]> {
  if (!names) return [];
  const baseline = join(await mkdtemp(join(tmpdir(), 'helve-suite-')), 'baseline.yml');
  await writeFile(baseline, [`${half}:`, ...names.map((name) => `  - ${name}`)].join('\n'));
  return ['--expected-failures', baseline];
}

/** The same half of the version for 2026-07-28. */
export const runNextSuite = async (half: 'client' | 'server', flags: readonly string[]): Promise<ProgramRun> =>
  await run([nextSuite, half, ...flags]);

/** The scenarios that the suite itself requires of a client for a revision. */
export async function requiredOfClients(revision: string): Promise<string[]> {
  const { output } = await run([nextSuite, 'list', '--requirements', revision]);
  const [, part = ''] = /Client scenarios[^\n]*\n((?: {2}- .*\n)*)/.exec(output) ?? [];
  return part.split('\n').flatMap((line) => (line.startsWith('  - ') ? [line.slice(4)] : []));
}

export async function runInspector(
  words: readonly string[],
  place: { cwd: string; env: Record<string, string> },
): Promise<ProgramRun> {
  return await run([inspector, '--cli', ...words], place);
}

async function run(args: readonly string[], place: { cwd?: string; env?: Record<string, string> } = {}) {
  const child = spawn(process.execPath, args, { ...place, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, 'close');
  return { code, output };
}
