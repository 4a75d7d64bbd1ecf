// The tables of options against the programs of this machine.
import { expect, test } from 'vitest';
import type { OptionTable } from '../../src/platform/shell/programs/options.js';
import { queries } from '../../src/platform/shell/programs/queries.js';
import { readers } from '../../src/platform/shell/programs/readers.js';
import { scripts } from '../../src/platform/shell/programs/scripts.js';
import { search } from '../../src/platform/shell/programs/search.js';
import { text } from '../../src/platform/shell/programs/text.js';
import { isInstalled, type ListedArity, listedOptions, probeOption } from './help-options.js';

const soak = process.env['HELVE_SOAK'] !== undefined;

const tabled: { name: string; table: OptionTable }[] = [...readers, ...text, ...search, ...scripts, ...queries].flatMap(
  (program) =>
    // The type is that of TabledProgram.
    'table' in program ? program.names.map((name) => ({ name, table: program.table as OptionTable })) : [],
);

// Why the help of a program says nothing that could be compared.
const withoutHelp: Readonly<Record<string, string>> = {
  type: 'is built into the shell',
  which: 'is a script without --help',
  cal: 'knows no --help',
  ncal: 'knows no --help',
  ps: 'describes its options in several sections of prose',
  md5: 'is a program of BSD systems',
  gzcat: 'is a program of BSD systems',
  gsed: 'is GNU sed on BSD systems',
  fd: 'is called fdfind here',
  colordiff: 'passes its options on to diff, whose table it has',
  expr: 'has no options',
};

// Options that this machine's version does not have: they are of BSD or macOS, or of a later version.
const elsewhere: Readonly<Record<string, string>> = {
  base64: '-D',
  cksum: '--raw --base64',
  file: '-I',
  realpath: '-E --canonicalize',
  rg: '-d --maxdepth',
  sed: '-I',
  stat: '-x -n -q -F -r -l -s',
  tail: '-r',
  w: '-p --pids',
  wc: '--total',
  zcat: '-k -n',
};

// Help is misleading: what the program itself answers to the option was looked at.
const misleading: Readonly<Record<string, string>> = {
  ls: '-p',
  dir: '-p',
  vdir: '-p',
  file: '-P --parameter',
  shasum: '-a --algorithm',
  sort: '-c -C',
  strings: '-w --include-all-whitespace',
  hostname: '-I --all-ip-addresses',
  rg: '--no-hidden --no-column',
  size: '-A -o',
  objdump: '-h',
  readelf: '-T --silent-truncation',
  pstree: '-h --highlight-all',
};

// These parse their words with getopt_long and say what is wrong in its words.
const notGetopt = new Set(['whereis', 'rg', 'fd', 'fdfind', 'shasum', 'colordiff', 'iconv', 'locale', 'zcat', 'more']);

const has = (list: Readonly<Record<string, string>>, program: string, option: string): boolean =>
  list[program]?.split(' ').includes(option) ?? false;

const fits = (ours: string, listed: ListedArity): boolean =>
  ours === listed || (listed === 'flagOrGlued' && ours !== 'required');

for (const { name, table } of tabled) {
  const reason = withoutHelp[name] ?? (isInstalled(name) ? undefined : 'is not installed');
  test.skipIf(reason !== undefined)(
    `the options of ${name} are as its help says${reason ? `: ${name} ${reason}` : ''}`,
    () => {
      const listed = listedOptions(name);
      expect(listed.size, 'options in its help').toBeGreaterThan(0);
      const problems: string[] = [];
      for (const [option, { value: ours }] of table.named) {
        if (has(elsewhere, name, option)) continue;
        const said = has(misleading, name, option) ? undefined : listed.get(option);
        const isClear = said !== undefined && !soak;
        const probed = notGetopt.has(name) || isClear ? undefined : probeOption(name, option);
        const answer = probed === 'glued' && said !== undefined ? said : probed;
        const theirs = answer ?? said ?? (has(misleading, name, option) ? ours : 'missing');
        if (theirs === 'missing' || !fits(ours, theirs)) problems.push(`${option}: ${ours}, and ${theirs} there`);
      }
      expect(problems).toEqual([]);
    },
  );
}

test('the table of every program in the list of those without help is in use', () => {
  const names = new Set(tabled.map(({ name }) => name));
  expect(Object.keys(withoutHelp).filter((name) => !names.has(name))).toEqual([]);
  expect(Object.keys(elsewhere).filter((name) => !names.has(name))).toEqual([]);
});
