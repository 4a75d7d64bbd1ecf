// Programs that show the bytes of a file.
import { judgePlain, optionTable, type Parsed, parseOptions, plain, type TabledProgram, touch } from './options.js';
import { type Field, notHarmless, type Program, type Verdict } from './program.js';

const stringsOptions = optionTable(
  `-adfwohvV -n= -t= -e= -T= -s= -U= -# --all --data --bytes= --radix= --encoding= --target= --output-separator= --unicode=
  --print-file-name --include-all-whitespace --help --version`,
);

/** A word `@file`, or one that may turn out to be: options and files are then taken from that file. */
function namesResponseFile({ value, text, places }: Field): boolean {
  if (value !== undefined) return value.startsWith('@');
  return places === undefined || text.replace(/^["'\\]+/, '').startsWith('@');
}

const strings: TabledProgram = {
  names: ['strings'],
  table: stringsOptions,
  judge({ args }) {
    const verdict = judgePlain(parseOptions(args, stringsOptions), { operands: ['read'] });
    const why =
      verdict.why ?? (args.some(namesResponseFile) ? '@ takes options and files from another file' : undefined);
    return { ...verdict, ...(why !== undefined && { why }) };
  },
  examples: {
    harmless: ['strings a.bin', 'strings -n 8 a.bin', 'strings -8 a.bin', 'strings -a -t x a.bin', 'strings src/*.bin'],
    not: [
      'strings --unheard-of a',
      'strings @list',
      'strings "$x"',
      'strings @*',
      'strings \\@list',
      'strings -n @x a',
    ],
  },
};

const xxdFlags = new Set('-a -b -C -d -E -e -h -i -p -ps -r -u -v'.split(' '));
const xxdValues = new Set('-c -g -l -n -o -s'.split(' '));

/** xxd has a parser of its own that looks at the first letters of a word, so that `-rp` is `-r`: no bundles are taken. */
function judgeXxd({ args }: { args: readonly Field[] }): Verdict {
  const rest = [...args];
  for (let word = rest[0]?.value; word?.startsWith('-') && word !== '-'; word = rest[0]?.value) {
    rest.shift();
    if (word === '--') break;
    if (xxdFlags.has(word)) continue;
    const [, name = '', glued = ''] = /^(-[cglnos])([-+]?(?:0x)?[\da-fA-F]+)?$/.exec(word) ?? [];
    const value = xxdValues.has(name) && glued === '' ? rest.shift() : undefined;
    if (!xxdValues.has(name) || value?.splits || (glued === '' && value === undefined)) {
      const files = rest.flatMap((field) => touch('read', field));
      return notHarmless(`${word} is not understood as xxd would`, { touches: files });
    }
  }
  const parsed: Parsed = { options: [], operands: rest };
  const unknownOption = rest.find(({ value, mayBeOption }) => value === undefined && mayBeOption);
  const verdict = judgePlain(parsed, { operands: ['read', 'write'], maxOperands: 1 });
  if (verdict.why !== undefined || unknownOption === undefined) return verdict;
  return { ...verdict, why: `${unknownOption.text} may be an option` };
}

const xxd: Program = {
  names: ['xxd'],
  judge: judgeXxd,
  examples: {
    harmless: ['xxd a.bin', 'xxd -s 16 -l 16 a.bin', 'xxd -p a', 'xxd -l16 a', 'echo 6869 | xxd -r -p', 'xxd -s -16 a'],
    not: [
      'xxd a.bin out',
      'xxd -r a b',
      'xxd a -p',
      'xxd *',
      'xxd -rp a b',
      'xxd -pr a',
      'xxd -l 16 a out',
      'xxd -cols 8 a out',
      'xxd -seek 1 a',
      'xxd -- a out',
    ],
  },
};

export const dumps: readonly Program[] = [
  plain({
    names: 'od',
    options: `-abcdfhilosvx -A= -t= -N= -j= -S= -w? --address-radix= --format= --read-bytes= --skip-bytes= --output-duplicates
      --width? --strings? --traditional --endian= --help --version`,
    operands: ['read'],
    anyOption: true,
    examples: { harmless: ['od -c a.bin', 'od -A x -t x1z a.bin', 'od -An -tx1 -w8 a'], not: ['od -Q a', 'od -S'] },
  }),
  plain({
    names: 'hexdump hd',
    options: `-bcCdovx -e= -f=read -n= -s= -L? --one-byte-octal --one-byte-char --canonical --two-bytes-decimal --two-bytes-octal
      --two-bytes-hex --color? --format= --format-file=read --length= --skip= --no-squeezing --help --version`,
    operands: ['read'],
    anyOption: true,
    examples: {
      harmless: ['hexdump -C a.bin | head', 'hexdump -n 16 a', 'hexdump -Cn 16 a'],
      not: ['hexdump --unheard-of a', 'hexdump --form a b'],
    },
  }),
  xxd,
  strings,
];
