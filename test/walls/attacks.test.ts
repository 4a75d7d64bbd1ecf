// Commands written to get past the permission check, each run for real in an untrusted project with no one to ask. None
// may have its effect: neither where the kernel confines commands, nor where it cannot and fewer of them are free.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sample, seeded, seedOfRun } from '../seeded.js';
import { type Attack, type AttackMode, readAttacks } from './attack.js';
import { AttackPlaces } from './attack-place.js';
import { type AttemptOptions, attempt, denyRules, ORDINARY_USER, SYSTEM_PATH } from './attempt.js';
import { isConfinedHere } from './confined-here.js';

const soak = process.env['HELVE_SOAK'] !== undefined;
const seed = seedOfRun();
const AT_ONCE = 3;
const LIMIT_MS = soak ? 1_800_000 : 300_000; // for a machine that is busy with other work
const MORE_IN_CI = 15; // beside one of every class

const isInstalled = (program: string): boolean =>
  SYSTEM_PATH.split(':').some((folder) => {
    try {
      accessSync(`${folder}/${program}`, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

// The confinement of a command is Linux's; on other systems the corpus is about programs that differ.
const attacks =
  process.platform === 'linux'
    ? readAttacks('test/fixtures/attacks.jsonl').filter(
        ({ needs = [], documented }) => documented === undefined && needs.every(isInstalled),
      )
    : [];
const classes = [...new Set(attacks.map((attack) => attack.class))];

type Conditions = Omit<AttemptOptions, 'mode'> & { modes?: readonly AttackMode[] };

const conditions: ReadonlyArray<[string, Conditions]> = [
  ['', {}],
  [' on a machine that cannot confine commands', { walls: 'none' }],
  [' under rules that deny', { deny: denyRules, modes: ['default'] }],
  [' as an ordinary user', { user: 'ordinary', modes: ['default', 'acceptEdits'] }],
  [
    ' as an ordinary user on a machine that cannot confine commands',
    { user: 'ordinary', walls: 'none', modes: ['default', 'acceptEdits'] },
  ],
];

let places: AttackPlaces;
let isConfined: boolean;

beforeAll(async () => {
  places = new AttackPlaces();
  isConfined = await isConfinedHere();
});

afterAll(() => places.end());

function whyNotOrdinary(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can run it as another user';
  const as = [`--reuid=${ORDINARY_USER}`, `--regid=${ORDINARY_USER}`, '--clear-groups'];
  const { status } = spawnSync('setpriv', [...as, process.execPath, resolve('bin/helve.cjs'), '--version']);
  return status === 0 ? undefined : 'an ordinary user cannot run what is built here';
}

/** A few at a time; what they report, sorted. */
async function eachOf<Item>(items: readonly Item[], report: (item: Item) => Promise<string[]>): Promise<string[]> {
  const found: string[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) found.push(...(await report(item)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found.toSorted();
}

/** Every attempt that had an effect, in words. */
const effectsOf = (tasks: ReadonlyArray<{ attack: Attack; mode: AttackMode }>, options: Conditions) =>
  eachOf(tasks, async ({ attack, mode }) => {
    const { effects } = await attempt(attack, places, { ...options, mode });
    return effects.length > 0 ? [`${attack.id} (${mode}): ${attack.command} -> ${effects.join(', ')}`] : [];
  });

const inModes = (some: readonly Attack[], modes?: readonly AttackMode[]) =>
  some.flatMap((attack) =>
    attack.modes.filter((mode) => modes?.includes(mode) ?? true).map((mode) => ({ attack, mode })),
  );

describe.skipIf(attacks.length === 0)('a command that runs without a question', () => {
  for (const [how, options] of conditions) {
    const groups = soak ? classes.map((name): [string, string] => [name, `: ${name}`]) : [['', ''] as const];
    for (const [name, suffix] of groups) {
      test(
        `has no effect that must be asked about${how}${suffix}`,
        async (context) => {
          const reason = options.user === 'ordinary' ? whyNotOrdinary() : undefined;
          if (reason !== undefined) return context.skip(reason);
          const isFull = isConfined && options.walls === undefined;
          const counted = attacks.filter(({ unconfined }) => isFull || unconfined === undefined);
          const ofClass = counted.filter((attack) => attack.class === name);
          const tasks = soak ? inModes(ofClass, options.modes) : chosen(counted, options);
          expect(await effectsOf(tasks, options), `HELVE_SEED=${seed}`).toEqual([]);
        },
        LIMIT_MS,
      );
    }
  }

  /** One of every class and some more, each in one mode. */
  function chosen(counted: readonly Attack[], { modes }: Conditions): Array<{ attack: Attack; mode: AttackMode }> {
    const random = seeded(seed);
    const tasks = inModes(counted, modes);
    const ofEach = classes.flatMap((name) =>
      sample(
        tasks.filter(({ attack }) => attack.class === name),
        1,
        random,
      ),
    );
    return [...ofEach, ...sample(tasks, MORE_IN_CI, random)];
  }
});

describe.skipIf(!soak || attacks.length === 0)('an attack', () => {
  test.each(classes)(
    'has its effect where it is permitted: %s',
    async (name) => {
      const without = await eachOf(
        attacks.filter((attack) => attack.class === name),
        async (attack) => {
          const bypassed = await attempt(attack, places, { mode: 'bypass', withoutRules: true });
          const isReal = bypassed.shown || (await attempt(attack, places, { mode: 'plain' })).shown;
          return isReal ? [] : [`${attack.id}: ${attack.command}`];
        },
      );
      expect(without).toEqual([]);
    },
    LIMIT_MS,
  );
});
