// Programs that report the process table.
import { optionTable, parseOptions, plain, type TabledProgram } from './options.js';
import type { Program, ProgramVerdict, ShellField } from './program.js';

const psOptions = optionTable(
  '-AaefjlmTwxFHLyMZcNd -o= -p= -u= -C= -t= --sort= --forest --no-headers --headers --pid= --ppid= --user= --format= --cols=',
);

const columns = new Set(
  `%cpu %mem args blocked bsdstart bsdtime c caught class cls cmd comm command cp cputime drs egid egroup etime etimes euid
  euser f flag flags fgid fgroup fname fuid fuser gid group ignored lstart lwp maj_flt min_flt majflt minflt ni nice nlwp
  nwchan pcpu pending pgid pgrp pid pmem policy ppid pri psr rgid rgroup rss rssize rsz rtprio ruid ruser s sched sess sgi_p
  sgid sgroup sid sig size sz spid stackp start start_time stat state stime suid suser svgid svuid tgid thcount tid time tname
  tpgid tt tty ucmd ucomm uid uname user vsize vsz wchan`.split(/\s+/),
);

/** Columns by name, including `pid=` and `pid=TITLE`; none shows the environment. */
const areColumns = (list: string | undefined): boolean =>
  list?.split(/[\s,]+/).every((column) => columns.has(column.replace(/^[-+]|=.*$/gs, ''))) ?? false;

const isNumberList = (text: string | undefined): boolean => /^\d+([\s,]+\d+)*$/.test(text ?? '');

/** Whether ps certainly understands an option: otherwise it would parse all options in BSD style. */
function neverFails(name: string, value: ShellField | undefined): boolean {
  if (value === undefined) return true;
  if (/^(-o|--format|--sort)$/.test(name)) return areColumns(value.value);
  return /^(-p|--pid|--ppid|--cols)$/.test(name) && isNumberList(value.value);
}

/**
 * BSD-style options without a dash: `e` prints the environment of every process. If ps does not understand options
 * with a dash (`-aux`, if no user is called x), it parses them as if they had none.
 */
function judgePs({ args }: { args: readonly ShellField[] }): ProgramVerdict {
  const parsed = parseOptions(args, psOptions);
  const isOldGroup = ({ value }: ShellField): boolean =>
    value !== undefined && /^([axufjlwhTrSnvsXm]+|\d+)$/.test(value);
  const sure = parsed.options.every(({ name, value }) => neverFails(name, value));
  const hasE = args.some(({ value }) => value !== undefined && /^-?\w*e/i.test(value) && /^-\w/.test(value));
  const isColumnList = ({ name, value }: { name: string; value?: ShellField }): boolean =>
    !/^(-o|--format)$/.test(name) || areColumns(value?.value);
  const why =
    parsed.problem ??
    (parsed.operands.every(isOldGroup) && parsed.options.every(isColumnList) && (sure || !hasE)
      ? undefined
      : 'it may print the environment of processes');
  return { observes: 'processes', ...(why !== undefined && { why }) };
}

const ps: TabledProgram = {
  names: ['ps'],
  table: psOptions,
  judge: judgePs,
  examples: {
    harmless: [
      'ps',
      'ps aux',
      'ps -ef | head',
      'ps -p 1 -o pid',
      'ps auxf',
      'ps -aux',
      'ps -eo pid,ppid,cmd --sort=-%mem',
      'ps -o pid=,comm= -p 1',
      'ps -C node -o pid',
      'ps -u root',
    ],
    not: [
      'ps --unheard-of',
      'ps eww',
      'ps auxe',
      'ps -auxe',
      'ps -auxwwe',
      'ps -ef -u nosuchuser',
      'ps -e -C x -t y',
      'ps -eo nosuchcolumn',
      'ps -o environ',
      'ps -o pid,environ',
      'ps -E',
      'ps axE',
      'ps $x',
      'ps -o "$x"',
    ],
  },
};

export const processes: readonly Program[] = [
  ps,
  plain({
    names: 'pgrep',
    options: `-aflnovxciwA -d= -P= -u= -U= -g= -G= -s= -t= -O= -r= --delimiter= --list-name --list-full --inverse --lightweight --count
      --full --pgroup= --group= --ignore-case --newest --oldest --older= --parent= --session= --terminal= --euid= --uid= --exact
      --runstates= --ignore-ancestors --help --version`,
    operands: ['value'],
    observes: 'processes',
    examples: {
      harmless: ['pgrep node', 'pgrep -fl node', 'pgrep -d , node'],
      not: ['pgrep -F file', 'pgrep -fF file', 'pgrep --signal 9 x', 'pgrep --pidf file'],
    },
  }),
  plain({
    names: 'pstree',
    options: `-acglnpsStuTZAGUhV -C= -H= -N= --arguments --ascii --compact-not --color= --vt100 --highlight-all --highlight-pid=
      --hide-threads --long --numeric-sort --ns-sort= --ns-changes --show-pids --show-pgids --show-parents --thread-names --uid-changes
      --unicode --security-context --version`,
    operands: ['value'],
    anyOption: true,
    observes: 'processes',
    examples: { harmless: ['pstree', 'pstree -p 1', 'pstree $(pgrep -n bash)'], not: ['pstree -o x', 'pstree > x'] },
  }),
  plain({
    names: 'w',
    options: '-husfoip --no-header --no-current --short --from --old-style --ip-addr --pids --help --version',
    operands: 'none',
    observes: 'processes',
    examples: { harmless: ['w', 'w -h'], not: ['w x', 'w -a', 'w --all'] },
  }),
];
