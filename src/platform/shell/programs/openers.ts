// Programs that are not harmless, or not known to be, but that are commonly given files: their reads and writes are
// declared, so that a rule that denies a file covers them as well.
import { touch } from './options.js';
import { known, type Program, type ShellField, type Touch } from './program.js';

const names =
  'less most pg bat batcat view pr zless zmore zgrep zegrep bzcat xzcat lz4cat zstdcat bzgrep shuf tsort ptx gpg openssl socat xmllint csvcut mdcat glow code subl open xdg-open';

const output = /^(-o|-O|--output|--output-document|-out|--out)$/;

// The value is a program, not a file.
const code = /^(-\w*[ceEpr]|--eval|--print)$/;

/** Every word that is not an option may be a file, also as `@file` and `name=@file`. */
export function openedFiles(name: string, args: readonly ShellField[]): Touch[] {
  const inPlace = /^(perl|ruby)$/.test(name) && args.some(({ value }) => /^-\w*i/.test(value ?? ''));
  return args.flatMap((field, index): Touch[] => {
    const { value } = field;
    if (output.test(args[index - 1]?.value ?? '')) return touch('write', field);
    if (value === undefined) return touch('read', field);
    if (code.test(args[index - 1]?.value ?? '')) return [];
    const glued = /^--(?:output|output-document)=(.+)$/s.exec(value)?.[1];
    if (glued !== undefined) return touch('write', known(glued));
    const sent = /^(?:[^@]*=|--?[a-z-]+=?)?@(.+)$/s.exec(value)?.[1];
    if (sent !== undefined) return touch('read', known(sent));
    if (value.startsWith('-') || value.includes('://') || value.includes('\n')) return [];
    return [...touch('read', field), ...(inPlace ? touch('write', field) : [])];
  });
}

export const openers: readonly Program[] = [
  {
    names: names.split(' '),
    judge: ({ name, args }) => ({ why: `${name} is not known to be harmless`, touches: openedFiles(name, args) }),
    examples: {
      harmless: [],
      not: ['less a.txt', 'bat a.txt', 'openssl x509 -in a.pem'],
    },
  },
];
