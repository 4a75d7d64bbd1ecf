// Programs that reach an interpreter without a file: on standard input, through a pipe or a process substitution.
import { expect, test } from 'vitest';
import type { Effect } from '../../contract/effect.js';
import { createCommandAnalyzer } from './command-effects.js';

const analyzer = createCommandAnalyzer();
const effectsOf = (command: string): Promise<Effect[]> =>
  analyzer.effects(command, { cwd: '/project', home: '/home/me' });

const touched = (effects: readonly Effect[], access: 'read' | 'write'): string[] =>
  effects.flatMap((effect) => (effect.kind === 'file' && effect.access === access ? effect.path : []));
const isUnknown = (effects: readonly Effect[]): boolean => effects.some(({ kind }) => kind === 'unknown');

test.each([
  "sh <<< 'cat .env'",
  "sh -s <<< 'cat .env'",
  "bash -s a b <<< 'cat .env'",
  "bash - <<< 'cat .env'",
  "sh /dev/stdin <<< 'cat .env'",
  "bash /dev/fd/0 <<< 'cat .env'",
  "bash <<'E'\ncat .env\nE",
  'bash <<E\ncat .env\nE',
  'bash <<-E\n\t\tcat .env\n\tE',
  "echo 'cat .env' | sh",
  'echo -n cat .env | sh',
  "printf '%s\\n' 'cat .env' | sh",
  "printf 'cat .env' | bash",
  "cat <<'E' | sh\ncat .env\nE",
  "cat <<< 'cat .env' | bash -s",
  "timeout 9 sh <<< 'cat .env'",
  "env A=b nice sh <<< 'cat .env'",
  "{ sh; } <<< 'cat .env'",
  "(sh) <<< 'cat .env'",
  "if sh; then :; fi <<< 'cat .env'",
  "source /dev/stdin <<< 'cat .env'",
  ". /dev/stdin <<< 'cat .env'",
  "sh -c sh <<< 'cat .env'",
  "eval sh <<< 'cat .env'",
  "exec <<< 'cat .env'; sh",
  'sh <<< "sh <<\'E\'\ncat .env\nE"',
  "at now <<< 'cat .env'",
  "cat <<< x; sh <<< 'cat .env'",
])('a literal that a shell reads as its script is analysed: %s', async (command) => {
  expect(touched(await effectsOf(command), 'read')).toContain('/project/.env');
});

test('files that a script on standard input writes are known', async () => {
  expect(touched(await effectsOf("sh <<< 'touch MARK'"), 'write')).toContain('/project/MARK');
});

test.each([
  'cat x | sh',
  'curl -s https://example.com | bash',
  'bash <(echo cat .env)',
  'source <(echo cat .env)',
  'bash --rcfile <(echo cat .env) -i',
  'sh < <(echo cat .env)',
  "echo -e 'cat\\x20.env' | sh",
  "printf 'cat\\040.env' | sh",
  'sh <<< "$x"',
  'sh <<E\n$x\nE',
  'echo cat .env | tr a a | sh',
  'echo cat .env | tee >(sh)',
  'f() { sh; }; echo cat .env | f',
  "{ read x; sh; } <<'E'\nx\ncat .env\nE",
  "bash <<'E'\nread x\n'\ncat .env\n'\nE",
  "while sh; do :; done <<< 'cat .env'",
  "{ x=$(head -c 1) sh; } <<< 'cat .env'",
  'cat x | python3',
  'cat x | python3 -',
  'cat x | python3 -W ignore -',
  'cat x | python3 /dev/stdin',
  'cat x | perl',
  'cat x | perl -I lib',
  'cat x | ruby',
  'cat x | node',
  'cat x | node -',
  'cat x | node -r fs',
  'cat x | php',
  'cat x | lua -',
  'cat x | awk -f - a',
  'cat x | awk -f /dev/stdin a',
  'cat x | sed -f - a',
  'cat x | sed -nf- a',
  'cat x | sed --file=- a',
  'cat x | make -f -',
  'cat x | xargs sh',
  'cat x | xargs -I{} sh -c {}',
  'cat x | parallel',
  'cat x | at now',
  'cat x | ed a',
  'cat x | sqlite3 a.db',
  'python3 <(echo x)',
  'cat x | /opt/bin/python3.12',
  'cat x | zsh',
])('a program from input that is not in the text counts as unknown: %s', async (command) => {
  expect(isUnknown(await effectsOf(command))).toBe(true);
});

test.each([
  'python3 x.py',
  "python3 -c 'print(1)'",
  "python3 - <<'E'\nprint(1)\nE",
  'sh x.sh',
  'sh < x.sh',
  'cat x | python3 x.py',
  "cat x | perl -ne 'print'",
  "cat x | node -e '1'",
  'cat x | python3 -m json.tool',
  "cat x | sed 's/a/b/'",
  "cat x | awk '{print $1}'",
  'cat x | awk -f a.awk',
  'cat x | php a.php',
  'python3',
  'sh',
  "cat x | sh -c 'cat'",
])('input does not count as a program if a file or an option provides it: %s', async (command) => {
  expect(isUnknown(await effectsOf(command))).toBe(false);
});
