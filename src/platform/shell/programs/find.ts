// Programs that find files. find has its own grammar: an expression of tests and actions after the roots.
import { followingLinks, optionTable, parseOptions, type TabledProgram, touch } from './options.js';
import { fieldPathSpecs } from './path-specs.js';
import { known, type PathSpec, type Program, type ProgramVerdict, type ShellField, type Started } from './program.js';

const plainTests = new Set(
  '-true -false -empty -readable -writable -executable -nouser -nogroup -print -print0 -ls -prune -quit -depth -d -daystart -mount -xdev -noleaf -ignore_readdir_race -noignore_readdir_race -follow -warn -nowarn -o -or -a -and -not ! , ( )'.split(
    ' ',
  ),
);
const valueTests = new Set(
  '-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -mtime -atime -ctime -mmin -amin -cmin -perm -user -group -uid -gid -links -inum -maxdepth -mindepth -used -fstype -regextype -printf -context'.split(
    ' ',
  ),
);
const fileTests = /^-(newer|anewer|cnewer|samefile|newer[aBcm][aBcmt])$/;

function judgeFind({ args }: { args: readonly ShellField[] }): ProgramVerdict {
  const rest = [...args];
  const roots: ShellField[] = [];
  let followsLinks = false;
  for (; rest[0] && /^-(P|L|H|O\d)$/.test(rest[0].value ?? ''); rest.shift())
    followsLinks ||= /L|H/.test(rest[0].value ?? '');
  while (rest[0] && !/^([-!(),].*)?$/s.test(rest[0].value ?? (rest[0].mayBeOption ? '-' : 'x')))
    roots.push(...rest.splice(0, 1));
  const from = roots.length > 0 ? roots : [known('.')];
  const pathSpecs = fieldPathSpecs(from);
  const touches = [...from.flatMap((root) => touch('list-tree', root))];
  const starts: Started[] = [];
  let why: string | undefined;
  let runsElsewhere = false; // in another directory, or after a question
  let asksAccess = false; // whether the process may write, read or execute: the answer differs if it is confined
  let namesOnly = true; // it prints only the names of files, unchanged
  for (let field = rest.shift(); field !== undefined; field = rest.shift()) {
    const { value, text } = field;
    if (value === undefined) {
      why ??= `${text} may be an action`;
    } else if (plainTests.has(value)) {
      namesOnly &&= value !== '-ls';
      followsLinks ||= value === '-follow';
      asksAccess ||= /^-(readable|writable|executable)$/.test(value);
    } else if (valueTests.has(value)) {
      namesOnly &&= value !== '-printf';
      const operand = rest.shift();
      if (operand === undefined) why ??= `${value} lacks its value`;
      else if (operand.value === undefined && operand.splits) why ??= `${operand.text} may be several words`;
    } else if (fileTests.test(value)) {
      const operand = rest.shift();
      if (operand) touches.push(...touch('list', operand));
    } else if (/^-(exec|execdir|ok|okdir)$/.test(value)) {
      const end = rest.findIndex(
        (word, index) => word.value === ';' || (word.value === '+' && rest[index - 1]?.value === '{}'),
      );
      if (end < 0) why ??= `${value} has no end`;
      const words = rest.splice(0, end < 0 ? rest.length : end + 1).slice(0, end < 0 ? undefined : -1);
      runsElsewhere ||= value !== '-exec';
      starts.push({
        words: words.map((word) => foundFile(word, pathSpecs)),
        ...(value.endsWith('dir') && { in: known('.') }),
      });
    } else if (value === '-delete') {
      why ??= 'it deletes what it finds';
      touches.push(...from.flatMap((root) => touch('remove-found', root)));
    } else if (/^-(fprint0?|fls|fprintf)$/.test(value)) {
      why ??= `${value} writes a file`;
      const operand = rest.shift();
      if (operand) touches.push(...touch('write', operand));
      if (value === '-fprintf') rest.shift();
    } else {
      why ??= `the action ${value} is not known to be harmless`;
    }
  }
  // Symlinks lead out of the project only if it is not confined, but commands that it starts may be allowed to write.
  if (followsLinks && starts.length > 0) why ??= 'it follows links, and runs a program on what it finds';
  return {
    touches: followsLinks ? followingLinks(touches) : touches,
    ...(why !== undefined && { why }),
    starts,
    ...(pathSpecs && namesOnly && !followsLinks && { prints: pathSpecs }),
    ...((runsElsewhere || followsLinks) && { needsWalls: true }),
    ...(asksAccess && { observes: 'machine' as const }),
  };
}

/** `{}` in the command that find runs: a file below one of its roots. */
function foundFile(word: ShellField, pathSpecs: readonly PathSpec[] | undefined): ShellField {
  if (!word.value?.includes('{}')) return word;
  return {
    text: word.text,
    mayBeOption: false,
    splits: word.value === '{}',
    ...(word.value === '{}' && pathSpecs && { pathSpecs: pathSpecs.map(({ path }) => ({ path, tree: true })) }),
  };
}

const find: Program = {
  names: ['find', 'gfind'],
  judge: judgeFind,
  examples: {
    harmless: [
      "find . -name '*.ts'",
      'find . -name x 2>/dev/null',
      'find src -type f -size +10k',
      "find . -name '*.md' -exec grep -l foo {} +",
      "find . \\( -name a -o -name b \\) -not -path './x/*'",
      'find . -maxdepth 2 -type d | sort',
      "find . -name '*.ts' -exec wc -l {} \\;",
      'find . -type f -writable',
      'find -L . -name x',
      'find -H src -name x',
      'find . -follow',
    ],
    not: [
      'find . -delete',
      'find . -exec rm {} \\;',
      'find . -fprint x',
      'find . -ex\\ec touch x \\;',
      'find . $F',
      'find . -ok rm {} \\;',
      'find . -fls x',
      "find . -exec sh -c 'rm x' \\;",
      'find -L . -name x -exec grep y {} +',
      'find . -follow -exec cat {} +',
      'find -files0-from list',
      'find . -D exec -delete',
      'find . -name a -exec echo {} \\; -delete',
    ],
  },
};

// Not -l (runs ls), -L (follows links), --base-directory and --search-path.
const fdOptions = optionTable(
  `-HIuap0sigFq1 -d= -t= -e= -E= -c= -j= -S= --hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive --ignore-case --glob --regex
  --fixed-strings --absolute-path --full-path --print0 --max-depth= --min-depth= --exact-depth= --exclude= --type= --extension= --size=
  --changed-within= --changed-before= --owner= --color= --threads= --max-results= --quiet --strip-cwd-prefix --one-file-system --help --version`,
);

/** The commands after `-x` and `-X`, each of which ends with `;` or with the last word. */
function commandsOf(args: readonly ShellField[], from: number): { commands: ShellField[][]; options: ShellField[] } {
  const options = [...args.slice(0, from)];
  const commands: ShellField[][] = [];
  let current: ShellField[] | undefined;
  for (const field of args.slice(from)) {
    if (current === undefined && isExec(field)) {
      current = [];
      commands.push(current);
    } else if (field.value === ';' && current !== undefined) current = undefined;
    else (current ?? options).push(field);
  }
  return { commands, options };
}

const isExec = ({ value }: ShellField): boolean => /^(-[xX]|--exec|--exec-batch)$/.test(value ?? '');

const fd: TabledProgram = {
  names: ['fd', 'fdfind'],
  table: fdOptions,
  judge({ args }) {
    const at = args.findIndex(isExec);
    const { commands, options } = commandsOf(args, at < 0 ? args.length : at);
    const parsed = parseOptions(options, fdOptions);
    const roots = parsed.operands.length > 1 ? parsed.operands.slice(1) : [known('.')];
    const pathSpecs = fieldPathSpecs(roots);
    const starts = commands.map((command): Started => {
      const words = command.map((word) => foundFile(word, pathSpecs));
      const isNamed = words.some(({ text }) => text.includes('{'));
      return { words: [...words, ...(isNamed ? [] : [foundFile(known('{}'), pathSpecs)])] };
    });
    const why = parsed.problem ?? (commands.some(({ length }) => length === 0) ? 'it runs what it finds' : undefined);
    return {
      touches: roots.flatMap((root) => touch('list-tree', root)),
      ...(starts.length > 0 && { needsWalls: true }),
      ...(why !== undefined && { why }),
      ...(starts.length > 0 && { starts }),
      ...(pathSpecs && commands.length === 0 && { prints: pathSpecs }),
    };
  },
  examples: {
    harmless: ['fd foo', 'fd -e ts', "fd -t f '.*' src", 'fd foo -x wc -l', "fd foo -x wc -l ';' -x cat"],
    not: [
      'fd foo -x rm',
      'fd -X rm',
      'fd foo --exec=rm',
      'fd foo --ignore-file x',
      "fd -x echo ';' -x touch pwned",
      "fd -x echo ';' -X rm",
      'fd -x',
      'fd -Hx rm',
      'fd -xrm',
      'fd -l foo',
      'fd -L foo',
      'fd --base-directory / foo',
      'fd --search-path / foo',
    ],
  },
};

export const finders: readonly Program[] = [find, fd];
