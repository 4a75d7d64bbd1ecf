// Queries of the system and of tool chains that run nothing of the project: mostly versions.

import { networkFacts } from './network-facts.js';
import { openedFiles } from './openers.js';
import { judgePlain, optionTable, parseOptions, plain, type TabledProgram } from './options.js';
import { processes } from './processes.js';
import { notHarmless, type Program, type ShellField } from './program.js';

const INTERPRETERS = /^(node|nodejs|deno|bun|python[23]?|pypy3|ruby|perl|php|lua)$/;

/** A program that is harmless in a few exact forms only. */
function exactForms(names: string, forms: readonly string[], not: readonly string[], why?: string): Program {
  const allowed = new Set(forms);
  const [first = ''] = names.split(' ');
  return {
    names: names.split(' '),
    judge: ({ name, args }) =>
      args.every(({ value }) => value !== undefined) && allowed.has(args.map(({ value = '' }) => value).join(' '))
        ? {}
        : notHarmless(why ?? `${name} is not known to be harmless in this form`, {
            touches: INTERPRETERS.test(name) ? openedFiles(name, args) : [],
          }),
    examples: { harmless: forms.map((form) => `${first} ${form}`.trim()), not },
  };
}

const safeVariables =
  /^(HOME|USER|LOGNAME|SHELL|PATH|PWD|OLDPWD|LANG|LC_[A-Z]+|TERM|TZ|HOSTNAME|EDITOR|NODE_ENV|CI|COLUMNS|LINES|TMPDIR|XDG_[A-Z_]+)$/;

const dateOptions = optionTable(
  '-uR -d= -r=list -I? --date= --reference=list --utc --universal --rfc-email --rfc-3339= --iso-8601? --resolution --debug --help --version',
);

const date: TabledProgram = {
  names: ['date'],
  table: dateOptions,
  judge({ args }) {
    const parsed = parseOptions(args, dateOptions);
    const verdict = judgePlain({ ...parsed, operands: [] }, { operands: 'none' });
    const isFormat = ({ value }: ShellField): boolean => value?.startsWith('+') ?? false;
    const why = verdict.why ?? (parsed.operands.every(isFormat) ? undefined : 'it may set the clock');
    return { ...verdict, ...(why !== undefined && { why }) };
  },
  examples: {
    harmless: ['date', 'date +%Y-%m-%d', "date -d '2 days ago' +%F", 'date -u', 'date -ud yesterday', 'date -r a.txt'],
    not: [
      'date -s x',
      'date --set=x',
      'date --se x',
      'date 010100002030',
      'date -us x',
      'date $x',
      'date -f list',
      'date --file=list',
      'date -uf list',
      'date -d $x',
    ],
  },
};

/** A program without operands that prints facts about the user or the machine. */
const fact = (names: string, options: string, examples: Program['examples']): TabledProgram =>
  plain({ names, options, operands: 'none', examples });

const getconf: Program = {
  names: ['getconf'],
  // -v runs another getconf.
  judge: ({ args }) => {
    const [first, path, ...more] = args;
    const isName = first?.value !== undefined && /^(-a|[A-Z_]\w*)$/.test(first.value);
    if (!isName || more.length > 0 || path?.splits || path?.mayBeOption)
      return notHarmless('its words are not understood');
    return { touches: path ? [{ access: 'read', file: path, listing: true }] : [] };
  },
  examples: {
    harmless: ['getconf PAGE_SIZE', 'getconf -a', 'getconf NAME_MAX .'],
    not: ['getconf -v x PAGE_SIZE', 'getconf $x'],
  },
};

export const queries: readonly Program[] = [
  fact('whoami', '--help --version', { harmless: ['whoami'], not: ['whoami x', 'whoami -s'] }),
  fact('logname', '--help --version', { harmless: ['logname'], not: ['logname x'] }),
  fact('tty', '-s --silent --quiet --help --version', { harmless: ['tty', 'tty -s'], not: ['tty x'] }),
  fact('arch', '--help --version', { harmless: ['arch'], not: ['arch x', 'arch -s'] }),
  fact('nproc', '--all --ignore= --help --version', { harmless: ['nproc', 'nproc --all'], not: ['nproc x'] }),
  fact(
    'who',
    '-abdHlmpqrsTtuw --all --boot --count --dead --heading --ips --login --mesg --message --process --runlevel --short --time --users --writable --help --version',
    { harmless: ['who', 'who -b', 'who -a'], not: ['who /etc/x', 'who --lookup', 'who am i x', 'who -f'] },
  ),
  fact('users', '--help --version', { harmless: ['users'], not: ['users x', 'users -a'] }),
  plain({
    names: 'id',
    options: '-agGnruzZ --context --group --groups --name --real --user --zero --help --version',
    operands: ['value'],
    examples: { harmless: ['id', 'id -u', 'id -un root'], not: ['id --unheard-of'] },
  }),
  plain({
    names: 'groups',
    options: '--help --version',
    operands: ['value'],
    examples: { harmless: ['groups', 'groups root'], not: ['groups -x'] },
  }),
  fact(
    'uname',
    '-asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system --help --version',
    { harmless: ['uname -a', 'uname'], not: ['uname x', 'uname -S x'] },
  ),
  plain({
    // Some options resolve names, which may contact a server; -I opens a socket.
    names: 'hostname',
    options: '-s -I -f -d -i --short --all-ip-addresses --fqdn --long --domain --ip-address --help --version',
    operands: 'none',
    needsWalls: ['-f', '-d', '-i', '-I', '--fqdn', '--long', '--domain', '--ip-address', '--all-ip-addresses'],
    examples: {
      harmless: ['hostname', 'hostname -s', 'hostname -f'],
      not: ['hostname evil', 'hostname -F x', 'hostname -sF x', 'hostname $x', 'hostname -b x'],
    },
  }),
  fact('uptime', '-ps --pretty --since --help --version', {
    harmless: ['uptime', 'uptime -p'],
    not: ['uptime x', 'uptime -h x'],
  }),
  fact(
    'free',
    '-bkmghltvw --bytes --kilo --mega --giga --tera --peta --kibi --mebi --gibi --tebi --pebi --human --si --lohi --total --committed --wide --help --version',
    { harmless: ['free -h', 'free'], not: ['free x', 'free -s 1', 'free -e'] },
  ),
  fact(
    'vmstat',
    '-afnstwdDy --active --forks --one-header --stats --disk --disk-sum --wide --timestamp --no-first --help --version',
    {
      harmless: ['vmstat', 'vmstat -s'],
      not: ['vmstat 1', 'vmstat -p x', 'vmstat -S k'],
    },
  ),
  fact(
    'lscpu',
    '-abBcJxyhV -C? -e? -p? --all --online --offline --bytes --caches? --json --extended? --parse? --hex --physical --output-all --help --version',
    { harmless: ['lscpu', 'lscpu -e', 'lscpu -J'], not: ['lscpu -s .', 'lscpu --sysroot=.', 'lscpu x'] },
  ),
  plain({
    names: 'lsblk',
    options: `-ADJMOPSabdfilmnprstyz -e= -I= -o= -x= -E= -w= -T? --noempty --discard --json --merge --output-all --pairs --scsi --all --bytes
      --nodeps --fs --ascii --list --perms --noheadings --paths --raw --inverse --topology --shell --zoned --exclude= --include=
      --output= --sort= --dedup= --width= --tree? --help --version`,
    operands: 'none',
    observes: 'machine',
    examples: {
      harmless: ['lsblk', 'lsblk -f', 'lsblk -o NAME,SIZE'],
      not: ['lsblk --sysroot .', 'lsblk x', 'lsblk -k'],
    },
  }),
  date,
  {
    names: ['printenv'],
    judge: ({ args }) =>
      args.length > 0 && args.every(({ value }) => safeVariables.test(value ?? ''))
        ? {}
        : notHarmless('it prints the environment, which may hold secrets'),
    examples: { harmless: ['printenv HOME', 'printenv PATH'], not: ['printenv', 'printenv API_KEY', 'printenv $x'] },
  },
  ...processes,
  ...networkFacts,
  plain({
    // Not -m, which runs gzip.
    names: 'locale',
    options: '-ackv --all-locales --category-name --keyword-name --verbose --help --usage --version',
    operands: ['value'],
    examples: {
      harmless: ['locale', 'locale -a', 'locale charmap'],
      not: ['locale --unheard-of', 'locale -f x', 'locale -ckm'],
    },
  }),
  getconf,
  plain({
    names: 'cal',
    options: '-# -jmyhw3',
    operands: ['value'],
    examples: { harmless: ['cal', 'cal 2026'], not: ['cal --unheard-of'] },
  }),
  plain({
    names: 'ncal',
    options: '-# -jyhw3',
    operands: ['value'],
    examples: { harmless: ['ncal', 'ncal 2026'], not: ['ncal --unheard-of'] },
  }),
  plain({ names: 'expr', operands: ['value'], examples: { harmless: ['expr 1 + 2'], not: ['expr $x'] } }),
  exactForms(
    'node nodejs deno bun',
    ['--version', '-v', '-V'],
    ['node x.js', "node -e 'x'", 'node --version x', 'node -p 1', 'node'],
  ),
  exactForms(
    'npm',
    ['--version', '-v'],
    ['npm install', 'npm run x', 'npm version patch', 'npm view x', 'npm exec x', 'npm test'],
  ),
  exactForms(
    'python python3 python2 pypy3',
    ['--version', '-V', '-VV'],
    ['python3 x.py', "python3 -c 'x'", 'python3 -m http.server', 'PYTHONPATH=. python3 --version'],
  ),
  exactForms('pip pip3', ['--version', '-V'], ['pip install x', 'pip list', 'pip download x']),
  // A file of the project selects which compiler these start (rust-toolchain.toml, packageManager), even for a
  // version.
  exactForms(
    'cargo rustc rustup rustfmt pnpm yarn',
    [],
    ['cargo --version', 'yarn --version', 'pnpm -v', 'cargo build'],
    'a file of the project may choose which program it starts',
  ),
  exactForms('go', ['version', 'help'], ['go build', 'go run x.go', 'go env -w A=b', 'go test', 'go version -m x']),
  exactForms('java javac', ['-version', '--version'], ['java X', 'java -jar x.jar']),
  exactForms(
    'ruby perl php lua',
    ['-v', '--version'],
    ["ruby -e 'x'", "perl -e 'x'", 'php x.php', 'RUBYOPT=-r./evil ruby -v'],
  ),
  exactForms('gcc g++ clang cc make cmake ninja ld', ['--version'], ['gcc a.c', 'make', 'cmake .']),
  exactForms(
    'docker gh aws ffmpeg',
    ['--version'],
    ['docker run alpine', 'docker ps', 'kubectl delete pod x', 'gh pr list', 'gh api x', 'docker --host x ps'],
  ),
  exactForms(
    'tsc eslint prettier jest vitest webpack vite biome',
    [],
    ['tsc --noEmit', 'eslint .', 'prettier --check .'],
  ),
];
