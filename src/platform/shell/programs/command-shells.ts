// Shells, which run a script that is an argument, a file or their input, and programs that pass one to a shell.
import { touch } from './options.js';
import { type Call, known, type Program, type ProgramVerdict, type ShellField } from './program.js';
import { fromStream, isStandardInput, isStream } from './program-input.js';

const shells = new Map<string, 'bash' | 'posix' | 'other'>([
  ['bash', 'bash'],
  ['sh', 'posix'],
  ['dash', 'posix'],
  ['ash', 'posix'],
  ['zsh', 'other'],
  ['ksh', 'other'],
  ['mksh', 'other'],
  ['fish', 'other'],
  ['csh', 'other'],
  ['tcsh', 'other'],
]);

export const commandShells: readonly Program[] = [
  {
    names: [...shells.keys()],
    judge: judgeShell,
    examples: {
      harmless: ["bash -c 'ls src'", "sh -c 'ls | head'", 'bash --version'],
      not: [
        "sh -c 'rm x'",
        "bash -lc 'ls'",
        'bash x.sh',
        'sh',
        "sh -ec 'touch x'",
        'bash -c "$x"',
        "zsh -c 'ls'",
        "sh -c '[[ a > b ]]'",
        'bash -s < x',
        "sh -c '((touch x))'",
      ],
    },
  },
  {
    names: ['script', 'su', 'newgrp', 'sg'],
    judge: judgeScriptOption('it'),
    examples: { harmless: [], not: ["script -qc 'touch x' /dev/null", "su -c 'rm x'"] },
  },
];

function judgeShell({ name, args }: Call): ProgramVerdict {
  const dialect = shells.get(name) ?? 'other';
  let readsScript = false;
  let readsInput = false;
  let startsUp = false;
  const rest = [...args];
  for (let first = rest[0]; first; first = rest[0]) {
    const { value } = first;
    if (value === undefined && first.mayBeOption)
      return { why: `${first.text} may be an option`, unknown: `what ${name} runs is not known before it runs` };
    if (value === undefined || !/^[-+]./.test(value)) break;
    rest.shift();
    if (value === '--') break;
    if (value === '--version' || value === '--help') return {};
    if (value === '--norc' || value === '--noprofile' || value === '--posix') continue;
    if (value === '--rcfile' || value === '--init-file') {
      startsUp = true;
      const file = rest.shift();
      if (file && isStream(file)) return runsStream(name, file, dialect);
      continue;
    }
    if (value.startsWith('--')) {
      startsUp = true;
      continue;
    }
    readsScript ||= value.startsWith('-') && value.includes('c');
    readsInput ||= value.startsWith('-') && value.includes('s');
    startsUp ||= /[^-+ceuxvno]/.test(value);
    if (/[oO]/.test(value)) rest.shift();
  }
  const [script] = rest;
  if (!readsScript) {
    if (readsInput || script === undefined) return runsStream(name, known('-'), dialect);
    if (isStream(script)) return runsStream(name, script, dialect);
    return { why: `it runs the script ${script.text}`, touches: touch('read', script) };
  }
  if (script?.value === undefined)
    return { why: 'its script is not known', unknown: `what ${name} -c runs is not known before it runs` };
  return {
    starts: [{ script: script.value, dialect }],
    ...(startsUp && { why: 'it may read startup files or change how the script is read' }),
  };
}

const runsStream = (name: string, file: ShellField, dialect: 'bash' | 'posix' | 'other'): ProgramVerdict => ({
  why: isStandardInput(file) ? 'it runs what comes on standard input' : `${name} runs what comes from ${file.text}`,
  touches: file.value === '-' ? [] : touch('read', file),
  ...fromStream(file, dialect),
});

const findOptionScript = (args: readonly ShellField[], names: RegExp): ShellField | undefined => {
  const at = args.findIndex(({ value }) => names.test(value ?? ''));
  return at < 0 ? undefined : args[at + 1];
};

/** `script -qc 'cmd' file`, `su -c 'cmd'`: the command is in an option. */
function judgeScriptOption(name: string): Program['judge'] {
  return ({ args }) => {
    const glued = args
      .map(({ value }) => /^--command=(.*)$/s.exec(value ?? '')?.[1])
      .find((value) => value !== undefined);
    const script = glued ?? findOptionScript(args, /^(-\w*c|--command)$/)?.value;
    return {
      why: `${name} is not known to be harmless`,
      ...(script !== undefined && { starts: [{ script, dialect: 'posix' as const }] }),
      unknown: `what ${name} runs is not fully known before it runs`,
    };
  };
}
