// Further conditions for a form to be read-only, and what it prints.
import { hasOption, type ParsedArguments } from './options.js';

const besideNames =
  /^(--name-only|--cached|--staged|--diff-filter|--merge-base|--no-renames|--root|--no-commit-id|--color|--no-color|-[rzwM])$/;

export function namesOnly(parsed: ParsedArguments): boolean {
  return hasOption(parsed, '--name-only') && parsed.options.every(({ name }) => besideNames.test(name));
}

/** Formats and sort orders that check a signature start the verifying program. */
export function noSignatures(parsed: ParsedArguments): string | undefined {
  const formats = parsed.options.filter(({ name }) => /^--(format|pretty|sort)$/.test(name));
  const unsafe = formats.some(
    ({ value }) => value !== undefined && (value.value === undefined || /%G|signature/.test(value.value)),
  );
  return unsafe ? 'its format may check signatures, which starts another program' : ownSubmodules(parsed);
}

/** Submodules are read from their own repositories, including those that are not checked out. */
export function ownSubmodules({ options }: ParsedArguments): string | undefined {
  const shows = options.find(({ name }) => name === '--submodule');
  return shows === undefined || shows.value?.value === 'short'
    ? undefined
    : 'it shows what the repositories of submodules hold';
}

// With one of them, a name is the object that the list is compared with.
const listFlags = ['-l', '--list', '--contains', '--no-contains', '--merged', '--no-merged', '--points-at'];

export function listsOnly(...flags: string[]) {
  return (parsed: ParsedArguments): string | undefined =>
    parsed.operands.length > 0 && !hasOption(parsed, ...listFlags, ...flags)
      ? 'with a name it may create something'
      : noSignatures(parsed);
}

export const atMostOne = ({ operands }: ParsedArguments): string | undefined =>
  operands.length > 1 || operands.some(({ splits }) => splits) ? 'with a second operand it writes' : undefined;

export const MAY_BE_SECRET = 'it may show passwords and tokens that are in the configuration';

// Settings without credentials. The URL of a remote may contain some, and `git remote -v` prints it as well.
const harmlessKey =
  /^((user|author|committer)\.(name|email|signingkey)|remote\..*\.(url|pushurl|fetch)|(core|init|branch|alias|pull|push|merge|diff|color|commit|tag|rebase|fetch|gpg|submodule|rerere|status|log|advice|column|pager|format|gc|index|extensions|i18n|worktree|safe|clone|checkout|stash|blame|grep|help)\..+)$/is;
const harmlessPattern =
  /^\^(user|core|init|branch|alias|pull|push|merge|diff|color|commit|tag|rebase|fetch|submodule|status|log)(\\?\.[\w*.\\-]*)?\$?$/;

export function readsConfig(parsed: ParsedArguments): string | undefined {
  const [first] = parsed.operands;
  if (hasOption(parsed, '--list', '-l')) return hasOption(parsed, '--name-only') ? undefined : MAY_BE_SECRET;
  if (hasOption(parsed, '--get-urlmatch')) return MAY_BE_SECRET;
  if (first === undefined) return 'without an operand it is not known to read only';
  if (hasOption(parsed, '--get-regexp', '--regexp')) {
    if (hasOption(parsed, '--name-only')) return undefined;
    return harmlessPattern.test(first.value ?? '') ? undefined : MAY_BE_SECRET;
  }
  const writes = hasOption(parsed, '--get', '--get-all') ? undefined : atMostOne(parsed);
  return writes ?? (harmlessKey.test(first.value ?? '') ? undefined : MAY_BE_SECRET);
}

export const withPatch = (parsed: ParsedArguments): boolean =>
  hasOption(parsed, '-p', '-u', '--patch', '-U', '--unified', '-L', '-W', '--function-context', '--binary') ||
  hasOption(
    parsed,
    '--patch-with-stat',
    '--patch-with-raw',
    '--word-diff',
    '--word-diff-regex',
    '--color-words',
    '-c',
    '--cc',
    '-m',
    '--dd',
    '--remerge-diff',
    '--diff-merges',
  );

const figures = [
  '--stat',
  '--numstat',
  '--shortstat',
  '--dirstat',
  '--summary',
  '--name-only',
  '--name-status',
  '--raw',
  '-s',
  '--no-patch',
  '--quiet',
];

export const notOnlyFigures = (parsed: ParsedArguments): boolean => withPatch(parsed) || !hasOption(parsed, ...figures);
