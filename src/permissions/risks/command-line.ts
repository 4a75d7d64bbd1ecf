// The words of a simple command, sorted for the tables of risky commands.
import type { CommandEffect, ContainerEngine } from '../../contract/effect.js';
import { memoizeByObject } from '../memoize.js';
import { beginningOf } from './partial-match.js';

export interface CommandLine {
  /** Without its folder. */
  name: string;
  /** The words after the name; `…` stands for one that is not known. */
  words: readonly string[];
  /** The words that are neither options nor their values. */
  operands: readonly string[];
  options: readonly string[];
  /** The indexes of operands that may instead be the value of an option before them which is not in the tables. */
  uncertain: readonly number[];
  /** Of a container command, unless its words name another one. */
  engine?: ContainerEngine | undefined;
}

/** Options that take no value in most programs. The options of git before its subcommand are all known. */
const FLAG =
  /^(-[46dDghiqstvVxy]+|--(no-.*|verbose|quiet|silent|debug|yes|json|global|help|version|force|offline|locked|frozen|recursive|dry-run|all|tls|insecure-skip-tls-verify|rm|save-dev|production|workspaces))$/;

/** Options of a program whose value is the next word: without them, `git -C folder push` would not be a push. */
const valuedOptions: Readonly<Record<string, string>> = {
  git: '-C -c --git-dir --work-tree --namespace --exec-path -m --message -F -o --push-option --receive-pack --repo --exec --config-env',
  kubectl: '-n --namespace --context --cluster --kubeconfig -s --server --user -l --selector -o --output -f --filename',
  helm: '-n --namespace --kube-context --kubeconfig -f --values --set --version',
  docker: '-H --host -c --context --config --file -p --project-name --project-directory',
  podman: '-c --connection --url -f --file',
  npm: '--prefix -C -w --workspace --registry --tag --otp --access',
  pnpm: '-C --dir --filter -F',
  yarn: '--cwd',
  cargo: '--manifest-path --config -C --color --token --registry',
  gh: '-R --repo -t --title -b --body -F --notes-file -n --notes',
  glab: '-R --repo -t --title -d --description',
  aws: '--profile --region --output --endpoint-url --query',
  gcloud: '--project --account --configuration --format --region --zone',
  az: '--subscription -g --resource-group -n --name -o --output',
  terraform: '-var -var-file -target -state',
  ssh: '-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -P -p -Q -R -S -W -w',
  scp: '-c -D -F -i -J -l -o -P -S -X',
  rsync: '-e --rsh --exclude --include --filter -f --port --bwlimit --exclude-from --include-from --files-from',
  systemctl: '-H --host -M --machine -t --type -p --property',
  crontab: '-u',
};

export const commandLine = memoizeByObject(({ argv, words = [], engine }: CommandEffect): CommandLine | undefined => {
  const line = lineOf(argv ?? words);
  return line && engine ? { ...line, engine } : line;
});

const MAX_WORD_CHARS = 8_000;

/** So that no pattern takes long; the mark at the end says that the rest is not known. */
export const bounded = (text: string): string =>
  text.length > MAX_WORD_CHARS ? `${text.slice(0, MAX_WORD_CHARS)}…` : text;

/** The same for words that another command runs. */
export function lineOf([first, ...rest]: readonly (string | null)[]): CommandLine | undefined {
  if (typeof first !== 'string') return undefined;
  const name = first.replace(/^.*\//, '');
  const words = rest.map((word) => (word === null ? '…' : bounded(word)));
  const valued = new Set((Object.hasOwn(valuedOptions, name) ? valuedOptions[name] : undefined)?.split(' '));
  const operands: string[] = [];
  const options: string[] = [];
  const uncertain: number[] = [];
  let areOptionsOver = false;
  for (let index = name === 'cargo' && words[0]?.startsWith('+') ? 1 : 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') areOptionsOver = true;
    else if (areOptionsOver || !/^-./.test(word)) {
      if (!areOptionsOver && name !== 'git' && mayTakeValue(words[index - 1], options)) uncertain.push(operands.length);
      operands.push(word);
    } else {
      options.push(word);
      if (valued.has(word)) index += 1;
    }
  }
  return { name, words, operands, options, uncertain };
}

/** Whether the word before an operand is an option that may take the operand as its value. */
const mayTakeValue = (before: string | undefined, options: readonly string[]): boolean =>
  before !== undefined && before === options.at(-1) && !before.includes('=') && !FLAG.test(before);

/** Long options that are complete, although others which are a risk begin in the same way. */
const COMPLETE = /^--(export|force)$/;

/**
 * Whether an option was given: alone, in a cluster of short ones (`f` in `-xfd`), or abbreviated (`--forc`). A program
 * rejects an ambiguous abbreviation, so each beginning counts. Not for options that make a command harmless: see
 * `isSwitchedOn`.
 */
export const hasOption = ({ options }: CommandLine, long: RegExp, short = ''): boolean =>
  options.some((option) => {
    if (long.test(option)) return true;
    if (option.startsWith('--')) return abbreviates(option, long);
    return short !== '' && /^-\w+$/.test(option) && [...short].some((letter) => option.includes(letter));
  });

function abbreviates(option: string, long: RegExp): boolean {
  const [name = ''] = option.split('=', 1);
  return name.length > 2 && !COMPLETE.test(name) && beginningOf(long).test(name);
}

/**
 * Whether a switch is on, as for `--dry-run`, by its full name or its letter: of `--x`, `--no-x` and `--x=false` the
 * last counts.
 */
export const isSwitchedOn = ({ options, words }: CommandLine, name: string, letter = ''): boolean =>
  options.reduce((isOn, option) => {
    if (option === `--${name}`) return words[words.lastIndexOf(option) + 1] !== 'false';
    if (option.startsWith(`--${name}=`)) return !/=(false|no|none|0|off|)$/i.test(option);
    if (option.startsWith('--no-') && `--no-${name}`.startsWith(option)) return false;
    return isOn || (letter !== '' && /^-\w+$/.test(option) && option.includes(letter));
  }, false);

/** The values of an option, as a word of its own or glued to it: `-c x`, `-cx`, `--command=x`, `--comm=x`. */
export function optionValues({ words }: CommandLine, names: RegExp): string[] {
  const isOne = (option: string): boolean =>
    names.test(option) || (option.startsWith('--') && abbreviates(option, names));
  return words.flatMap((word, index) => {
    const [, long, value] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
    if (long !== undefined && isOne(long)) return [value ?? ''];
    if (isOne(word)) return [words[index + 1] ?? '…'];
    const short = /^-\w(?=.)/.exec(word)?.[0];
    return short !== undefined && names.test(short) ? [word.slice(2)] : [];
  });
}
