// The words of a simple command, sorted for the tables of risky commands.
import type { CommandEffect } from '../../contract/effect.js';

export interface CommandLine {
  /** Without its folder. */
  name: string;
  /** The words after the name; `…` stands for one that is not known. */
  words: readonly string[];
  /** The words that are neither options nor their values. */
  operands: readonly string[];
  options: readonly string[];
}

/** Options of a program whose value is the next word: without them, `git -C folder push` would not be a push. */
const valuedOptions: Readonly<Record<string, string>> = {
  git: '-C -c --git-dir --work-tree --namespace --exec-path -m --message -F -o --push-option --receive-pack',
  kubectl: '-n --namespace --context --cluster --kubeconfig -s --server --user -l --selector -o --output -f --filename',
  helm: '-n --namespace --kube-context --kubeconfig -f --values --set --version',
  docker: '-H --host -c --context --config -f --file -p --project-name --project-directory',
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

export const commandLine = ({ argv, words = [] }: CommandEffect): CommandLine | undefined => lineOf(argv ?? words);

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
  let areOptionsOver = false;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') areOptionsOver = true;
    else if (areOptionsOver || !/^-./.test(word)) operands.push(word);
    else {
      options.push(word);
      if (valued.has(word)) index += 1;
    }
  }
  return { name, words, operands, options };
}

/** Whether an option was given, alone or in a cluster of short ones: `f` in `-xfd`. */
export const hasOption = ({ options }: CommandLine, long: RegExp, short = ''): boolean =>
  options.some((option) =>
    option.startsWith('--')
      ? long.test(option)
      : long.test(option) ||
        (short !== '' && [...short].some((letter) => /^-\w+$/.test(option) && option.includes(letter))),
  );

/** The values of an option, as a word of its own or glued to it: `-c x`, `-cx`, `--command=x`. */
export function optionValues({ words }: CommandLine, names: RegExp): string[] {
  return words.flatMap((word, index) => {
    const [, long, value] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
    if (long !== undefined && names.test(long)) return [value ?? ''];
    if (names.test(word)) return [words[index + 1] ?? '…'];
    const short = /^-\w(?=.)/.exec(word)?.[0];
    return short !== undefined && names.test(short) ? [word.slice(2)] : [];
  });
}
