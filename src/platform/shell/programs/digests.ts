// Checksums and encodings of files.
import {
  hasOption,
  judgePlain,
  mayBecomeOption,
  optionTable,
  parseOptions,
  plain,
  type TabledProgram,
} from './options.js';
import type { Program } from './program.js';

const checkOptions = '-c --check --ignore-missing --quiet --status --strict --warn';
const digestOptions = `-btz --binary --tag --text --zero --help --version ${checkOptions}`;

/** A checksum program that reads its operands, or with `--check` the files listed in its operands. */
function digest(names: string, options: string, examples: Program['examples']): TabledProgram {
  const table = optionTable(options);
  return {
    names: names.split(' '),
    table,
    examples,
    judge({ args }) {
      const parsed = parseOptions(args, table, { anyOption: true });
      const operands = hasOption(parsed, '-c', '--check') ? (['names'] as const) : (['read'] as const);
      return { ...judgePlain(parsed, { operands }), ...(args.some(mayBecomeOption) && { needsWalls: true }) };
    },
  };
}

// `-i` is a flag in GNU, and takes the file to read on macOS: it is accepted alone or with a file.
const base64Options = optionTable('-dDi -w= --decode --ignore-garbage --wrap= --help --version');

const base64: TabledProgram = {
  names: ['base64'],
  table: base64Options,
  judge({ args }) {
    const parsed = parseOptions(args, base64Options);
    const verdict = judgePlain(parsed, { operands: ['read'], maxOperands: 1 });
    const at = args.findIndex(({ value }) => value === '-i');
    const isBundled = hasOption(parsed, '-i') && at < 0;
    const next = args[at + 1];
    const unclear = isBundled || (at >= 0 && next !== undefined && next.mayBeOption && next.value !== '-');
    return unclear && verdict.why === undefined
      ? { ...verdict, why: 'whether -i takes a file differs between implementations' }
      : verdict;
  },
  examples: {
    harmless: [
      'base64 a.txt',
      'base64 -d a.b64',
      'echo aGk= | base64 -d',
      'base64 -w0 a',
      'base64 -i a.txt',
      'base64 -d -i a',
    ],
    not: ['base64 -o out a', 'base64 -i a -o b', 'base64 a b', 'base64 -iw .env', 'base64 -i -w .env', 'base64 $x'],
  },
};

export const digests: readonly Program[] = [
  digest('md5sum sha1sum sha224sum sha256sum sha384sum sha512sum', digestOptions, {
    harmless: [
      'sha256sum a.txt',
      'md5sum *.ts',
      'sha1sum -b a',
      'echo x | sha512sum',
      'sha256sum -c list',
      'md5sum --check --quiet list',
    ],
    not: ['sha256sum --unheard-of a', 'md5sum --che list', 'sha256sum -a 256 a', 'md5sum -wc list', 'md5sum -l 8 a'],
  }),
  digest('b2sum', `${digestOptions} -l= --length=`, {
    harmless: ['b2sum a', 'b2sum -l 256 a', 'b2sum -c a'],
    not: ['b2sum --chec a', 'b2sum -a x a'],
  }),
  digest('cksum', '-z -a= -l= --algorithm= --length= --tag --untagged --raw --base64 --zero --debug --help --version', {
    harmless: ['cksum a', 'cksum -a sha256 a'],
    not: ['cksum -c a', 'cksum -t a', 'cksum -o 1 a'],
  }),
  digest('sum', '-rs --sysv --help --version', {
    harmless: ['sum a', 'sum -s a'],
    not: ['sum -a 1 a', 'sum -l 1 a', 'sum -c a'],
  }),
  digest('shasum', '-btU0hv -a= --algorithm= --binary --tag --text --UNIVERSAL --01 --help --version', {
    harmless: ['shasum -a 256 a', 'shasum a'],
    not: ['shasum -c a', 'shasum --check a', 'shasum -l 8 a'],
  }),
  digest('md5', '-qrnt', { harmless: ['md5 a', 'md5 -q a'], not: ['md5 -c x a', 'md5 -s x a', 'md5 -a x a'] }),
  base64,
  plain({
    names: 'base32',
    options: '-di -w= --decode --ignore-garbage --wrap= --help --version',
    operands: ['read'],
    maxOperands: 1,
    examples: { harmless: ['base32 a.txt', 'base32 -w 0 a'], not: ['base32 a b', 'base32 -D a', 'base32 --base16 a'] },
  }),
  plain({
    names: 'basenc',
    options: `-di -w= --decode --ignore-garbage --wrap= --base64 --base64url --base32 --base32hex --base16 --base2msbf --base2lsbf
      --z85 --help --version`,
    operands: ['read'],
    maxOperands: 1,
    examples: { harmless: ['basenc --base16 a'], not: ['basenc a b', 'basenc --base a', 'basenc -o x a'] },
  }),
];
