import { isHarmlessAssignment } from '../assignments.js';
import { guessCommand, hasOption, optionTable, optionTouches, parseOptions } from './options.js';
import type { Assigned, Call, Program, ProgramVerdict, Started } from './program.js';

export const env: Program = {
  names: ['env'],
  judge: judgeEnv,
  examples: {
    harmless: ['env LANG=C ls', 'env NO_COLOR=1 git diff'],
    not: [
      'env',
      'env LD_PRELOAD=./x.so ls',
      'env -u X touch y',
      'env A=1 touch x',
      'env -S "rm x"',
      'env -i ls',
      'env PATH=. ls',
    ],
  },
};

const envOptions = optionTable(
  '-i -0 -v -u= -C=list -S= --ignore-environment --null --unset= --chdir=list --split-string= --debug --help --version -',
);

function judgeEnv({ args }: Call): ProgramVerdict {
  const parsed = parseOptions(args, envOptions, { operandsEndOptions: true });
  if (parsed.problem !== undefined) {
    return {
      why: parsed.problem,
      unknown: `what env runs is not understood: ${parsed.problem}`,
      starts: [{ words: guessCommand(args) }],
    };
  }
  const at = parsed.operands.findIndex(({ value }) => value === undefined || !/^[^=]+=/s.test(value));
  const assigns = parsed.operands.slice(0, at < 0 ? undefined : at).map(({ value = '' }): Assigned => {
    const equals = value.indexOf('=');
    return { name: value.slice(0, equals), value: value.slice(equals + 1) };
  });
  const words = at < 0 ? [] : parsed.operands.slice(at).filter(({ value }, index) => index > 0 || value !== '-');
  const split = parsed.options.find(({ name }) => name === '-S' || name === '--split-string')?.value?.value;
  const unsafe = assigns.find((assigned) => !isHarmlessAssignment(assigned));
  const folder = parsed.options.find(({ meaning }) => meaning === 'list')?.value;
  const unsets = hasOption(parsed, '-u', '--unset', '-i', '--ignore-environment');
  const why =
    (unsafe && `it sets ${unsafe.name}, which may change what runs or what it touches`) ??
    (split === undefined ? undefined : 'it splits a string into a command') ??
    (words.length === 0 && !hasOption(parsed, '--help', '--version')
      ? 'it prints the environment, which may hold secrets'
      : undefined) ??
    (unsets ? 'it takes variables away from what it runs' : undefined);
  const starts: Started[] = [
    ...(split === undefined ? [] : [{ script: split, dialect: 'posix' as const }]),
    ...(words.length === 0 ? [] : [{ words, assigns, ...(folder && { in: folder }) }]),
  ];
  return { ...(why !== undefined && { why }), touches: optionTouches(parsed), starts };
}
