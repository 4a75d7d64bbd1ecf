// The options of a program by its own words: what `--help` lists, and what it answers when it is given one.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Arity } from '../../src/platform/shell/programs/options.js';

/** `flagOrGlued`: a short option beside a long one with an optional value, of which help does not say more. */
export type ListedArity = Arity | 'flagOrGlued';

function run(program: string, args: readonly string[]): { text: string; complaint: string; failed: boolean } {
  const cwd = mkdtempSync(join(tmpdir(), 'helve-options-')); // empty, so that nothing is read
  const { stdout, stderr, error } = spawnSync(program, args, {
    input: '',
    encoding: 'utf8',
    timeout: 20_000,
    cwd,
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', HOME: '/nonexistent', TERM: 'dumb' },
  });
  rmSync(cwd, { recursive: true });
  return { text: `${stdout ?? ''}\n${stderr ?? ''}`, complaint: stderr ?? '', failed: error !== undefined };
}

export const isInstalled = (program: string): boolean =>
  spawnSync('/bin/sh', ['-c', `command -v -- "$0"`, program], { stdio: 'ignore' }).status === 0;

/** Every option that the help of a program lists. */
export function listedOptions(program: string): Map<string, ListedArity> {
  const { text, failed } = run(program, ['--help']);
  const found = new Map<string, ListedArity>();
  if (failed) return found;
  const pairs: { short: string; long: string }[] = [];
  for (const line of stripVTControlCharacters(text).split('\n')) {
    const options = optionsOfLine(line);
    for (const [name, arity] of options) {
      const before = found.get(name);
      found.set(name, before === undefined || before === arity ? arity : 'glued'); // `--check` and `--check=quiet`
    }
    const long = options.findLast(([name]) => name.startsWith('--'))?.[0];
    for (const [name, arity] of options) {
      if (long !== undefined && arity === 'none' && /^-[^-]$/.test(name)) pairs.push({ short: name, long });
    }
  }
  for (const { short, long } of pairs) {
    const arity = found.get(long);
    if (arity === 'required')
      found.set(short, 'required'); // mandatory for the long one, mandatory for the short one
    else if (arity === 'glued' && found.get(short) === 'none') found.set(short, 'flagOrGlued');
  }
  return found;
}

/** `-n, --lines=NUM   text`: the options before the text, each with what follows it. */
function optionsOfLine(line: string): [string, Arity][] {
  const trimmed = line.trimStart();
  const indent = line.length - trimmed.length;
  if (!/^-[\w?.-]/.test(trimmed) || indent === 0 || indent > 8) return []; // prose that names an option
  const [first = '', second = ''] = trimmed.split(/ {2,}|\t/);
  const words = `${first} ${/^--/.test(second) ? second : ''}`.split(/[,\s]+/).filter(Boolean);
  const options: [string, Arity][] = [];
  for (const word of words) {
    const last = options.at(-1);
    const [, name = '', rest = ''] = /^(--[\w-]+|-[\w?.])(.*)$/.exec(word) ?? [];
    if (name === '') {
      if (last && word !== '-' && last[1] === 'none') last[1] = 'required';
      continue;
    }
    options.push([name, rest.startsWith('[') ? 'glued' : rest.startsWith('=') ? 'required' : 'none']);
  }
  return options;
}

/**
 * Probes one option of a program that uses getopt: its arity, or `missing` if the program does not have the option.
 * An option that ends the program at once, such as `-V`, gives `glued` too.
 */
export function probeOption(program: string, option: string): Arity | 'missing' {
  const isUnknown = /(invalid|unrecognized|unknown|illegal) option|ambiguous/i;
  const alone = run(program, [option]).complaint;
  if (/requires an argument/.test(alone)) return 'required';
  if (isUnknown.test(alone)) return 'missing';
  if (option.startsWith('--')) {
    return /doesn't allow an argument/.test(run(program, [`${option}=\x01`]).complaint) ? 'none' : 'glued';
  }
  return isUnknown.test(run(program, [`${option}\x01`]).complaint) ? 'none' : 'glued';
}
