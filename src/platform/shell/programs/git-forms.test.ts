import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import { temporaryRepository } from '../../../testing/git-repository.js';
import { forms, type GitForm, nested } from './git-forms.js';

const all: [string[], GitForm][] = [
  ...[...forms()].map(([name, form]): [string[], GitForm] => [[name], form]),
  ...[...nested()].flatMap(([name, below]) =>
    [...below].map(([second, form]): [string[], GitForm] => [second === '' ? [name] : [name, second], form]),
  ),
];

const run = async (root: string, args: readonly string[]): Promise<string> =>
  await new Promise((resolve) => {
    const child = execFile('git', ['-C', root, ...args], { timeout: 10_000 }, (_, stdout, stderr) =>
      resolve(`${stderr}\n${stdout}`),
    );
    child.stdin?.end();
  });

const isUnknown = (said: string): boolean =>
  /unknown (option|switch)|unrecognized (argument|option)|invalid option|usage: git|is not a git command|does not contain a section/i.test(
    said,
  );
const lacksValue = (said: string): boolean =>
  /requires? (a|an|the)? ?(value|argument)|expects a|needs? a value/i.test(said);

// Git takes the next word if there is one, and accepts its absence at the end.
const TAKES_LAST = /^--(no-)?(contains|merged)$|^--points-at$/;
// The long tables of differences and histories, which many forms share: hundreds of processes.
const isLong = (form: GitForm): boolean => form.options.named.size > 100;
const checked = all.filter(([name, form]) =>
  isLong(form) ? process.env['HELVE_SOAK'] !== undefined && /^(diff|log)$/.test(name.join(' ')) : name[0] !== 'stash',
);

test.each(checked.map(([name, form]) => [name.join(' '), name, form] as const))(
  'the options of git %s take values as in the table',
  async (_, name, form) => {
    const { root } = await shared;
    const options = [...form.options.named].filter(([option]) => !TAKES_LAST.test(option));
    const wrong: string[] = [];
    for (const [option, { value }] of options) {
      const said = await run(root, [...name, option]);
      const isRequired = lacksValue(said);
      if (isUnknown(said) && !isRequired) continue; // another version of git has it
      if (isRequired !== (value === 'required')) wrong.push(`${option} (${value}): ${said.trim().split('\n')[0]}`);
    }
    expect(wrong).toEqual([]);
  },
);

const shared = temporaryRepository();
