// Programs that run another command. The wrapper and the wrapped command are judged separately: a wrapper is harmless
// if it adds no effects.
import { isHarmlessAssignment } from '../assignments.js';
import {
  hasOption,
  type OptionTable,
  optionTable,
  optionTouches,
  type Parsed,
  parseOptions,
  touch,
} from './options.js';
import {
  type Assigned,
  type Call,
  type Field,
  known,
  notHarmless,
  type Program,
  type Started,
  type Verdict,
  wordOfNames,
} from './program.js';
import { fromStream, isStandardInput, isStream } from './program-input.js';

interface WrapperSpec {
  names: string;
  options: string;
  /** The number of words before the command: the duration of `timeout`. */
  before?: number;
  /** Why the wrapper is not harmless, whatever it runs. */
  why?: string;
  sameShell?: boolean;
  /** `sudo A=1 cmd`: assignments may precede the command. */
  takesAssignments?: boolean;
  /** It passes its words to a shell as one text, unless this option is present. */
  scriptUnless?: string;
  examples: Program['examples'];
}

/** If not all options are known, the command after them is searched for anyway: deny rules have to see it. */
function wrapper(spec: WrapperSpec): Program {
  let table: OptionTable | undefined;
  return {
    names: spec.names.split(' '),
    examples: spec.examples,
    judge({ name, args }) {
      table ??= optionTable(spec.options);
      const parsed = parseOptions(args, table, { operandsEndOptions: true });
      const found = parsed.problem === undefined ? parsed.operands.slice(spec.before ?? 0) : guessCommand(args);
      const assigned = spec.takesAssignments ? found.findIndex(({ value }) => !/^\w+=/.test(value ?? '')) : 0;
      const words = assigned < 0 ? [] : found.slice(assigned);
      const splits = parsed.operands.slice(0, spec.before ?? 0).some((field) => field.splits);
      const why = parsed.problem ?? (splits ? 'a word before the command may be several' : undefined) ?? spec.why;
      return {
        ...(why !== undefined && { why }),
        touches: optionTouches(parsed),
        ...(words.length > 0 && { starts: startedBy(words, parsed, spec) }),
        ...(parsed.problem !== undefined && {
          unknown: `what ${name} runs is not understood: ${parsed.problem}`,
        }),
      };
    },
  };
}

function startedBy(words: readonly Field[], parsed: Parsed, { sameShell, scriptUnless }: WrapperSpec): Started[] {
  const started: Started = { words, ...(sameShell && { sameShell }) };
  const [first, second] = words;
  if (/^(-c|--command)$/.test(first?.value ?? '') && second?.value !== undefined) {
    return [{ script: second.value, dialect: 'posix' }];
  }
  if (scriptUnless === undefined || hasOption(parsed, scriptUnless)) return [started];
  const values = words.flatMap(({ value }) => value ?? []);
  return values.length === words.length ? [{ script: values.join(' '), dialect: 'posix' }] : [started];
}

/** The words after the options, if not all options are known. */
function guessCommand(args: readonly Field[]): readonly Field[] {
  const at = args.findIndex(
    ({ value }) => value !== undefined && /^[A-Za-z_./]/.test(value) && !/^[A-Za-z_]\w*=/.test(value),
  );
  return at < 0 ? [] : args.slice(at);
}

const envOptions = optionTable(
  '-i -0 -v -u= -C=list -S= --ignore-environment --null --unset= --chdir=list --split-string= --debug --help --version -',
);

function judgeEnv({ args }: Call): Verdict {
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

const xargsOptions = optionTable(
  '-0oprtx -a=read -d= -E= -e? -I= -i? -L= -l? -n= -P= -s= -J= -R= --null --arg-file=read --delimiter= --eof? --replace? --max-lines? --max-args= --max-procs= --max-chars= --no-run-if-empty --verbose --exit --interactive --open-tty --show-limits --process-slot-var= --help --version',
);

function judgeXargs({ args, piped }: Call): Verdict {
  const parsed = parseOptions(args, xargsOptions, { operandsEndOptions: true });
  if (parsed.problem !== undefined) {
    return {
      why: parsed.problem,
      unknown: `what xargs runs is not understood: ${parsed.problem}`,
      starts: [{ words: guessCommand(args) }],
    };
  }
  const fromFile = hasOption(parsed, '-a', '--arg-file');
  const marks = parsed.options
    .filter(({ name }) => ['-I', '-i', '--replace', '-J'].includes(name))
    .map(({ value }) => value?.value ?? '{}');
  const atNul =
    hasOption(parsed, '-0', '--null') && !hasOption(parsed, '-d', '--delimiter', '-I', '-i', '--replace', '-J');
  const names = fromFile ? undefined : piped;
  const text = marks[0] ?? '';
  const stdin: Field = names
    ? wordOfNames(text, names, { atNul, splits: true })
    : { text, mayBeOption: true, splits: true };
  const words = parsed.operands.map((word): Field => {
    const holds = marks.some((mark) => mark !== '' && (word.value ?? word.text).includes(mark));
    if (!holds) return word;
    return marks.includes(word.value ?? '')
      ? { ...stdin, text: word.text }
      : { text: word.text, mayBeOption: true, splits: false };
  });
  const command = words.length > 0 ? words : [known('echo')];
  // Words from standard input are appended; they have no text, since a rule would have to match it.
  const appended = marks.length > 0 ? [] : [stdin];
  return {
    touches: optionTouches(parsed),
    starts: [{ words: [...command, ...appended] }],
    needsWalls: true,
    ...(hasOption(parsed, '--process-slot-var') && { why: 'it sets a variable' }),
  };
}

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

function judgeShell({ name, args }: Call): Verdict {
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

const runsStream = (name: string, file: Field, dialect: 'bash' | 'posix' | 'other'): Verdict => ({
  why: isStandardInput(file) ? 'it runs what comes on standard input' : `${name} runs what comes from ${file.text}`,
  touches: file.value === '-' ? [] : touch('read', file),
  ...fromStream(file, dialect),
});

const findOptionScript = (args: readonly Field[], names: RegExp): Field | undefined => {
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

export const wrappers: readonly Program[] = [
  wrapper({
    names: 'timeout gtimeout',
    options: '-k= -s= -v -p -f --kill-after= --signal= --preserve-status --foreground --verbose --help --version',
    before: 1,
    examples: {
      harmless: ['timeout 10 git status', 'timeout -k 5 10 ls', 'timeout --signal=KILL 5 cat a'],
      not: ['timeout 5 rm x', 'timeout --unheard-of 5 ls', 'timeout $x ls'],
    },
  }),
  wrapper({
    names: 'nice',
    options: '-# -n= --adjustment= --help --version',
    examples: { harmless: ['nice ls', 'nice -n 5 ls', 'nice -5 ls'], not: ['nice -5 rm x', 'nice rm x'] },
  }),
  wrapper({ names: 'nohup', options: '--help --version', examples: { harmless: ['nohup ls'], not: ['nohup rm x'] } }),
  wrapper({
    names: 'stdbuf',
    options: '-i= -o= -e= --input= --output= --error= --help --version',
    examples: { harmless: ['stdbuf -oL ls'], not: ['stdbuf -oL touch x'] },
  }),
  wrapper({
    names: 'setsid',
    options: '-cfw --ctty --fork --wait --help --version',
    why: 'it takes the command out of the session',
    examples: { harmless: [], not: ['setsid ls', 'setsid rm x'] },
  }),
  wrapper({
    names: 'ionice',
    options: '-c= -n= -t --class= --classdata= --ignore',
    examples: { harmless: ['ionice -c 3 ls'], not: ['ionice -c3 rm x', 'ionice -p 1'] },
  }),
  wrapper({
    names: 'time gtime',
    options: '-p -v -a -f= -o=write --portability --verbose --format= --output=write --append',
    examples: { harmless: ['/usr/bin/time -v ls', 'time ls'], not: ['time rm x', '/usr/bin/time -o x ls'] },
  }),
  wrapper({
    names: 'chronic unbuffer',
    options: '',
    why: 'it is not known to be harmless',
    examples: { harmless: [], not: ['unbuffer ls'] },
  }),
  {
    names: ['command'],
    judge({ args }) {
      const parsed = parseOptions(args, optionTable('-p -v -V'), { operandsEndOptions: true });
      if (parsed.problem !== undefined)
        return {
          why: parsed.problem,
          starts: [{ words: guessCommand(args), sameShell: true }],
          unknown: `what command runs is not understood: ${parsed.problem}`,
        };
      if (hasOption(parsed, '-v', '-V')) return {};
      return parsed.operands.length > 0 ? { starts: [{ words: parsed.operands, sameShell: true }] } : {};
    },
    examples: {
      harmless: ['command -v node', 'command ls', 'command -p ls', 'command cd src'],
      not: ['command rm x', 'command -p rm x', 'command -x ls'],
    },
  },
  wrapper({
    names: 'builtin',
    options: '',
    sameShell: true,
    examples: { harmless: ['builtin echo x', 'builtin cd src'], not: ['builtin eval "rm x"'] },
  }),
  {
    names: ['exec'],
    judge({ args }) {
      const parsed = parseOptions(args, optionTable('-c -l -a='), { operandsEndOptions: true });
      if (parsed.problem !== undefined)
        return {
          why: parsed.problem,
          starts: [{ words: guessCommand(args) }],
          unknown: `what exec runs is not understood: ${parsed.problem}`,
        };
      const why =
        parsed.options.length > 0 ? 'it runs a program under another name or without its environment' : undefined;
      return { ...(parsed.operands.length > 0 && { starts: [{ words: parsed.operands }] }), ...(why && { why }) };
    },
    examples: { harmless: ['exec ls', 'exec 2>&1'], not: ['exec rm x', 'exec > out.txt', 'exec -a ls rm x'] },
  },
  wrapper({
    names: 'sudo doas',
    takesAssignments: true,
    options:
      '-n -E -H -k -S -b -i -s -A -u= -g= -p= -h= -C= -r= -t= -T= --user= --group= --non-interactive --login --preserve-env?',
    why: 'it runs with the rights of another user',
    examples: { harmless: [], not: ['sudo ls', 'sudo -u root rm x', 'doas ls'] },
  }),
  wrapper({
    names: 'chroot',
    options: '--userspec= --groups= --skip-chdir',
    before: 1,
    why: 'it runs in another root',
    examples: { harmless: [], not: ['chroot / touch x'] },
  }),
  wrapper({
    names: 'watch',
    scriptUnless: '-x',
    options:
      '-# -n= -d? -t -b -e -g -c -C -x -p -w -r -q= --interval= --differences? --no-title --beep --errexit --chgexit --color --exec --precise',
    why: 'it runs a command again and again',
    examples: { harmless: [], not: ['watch ls', 'watch -n1 rm x'] },
  }),
  wrapper({
    names: 'flock',
    options:
      '-n -x -e -s -u -o -F -v -w= -E= -c= --nonblock --exclusive --shared --unlock --close --no-fork --verbose --timeout= --wait= --conflict-exit-code= --command=',
    before: 1,
    why: 'it locks a file',
    examples: { harmless: [], not: ['flock . rm x', 'flock x ls'] },
  }),
  wrapper({
    names: 'parallel',
    options: '-0 -k -u -v -j= -n= -N= -P= -I= --jobs= --keep-order --halt=',
    why: 'it runs commands made of its input',
    examples: { harmless: [], not: ['parallel rm', 'parallel ls ::: a'] },
  }),
  wrapper({
    names: 'strace ltrace',
    options: '-f -ff -c -e= -o=write -p= -s= -t -tt -T',
    why: 'it traces another program',
    examples: { harmless: [], not: ['strace ls', 'strace -o x ls'] },
  }),
  wrapper({
    names: 'taskset chrt',
    options: '-c -a -p -b -f -i -o -r --cpu-list',
    before: 1,
    why: 'it changes how a program is scheduled',
    examples: { harmless: [], not: ['taskset -c 0 rm x'] },
  }),
  wrapper({
    names:
      'unshare nsenter runuser setpriv firejail bwrap proot fakeroot catchsegv prlimit numactl cpulimit dbus-run-session xvfb-run rlwrap entr',
    options: '',
    why: 'it is not known to be harmless',
    examples: { harmless: [], not: ['unshare ls', 'fakeroot rm x'] },
  }),
  wrapper({
    names: 'busybox toybox',
    options: '',
    why: 'it is many programs in one',
    examples: { harmless: [], not: ['busybox rm x', 'busybox ls'] },
  }),
  wrapper({
    names: 'noglob nocorrect',
    options: '',
    why: 'it is not known to bash',
    examples: { harmless: [], not: ['noglob rm x'] },
  }),
  {
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
  },
  {
    names: ['xargs', 'gxargs'],
    judge: judgeXargs,
    examples: {
      harmless: ["find . -name '*.ts' | xargs grep -l foo", 'find . -print0 | xargs -0 wc -l', 'seq 3 | xargs echo'],
      not: [
        'xargs rm',
        'ls | xargs rm',
        'xargs -I{} rm {}',
        'xargs -a list rm',
        'xargs sh -c "rm x"',
        "ls | xargs -n1 sh -c 'rm $0'",
        'xargs touch x < /dev/null',
      ],
    },
  },
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
  {
    names: ['ssh', 'docker-exec'],
    judge: () => notHarmless('it reaches the network'),
    examples: { harmless: [], not: ['ssh host ls'] },
  },
];
