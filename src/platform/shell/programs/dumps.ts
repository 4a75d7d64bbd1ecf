// Programs that show the bytes of a file, or the parts of an object file.
import {
  judgePlain,
  type OptionTable,
  optionTable,
  type ParsedArguments,
  parseOptions,
  plain,
  type TabledProgram,
  touch,
} from './options.js';
import { notHarmless, type Program, type ProgramVerdict, type ShellField } from './program.js';

const stringsOptions = optionTable(
  `-adfwohvV -n= -t= -e= -T= -s= -U= -# --all --data --bytes= --radix= --encoding= --target= --output-separator= --unicode=
  --print-file-name --include-all-whitespace --help --version`,
);

/** A word `@file`, or one that may turn out to be: options and files are then read from that file. */
function namesResponseFile({ value, text, pathSpecs }: ShellField): boolean {
  if (value !== undefined) return value.startsWith('@');
  return pathSpecs === undefined || text.replace(/^["'\\]+/, '').startsWith('@');
}

/** A program of binutils that prints the content of an object file. */
function objectReader(
  name: string,
  table: OptionTable,
  { needsWalls, examples }: { needsWalls?: true; examples: Program['examples'] },
): TabledProgram {
  return {
    names: [name],
    table,
    judge({ args }) {
      const verdict = judgePlain(parseOptions(args, table), { operands: ['read'] });
      const why =
        verdict.why ?? (args.some(namesResponseFile) ? '@ takes options and files from another file' : undefined);
      return { ...verdict, ...(needsWalls && { needsWalls }), ...(why !== undefined && { why }) };
    },
    examples,
  };
}

const strings = objectReader('strings', stringsOptions, {
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
});

const size = objectReader(
  'size',
  optionTable('-ABGodxtfhvV --format= --radix= --totals --common --target= --help --version'),
  {
    needsWalls: true,
    examples: { harmless: ['size a.o', 'size --radix=8 a.o', 'size -A a.o'], not: ['size @a', 'size --plugin x a.o'] },
  },
);

// Not -S, -l and -W, which read the files that debugging information names; nor -I and -P.
const objdump = objectReader(
  'objdump',
  optionTable(
    `-afphxdDsgeGtTrRvHiFwzC -b= -m= -j= -M= --archive-headers --file-headers --private-headers --headers --section-headers --all-headers
    --disassemble? --disassemble-all --full-contents --syms --dynamic-syms --reloc --dynamic-reloc --version --info --help
    --target= --architecture= --section= --disassembler-options= --endian= --file-offsets --demangle? --wide --disassemble-zeroes
    --start-address= --stop-address= --no-addresses --prefix-addresses --show-raw-insn --no-show-raw-insn --insn-width= --adjust-vma=
    --special-syms --visualize-jumps? --disassembler-color= --recurse-limit --no-recurse-limit`,
  ),
  {
    needsWalls: true,
    examples: {
      harmless: ['objdump -d a.o', 'objdump --disassemble a.o --disassembler-options intel', 'objdump -x a.o'],
      not: ['objdump -S a.o', 'objdump @a', 'objdump -d -I x a.o', 'objdump --source a.o'],
    },
  },
);

// Not --plugin, which loads code.
const nm = objectReader(
  'nm',
  optionTable(
    `-aABCDgnopPrSsuvVhUW -f= -t= --debug-syms --print-armap --demangle? --no-demangle --dynamic --defined-only --extern-only --format=
    --line-numbers --numeric-sort --no-sort --portability --print-size --print-file-name --quiet --reverse-sort --radix= --size-sort
    --special-syms --synthetic --target= --undefined-only --unicode= --with-symbol-versions --no-weak --help --version`,
  ),
  {
    needsWalls: true,
    examples: {
      harmless: ['nm a.o', 'nm -D a.so', 'nm -C a.o | sort'],
      not: ['nm --plugin=x a.o', 'nm @a', 'nm --plug x a.o'],
    },
  },
);

const readelf = objectReader(
  'readelf',
  optionTable(
    `-aehlSgtsnrudVAcIDWTCvH -x= -p= -R= --all --file-header --program-headers --segments --section-headers --sections --section-groups
    --section-details --headers --syms --symbols --dyn-syms --lto-syms --sym-base= --demangle? --no-demangle --notes --relocs --unwind
    --dynamic --version-info --arch-specific --archive-index --use-dynamic --hex-dump= --string-dump= --relocated-dump= --histogram
    --wide --silent-truncation --version --help`,
  ),
  {
    needsWalls: true,
    examples: {
      harmless: ['readelf -h a.o', 'readelf -d a.so', 'readelf -Ws a.o'],
      not: ['readelf -w a.o', 'readelf @a', 'readelf -zP a.o'],
    },
  },
);

const xxdFlags = new Set('-a -b -C -d -E -e -h -i -p -ps -r -u -v'.split(' '));
const xxdValues = new Set('-c -g -l -n -o -s'.split(' '));

/**
 * xxd has its own parser that checks the first letters of a word, so `-rp` is `-r`: bundled options are not accepted.
 */
function judgeXxd({ args }: { args: readonly ShellField[] }): ProgramVerdict {
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
  const parsed: ParsedArguments = { options: [], operands: rest };
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
  size,
  objdump,
  nm,
  readelf,
];
