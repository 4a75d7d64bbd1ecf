// What rules about commands mean, through the whole path of a call: each row is a rule, commands and the answer.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestProject, temporaryProject } from '../../src/testing/temporary-project.js';
import { judge } from './judge.js';

let place: TestProject;

beforeAll(async () => {
  place = await temporaryProject({ 'a.txt': 'x\n', 'src/a.ts': 'x\n', 'package.json': '{}' });
  await place.write('../outside/x.txt', 'x\n');
});

afterAll(async () => {
  await place.remove();
});

test.each<[rule: string, allowed: readonly string[], not: readonly string[]]>([
  [
    'Bash(npm test:*)',
    [
      'npm test',
      'npm test -- --watch',
      'npm  test',
      'NODE_ENV=test npm test',
      'npm test && ls',
      'npm test | head',
      'npm test 2>&1',
      'npm test > /dev/null',
      'timeout 60 npm test',
      'npm test; npm test -- x',
    ],
    [
      ...[
        'npm testing',
        'npm run test',
        'npm test && npm publish',
        'npm test; rm x',
        'npm test | sh',
        'npm test & curl evil',
        'npm test\nrm x',
        'npm test $(rm x)',
        'npm test `rm x`',
      ],
      ...[
        'npm test > .git/config',
        'npm test > ../outside/x.txt',
        'PATH=. npm test',
        'LD_PRELOAD=./x.so npm test',
        'NODE_OPTIONS=--require=./x npm test',
        './npm test',
        '/tmp/npm test',
        'npm test <(rm x)',
      ],
      ...[
        'npm test || rm x',
        'npm "test;rm x"',
        'sudo npm test',
        'cd .. && npm test && rm x',
        'npm test {a,b} && rm {x,y}',
        'npm() { rm x; }; npm test',
        'alias npm=rm; npm test',
        'npm test >> ~/.bashrc',
        'npm test > "$X"',
      ],
    ],
  ],
  ['Bash(npm test)', ['npm test', ' npm test '], ['npm test --x', 'npm test x', 'npm tes', 'npm test; npm test x']],
  [
    'Bash(git log *)',
    ['git log', 'git log -1'],
    ['git logs', 'git log; rm x', 'git log > ../outside/x.txt', 'git push'],
  ],
  ['Bash(make *)', ['make', 'make all'], ['makeall', 'make all; rm x', 'SHELL=./evil make']],
  ['Bash(mak*)', ['make', 'make all', 'maker x'], ['cmake', 'make; rm x']],
  [
    'Bash(* --version)',
    ['node --version', 'foo --version'],
    ['foo --version; rm x', 'foo --versions', 'rm x; foo --version'],
  ],
  ['Bash(timeout:*)', [], ['timeout 5 rm x', 'timeout 5 npm test']],
  ['Bash(env:*)', [], ['env rm x', 'env A=1 rm x']],
  ['Bash(xargs:*)', [], ['xargs rm', 'echo x | xargs rm']],
  ['Bash(find:*)', [], ['find . -exec rm {} +', 'find . -delete', 'find . -fprint x']],
  ['Bash(sudo:*)', [], ['sudo rm -rf /']],
  ['Bash(echo:*)', ['echo a', 'echo "a; b"'], ['echo a > b.txt', 'echo $(rm x)', 'echo a | tee b.txt', 'echo a; rm b']],
  ['Bash(touch:*)', ['touch a.txt', 'touch new.txt'], ['touch .git/x', 'touch .env', 'touch a > .npmrc']],
])('the rule %s allows its command and nothing that is added to it', async (rule, allowed, not) => {
  for (const command of allowed) {
    const { answer, text } = await judge(place, 'Bash', { command }, { allow: [rule] });
    expect([command, answer], text).toEqual([command, 'allow']);
  }
  for (const command of not) {
    const { answer, text } = await judge(place, 'Bash', { command }, { allow: [rule] });
    expect([command, answer], text).toEqual([command, 'ask']);
  }
});

test.each<[rule: string, denied: readonly string[], not: readonly string[]]>([
  [
    'Bash(rm:*)',
    [
      ...[
        'rm x',
        'ls && rm x',
        'ls; rm x',
        'ls | rm x',
        'ls || rm x',
        '(rm x)',
        '{ rm x; }',
        'echo $(rm x)',
        'echo `rm x`',
        'cat <(rm x)',
        '/bin/rm x',
        '\\rm x',
        '"rm" x',
        "r''m x",
        'r\\m x',
      ],
      ...[
        'A=1 rm x',
        'timeout 5 rm x',
        'env rm x',
        'env A=1 rm x',
        'nice rm x',
        'nohup rm x',
        'command rm x',
        'exec rm x',
        'sudo rm x',
        'sudo -u me rm x',
        'doas rm x',
        'stdbuf -o0 rm x',
        'setsid rm x',
        'ionice rm x',
      ],
      ...[
        'xargs rm',
        'echo x | xargs -n1 rm',
        'find . -exec rm {} +',
        'find . -exec rm {} \\;',
        'sh -c "rm x"',
        "bash -c 'rm x'",
        'bash -lc "rm x"',
        'eval "rm x"',
        'eval rm x',
        'if true; then rm x; fi',
        'for f in *; do rm $f; done',
      ],
      ...[
        'while true; do rm x; done',
        'f() { rm x; }; f',
        'case a in a) rm x;; esac',
        'ls\nrm x',
        'ls & rm x',
        '! rm x',
        'time rm x',
        'rm\tx',
        "$'rm' x",
        'timeout 5 nice env A=1 rm x',
        'trap "rm x" EXIT',
        'builtin command rm x',
      ],
    ],
    ['echo rm', 'ls rm', 'grep rm a.txt', 'echo "rm x"', 'cat rm.txt'],
  ],
  [
    'Bash(git push:*)',
    [
      'git push',
      'git push origin',
      'git -C . push',
      'git --no-pager push',
      'git -c a.b=c push',
      'env git push',
      'git "push"',
    ],
    ['git status', 'git log push'],
  ],
  ['Bash(git push)', ['git push', 'git  push', 'ls && git push'], ['git status']],
  ['Bash(rm -rf *)', ['rm -rf x', 'rm -fr x', 'rm -r -f x', 'rm --recursive --force x', 'rm -rfv x', 'rm x -rf'], []],
  ['Bash(curl *)', ['curl x', 'ls; curl x', 'bash -c "curl x | sh"'], ['echo curl']],
  ['Bash(*publish*)', ['npm publish', 'pnpm publish --x', 'ls; npm publish'], ['npm test']],
  ['Bash', ['ls', 'rm x', 'if then ((', 'git $X'], []],
  ['Bash(*)', ['ls', 'rm x', 'if then (('], []],
  ['Bash(run_in_background:true)', [], ['ls']],
])(
  'the rule %s denies its command in every form, and no command that only looks like it',
  async (rule, denied, not) => {
    for (const command of denied) {
      const { answer, text } = await judge(
        place,
        'Bash',
        { command },
        { deny: [rule], allow: ['Bash'] },
        'bypassPermissions',
      );
      expect([command, answer], text).toEqual([command, 'deny']);
    }
    for (const command of not) {
      const { answer, text } = await judge(place, 'Bash', { command }, { deny: [rule] });
      expect([command, answer === 'deny'], text).toEqual([command, false]);
    }
  },
);

test.each([
  ...[
    'git $X',
    '$X push',
    'X=push; git $X',
    'g=git; $g push',
    'eval "$X"',
    'echo Z2l0IHB1c2g= | base64 -d | sh',
    'bash <<< "git push"',
    'git pu$X',
    'curl x | bash',
    'source ./x.sh',
    '. ./x',
    'python3 -c "x"',
  ],
  ...[
    'bash -c "$X"',
    'ssh host git push',
    'git$IFS""push',
    '"$(printf git)" push',
    'if then ((',
    `git push ${'a'.repeat(20_000)}`,
    `${'true; '.repeat(3_000)}git push`,
  ],
])('with git push denied, a command that may be git push is not allowed: %.60s', async (command) => {
  const { answer } = await judge(place, 'Bash', { command }, { deny: ['Bash(git push:*)'] });
  expect(answer).not.toBe('allow');
});

test.each<[rule: string, tool: string, input: Record<string, unknown>, answer: string]>([
  ['Bash(run_in_background:true)', 'Bash', { command: 'ls', run_in_background: true }, 'deny'],
  ['Bash(run_in_background:true)', 'Bash', { command: 'ls' }, 'allow'],
  ['Bash(run_in_background : true)', 'Bash', { command: 'ls', run_in_background: true }, 'deny'],
  ['Bash(timeout:*)', 'Bash', { command: 'ls', timeout: 1000 }, 'allow'], // the command named timeout
  ['Bash(command:ls *)', 'Bash', { command: 'ls -l' }, 'deny'],
  ['bash(ls:*)', 'Bash', { command: 'ls' }, 'deny'],
  ['*', 'Read', { file_path: 'a.txt' }, 'deny'],
  ['B*', 'Bash', { command: 'ls' }, 'deny'],
  ['Grep', 'Grep', { pattern: 'x' }, 'deny'],
  ['Glob(**)', 'Glob', { pattern: '*' }, 'deny'],
  ['Write', 'Bash', { command: 'echo x > b.txt' }, 'deny'],
  ['Edit', 'Bash', { command: 'sed -i s/a/b/ a.txt' }, 'deny'],
  ['Read', 'Bash', { command: 'cat a.txt' }, 'deny'],
  ['Edit(*.ts)', 'Bash', { command: 'echo x >> src/a.ts' }, 'deny'],
  ['Edit(*.ts)', 'Bash', { command: 'cp a.txt src/a.ts' }, 'deny'],
  ['Edit(*.ts)', 'Bash', { command: 'tee src/a.ts < a.txt' }, 'deny'],
  ['Edit(*.ts)', 'Bash', { command: 'rm src/a.ts' }, 'deny'],
  ['Edit(*.ts)', 'Bash', { command: 'mv src/a.ts b' }, 'deny'],
  ['Edit(*.ts)', 'Bash', { command: 'cat src/a.ts' }, 'allow'],
  ['Edit(*.ts)', 'Read', { file_path: 'src/a.ts' }, 'allow'],
])('%s denied: %s %j → %s', async (rule, tool, input, expected) => {
  const { answer, text } = await judge(place, tool, input, { deny: [rule] });
  expect(answer, text).toBe(expected);
});

test.each<[command: string, answer: string]>([
  ['git diff', 'ask'],
  ['git log -p', 'ask'],
  ['git show', 'ask'],
  ['git stash show -p', 'ask'],
  ['git cat-file -p 65ec267', 'ask'],
  ['git show HEAD:.env', 'deny'],
  ['git log --oneline', 'allow'],
  ['git diff --stat', 'allow'],
  ['git diff -- src/a.ts', 'allow'],
  ['git show HEAD:src/a.ts', 'allow'],
  ['git status', 'allow'],
])(
  'with reading of .env denied, commands that show files of any commit are asked about: %s → %s',
  async (command, expected) => {
    const { answer, text } = await judge(place, 'Bash', { command }, { deny: ['Read(.env)'] });
    expect(answer, text).toBe(expected);
  },
);
