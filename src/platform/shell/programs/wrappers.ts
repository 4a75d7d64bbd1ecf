// Programs that run another command. The wrapper and the wrapped command are judged separately: a wrapper is harmless
// if it adds no effects.
import { commandShells } from './command-shells.js';
import { env } from './env.js';
import {
  guessCommand,
  hasOption,
  type OptionTable,
  optionTable,
  optionTouches,
  type ParsedArguments,
  parseOptions,
} from './options.js';
import { notHarmless, type Program, type ShellField, type Started } from './program.js';
import { xargs } from './xargs.js';

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

function startedBy(
  words: readonly ShellField[],
  parsed: ParsedArguments,
  { sameShell, scriptUnless }: WrapperSpec,
): Started[] {
  const started: Started = { words, ...(sameShell && { sameShell }) };
  const [first, second] = words;
  if (/^(-c|--command)$/.test(first?.value ?? '') && second?.value !== undefined) {
    return [{ script: second.value, dialect: 'posix' }];
  }
  if (scriptUnless === undefined || hasOption(parsed, scriptUnless)) return [started];
  const values = words.flatMap(({ value }) => value ?? []);
  return values.length === words.length ? [{ script: values.join(' '), dialect: 'posix' }] : [started];
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
  env,
  xargs,
  ...commandShells,
  {
    names: ['ssh', 'docker-exec'],
    judge: () => notHarmless('it reaches the network'),
    examples: { harmless: [], not: ['ssh host ls'] },
  },
];
