// Questions to the system and to tool chains that are answered without running anything of the project: mostly versions.
import { openedFiles } from './openers.js';
import { optionTable, parseOptions, plain } from './options.js';
import { type Field, notHarmless, type Program } from './program.js';

const INTERPRETERS = /^(node|nodejs|deno|bun|python[23]?|pypy3|ruby|perl|php|lua)$/;

/** A program that is harmless in a few exact forms only. */
function exactForms(names: string, forms: readonly string[], not: readonly string[]): Program {
  const allowed = new Set(forms);
  const [first = ''] = names.split(' ');
  return {
    names: names.split(' '),
    judge: ({ name, args }) =>
      args.every(({ value }) => value !== undefined) && allowed.has(args.map(({ value = '' }) => value).join(' '))
        ? {}
        : notHarmless(`${name} is not known to be harmless in this form`, {
            touches: INTERPRETERS.test(name) ? openedFiles(name, args) : [],
          }),
    examples: { harmless: forms.map((form) => `${first} ${form}`.trim()), not },
  };
}

const safeVariables =
  /^(HOME|USER|LOGNAME|SHELL|PATH|PWD|OLDPWD|LANG|LC_[A-Z]+|TERM|TZ|HOSTNAME|EDITOR|NODE_ENV|CI|COLUMNS|LINES|TMPDIR|XDG_[A-Z_]+)$/;

const psOptions = optionTable(
  '-AaefjlmTwxFHLuyMZc -o= -p= -u= -C= -t= --sort= --forest --no-headers --headers --pid= --ppid= --user= --format= --cols=',
);

export const queries: readonly Program[] = [
  plain({
    names: 'whoami logname tty arch nproc',
    options: '-s --all --ignore= --silent --quiet --help --version',
    operands: 'none',
    examples: { harmless: ['whoami', 'nproc', 'arch', 'tty'], not: ['whoami x'] },
  }),
  plain({
    names: 'who w users',
    options: '-abdHlmqrsTtuhfio --all --boot --count --heading --users --short --no-header --help --version',
    operands: 'none',
    examples: { harmless: ['who', 'w', 'users', 'who -b'], not: ['who /etc/x', 'users x'] },
  }),
  plain({
    names: 'id groups',
    options: '-agGnruzZ --group --groups --name --real --user --zero --help --version',
    operands: ['value'],
    examples: { harmless: ['id', 'id -u', 'groups'], not: ['id --unheard-of'] },
  }),
  plain({
    names: 'uname',
    options:
      '-asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system --help --version',
    operands: 'none',
    examples: { harmless: ['uname -a', 'uname'], not: ['uname x'] },
  }),
  plain({
    names: 'hostname',
    options: '-f -s -i -I -d --fqdn --short --help --version',
    operands: 'none',
    examples: { harmless: ['hostname', 'hostname -s'], not: ['hostname evil', 'hostname -F x', 'hostname $x'] },
  }),
  plain({
    names: 'uptime free vmstat lscpu lsblk',
    options:
      '-psVbkmghtwaedJl --pretty --since --human --bytes --kibi --mebi --gibi --si --total --wide --json --all --help --version',
    operands: 'none',
    examples: { harmless: ['uptime', 'free -h', 'lscpu'], not: ['uptime x', 'vmstat 1'] },
  }),
  {
    names: ['date'],
    judge({ args }) {
      const isFine = (field: Field, index: number): boolean => {
        const { value } = field;
        const previous = args[index - 1]?.value;
        if (/^(-d|--date|-r|--reference)$/.test(previous ?? '')) return value !== undefined || !field.splits;
        return (
          value !== undefined &&
          /^(\+.*|-[uRI]|-I\w+|-u|--utc|--universal|--rfc-email|--rfc-3339=\w+|--iso-8601(=\w+)?|-d.*|--date(=.*)?|-r|--help|--version)$/s.test(
            value,
          )
        );
      };
      return args.every(isFine) ? {} : notHarmless('it may set the clock');
    },
    examples: {
      harmless: ['date', 'date +%Y-%m-%d', "date -d '2 days ago' +%F", 'date -u'],
      not: ['date -s x', 'date --set=x', 'date 010100002030', 'date -us x', 'date $x'],
    },
  },
  {
    names: ['printenv'],
    judge: ({ args }) =>
      args.length > 0 && args.every(({ value }) => safeVariables.test(value ?? ''))
        ? {}
        : notHarmless('it prints the environment, which may hold secrets'),
    examples: { harmless: ['printenv HOME', 'printenv PATH'], not: ['printenv', 'printenv API_KEY', 'printenv $x'] },
  },
  {
    names: ['ps'],
    judge: ({ args }) => {
      const parsed = parseOptions(args, psOptions);
      // The old options without a dash: `e` would print the environment of every process.
      const isPlain = ({ value }: Field): boolean => value !== undefined && /^([axufjlwhT]+|\d+)$/.test(value);
      const columns = parsed.options.filter(({ name }) => name === '-o' || name === '--format');
      const isColumn = ({ value }: { value?: Field }): boolean =>
        value?.value !== undefined && !/env/i.test(value.value);
      const why =
        parsed.problem ??
        (parsed.operands.every(isPlain) && columns.every(isColumn)
          ? undefined
          : 'it may print the environment of processes');
      return why === undefined ? {} : notHarmless(why);
    },
    examples: {
      harmless: ['ps', 'ps aux', 'ps -ef | head', 'ps -p 1 -o pid', 'ps auxf'],
      not: ['ps --unheard-of', 'ps eww', 'ps auxe', 'ps -o environ', 'ps $x'],
    },
  },
  plain({
    names: 'pgrep',
    options: '-aflnovxcid -P= -u= -U= -g= -s= -t= --full --list-name --list-full --count --exact --newest --oldest',
    operands: ['value'],
    examples: { harmless: ['pgrep node', 'pgrep -fl node'], not: ['pgrep -F file', 'pgrep --signal 9 x'] },
  }),
  plain({
    names: 'locale getconf',
    options: '-ackm -a --all-locales --charmaps',
    operands: ['value'],
    examples: { harmless: ['locale', 'getconf PAGE_SIZE'], not: ['locale --unheard-of'] },
  }),
  plain({
    names: 'cal ncal',
    options: '-# -jmyhw3',
    operands: ['value'],
    examples: { harmless: ['cal', 'cal 2026'], not: ['cal --unheard-of'] },
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
  // A file of the project chooses which compiler these start (rust-toolchain.toml, packageManager), even for a version.
  exactForms(
    'cargo rustc rustup rustfmt pnpm yarn',
    [],
    ['cargo --version', 'yarn --version', 'pnpm -v', 'cargo build'],
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
