// A confined command tells the truth: what it prints and how it ends are what they would be without confinement.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programs } from '../../src/platform/shell/programs/index.js';
import { jsonLines, runHelve } from '../cli/run-helve.js';
import { AttackPlaces, type Place } from './attack-place.js';
import { SYSTEM_PATH } from './attempt.js';
import { isConfinedHere } from './confined-here.js';
import { exampleFiles } from './example-project.js';

/** Commands that answer differently each time, confined or not. */
const changing: ReadonlyArray<[RegExp, string]> = [
  [/^date\b(?!.* -r)/, 'the time of day'],
  [/\b(uptime|free|vmstat|w|times|lscpu)\b/, 'the load of the machine'],
  [/\bps\b|\bpgrep\b|\bpstree\b/, 'the processes of the moment'],
  [/\bss\b/, 'the sockets of the moment'],
  [/^ip -s\b/, 'counts of network packets'],
  [/\bstat -f\b|\bdf\b|\blsblk\b/, 'the space that is left'],
  [/\btime\b/, 'how long it took'],
  [/^git (blame|annotate)\b/, 'when a line that is not committed was looked at'],
  [/\btail -f\b|\byes\b|\bsleep\b/, 'takes long'],
  [/^cd( \.\.)?$/, 'leaves the project, which is asked about'],
];

/** Where confinement shows, on purpose. Each entry is for the documents to name. */
const knownDifferences: ReadonlyArray<[RegExp, string]> = [
  [/^ls -la$/, 'the folder above the project is one of the confinement'],
  [/^getconf -a$/, 'so is the root of the file system, by whose limits it answers'],
];

/** Programs that search with several threads print what they find in any order. */
const comparable = (command: string, { content, is_error }: Result = {}): string => {
  const text = String(content);
  const isUnordered = /\b(rg|fd|fdfind)\b/.test(command);
  return JSON.stringify([isUnordered ? text.split('\n').toSorted().join('\n') : text, is_error]);
};

interface Result {
  content?: unknown;
  is_error?: unknown;
}

const isNamed = (list: ReadonlyArray<[RegExp, string]>, command: string): boolean =>
  list.some(([pattern]) => pattern.test(command));

const all = [...new Set(programs.flatMap(({ examples }) => examples.harmless))];
const missing = missingPrograms(programs.flatMap(({ names }) => names));
const usesMissing = (command: string): boolean =>
  missing.some((name) => new RegExp(`(^|[\\s|;&(])${name.replace(/[^\w-]/g, '\\$&')}(\\s|$)`).test(command));
const examples = all.filter((command) => !isNamed(changing, command) && !usesMissing(command));

function missingPrograms(names: readonly string[]): string[] {
  const script = 'for name; do type -t -- "$name" > /dev/null || printf "%s\\n" "$name"; done';
  const found = execFileSync('bash', ['-c', script, 'bash', ...names], {
    env: { PATH: SYSTEM_PATH },
    encoding: 'utf8',
  });
  return found.split('\n').filter(Boolean);
}

let places: AttackPlaces;

beforeAll(() => {
  places = new AttackPlaces();
});

afterAll(() => places.end());

/** The results of the commands in one session, each of them begun in the project's folder. */
async function results(commands: readonly string[], place: Place, env: Readonly<Record<string, string>>, mode: string) {
  const calls = commands.flatMap((command, index) => [
    { id: String(index), tool: 'Bash', input: { command, timeout: 20_000 } },
    ...(/\b(cd|pushd|popd)\b/.test(command)
      ? [{ id: 'home', tool: 'Bash', input: { command: `cd ${place.project}` } }]
      : []),
  ]);
  const { stdout } = await runHelve(['call', '--stdin', '--permission-mode', mode], {
    cwd: place.project,
    input: `${calls.map((call) => JSON.stringify(call)).join('\n')}\n`,
    env: {
      PATH: SYSTEM_PATH,
      HOME: place.home,
      HELVE_HOME: join(place.folder, `data-${mode}`),
      TMPDIR: join(place.folder, 'tmp'),
      LANG: 'C.UTF-8',
      ...env,
    },
  });
  const answers = jsonLines(stdout).filter(({ id }) => id !== 'home');
  return new Map(answers.map(({ id, content, is_error }) => [commands[Number(id)] ?? '', { content, is_error }]));
}

describe.skipIf(process.platform !== 'linux')('every example of the program tables', () => {
  const skipped = missing.length > 0 ? ` (not installed here: ${missing.join(', ')})` : '';
  test(`prints the same and ends the same, confined or not${skipped}`, async (context) => {
    if (!(await isConfinedHere())) return context.skip('commands cannot be confined here');
    const place = places.make({ setup: [...exampleFiles] });
    const confined = await results(examples, place, {}, 'default');
    const unconfined = await results(examples, place, { HELVE_WALLS: 'none' }, 'bypassPermissions');
    const different = examples.filter(
      (command) => comparable(command, confined.get(command)) !== comparable(command, unconfined.get(command)),
    );
    const shown = (command: string): string =>
      `${command}\n  confined:   ${JSON.stringify(confined.get(command))}\n  unconfined: ${JSON.stringify(unconfined.get(command))}`;
    expect(different.filter((command) => !isNamed(knownDifferences, command)).map(shown)).toEqual([]);
    const outdated = knownDifferences.filter(([pattern]) => !different.some((command) => pattern.test(command)));
    expect(outdated.map(([, why]) => why)).toEqual([]);
    expect(examples.length).toBeGreaterThan(150);
  }, 300_000);
});
