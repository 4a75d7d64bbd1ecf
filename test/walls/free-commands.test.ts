// What runs without a question only looks: every free command is run for real, with each system call that could write,
// connect or open a denied file traced.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonLines, runHelve } from '../cli/run-helve.js';
import { seeded, seedOfRun } from '../seeded.js';
import { AttackPlaces, type Place } from './attack-place.js';
import { exampleFiles } from './example-project.js';
import { combinedCommands, plainCommands } from './free-commands.js';
import { traceSession } from './traced-session.js';

const soak = process.env['HELVE_SOAK'] !== undefined;
const seed = seedOfRun();
const WANTED = soak ? 10_000 : 200;
const BATCH = 200;
const LIMIT_MS = soak ? 3_600_000 : 300_000; // for a machine that is busy with other work
const deny = ['Read(**/.env)', 'Read(**/secrets/**)'];

const whyNot = ((): string | undefined => {
  if (process.platform !== 'linux') return 'strace is for Linux';
  const probe = spawnSync('strace', ['-f', '--seccomp-bpf', '-qq', '-e', 'trace=execve', 'true'], { encoding: 'utf8' });
  if (probe.error) return 'strace is not installed';
  return probe.status === 0 ? undefined : `strace does not work here: ${probe.stderr.split('\n')[0]}`;
})();

let places: AttackPlaces;
const made: string[] = [];

beforeAll(() => {
  places = new AttackPlaces();
});

afterAll(() => {
  places.end();
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

const newPlace = (): Place => places.make({ setup: [...exampleFiles] });

/** Those of the commands that this build runs without a question. */
async function freeOnes(commands: readonly string[], place: Place, walls: 'none' | undefined): Promise<string[]> {
  const home = mkdtempSync(join(tmpdir(), 'helve-free-'));
  made.push(home);
  const input = commands.map((command, index) =>
    JSON.stringify({ id: String(index), tool: 'Bash', input: { command }, settings: { permissions: { deny } } }),
  );
  const { stdout } = await runHelve(['permissions', 'explain', '--stdin'], {
    cwd: place.project,
    input: `${input.join('\n')}\n`,
    env: { HOME: place.home, HELVE_HOME: home, ...(walls && { HELVE_WALLS: walls }) },
  });
  return jsonLines(stdout)
    .filter(({ decision }) => decision === 'allow')
    .map(({ id }) => commands[Number(id)] ?? '');
}

/** All plain commands that are free, in a random order, then combinations until there are enough. */
async function choose(walls: 'none' | undefined): Promise<string[]> {
  const random = seeded(seed);
  const place = newPlace();
  const plain = plainCommands()
    .map((command) => ({ command, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ command }) => command);
  const most = soak ? plain.length : WANTED;
  const found = new Set(await freeOnes(plain.slice(0, most), place, walls));
  const combinations = combinedCommands(plain, random);
  for (let tries = 0; found.size < WANTED && tries < 50; tries += 1) {
    const more = Array.from({ length: 1_000 }, () => combinations.next().value);
    for (const command of await freeOnes(more, place, walls)) found.add(command);
  }
  return [...found].slice(0, WANTED);
}

/** One that moves to another folder may make the next ones ask. */
function movingLast(commands: readonly string[]): string[] {
  const moves = (command: string): boolean => /\b(cd|pushd|popd)\b/.test(command);
  return [...commands.filter((command) => !moves(command)), ...commands.filter(moves)];
}

describe.each([
  ['', undefined],
  [' on a machine that cannot confine commands', 'none'],
] as const)('a command that runs without a question%s', (_, walls) => {
  test(
    'writes nothing, connects to nothing and opens no denied file',
    async (context) => {
      if (whyNot !== undefined) return context.skip(whyNot);
      const commands = await choose(walls);
      expect(commands.length, `HELVE_SEED=${seed}`).toBe(WANTED);
      const effects: string[] = [];
      let ran = 0;
      for (let at = 0; at < commands.length; at += BATCH) {
        const traced = await traceSession(movingLast(commands.slice(at, at + BATCH)), newPlace(), {
          walls,
          deny,
          secrets: ['SECRET-ENV', 'SECRET-KEY', 'SECRET-JSON'],
        });
        effects.push(...traced.effects);
        ran += traced.ran;
      }
      expect(effects, `HELVE_SEED=${seed}`).toEqual([]);
      expect(ran, `HELVE_SEED=${seed}`).toBeGreaterThan(0.9 * WANTED);
    },
    LIMIT_MS,
  );
});

test('the trace shows what a command writes, connects to and opens', async (context) => {
  if (whyNot !== undefined) return context.skip(whyNot);
  const commands = ['touch PWNED', "bash -c 'mkdir d'", 'echo x > /dev/tcp/127.0.0.1/9', 'cat .env', 'rm b.txt', 'ls'];
  const { effects } = await traceSession(commands, newPlace(), {
    walls: 'none',
    deny: [],
    allow: ['Bash'],
    secrets: [],
  });
  const seen = commands.filter((command) => effects.some((effect) => effect.startsWith(`${command} ->`)));
  expect(seen).toEqual(commands.slice(0, -1));
});
