import { type CommandLine, hasOption, isSwitchedOn, optionValues } from '../command-line.js';
import { fewNames } from '../short-text.js';
import { always, type CommandRisk, naming, type RiskyForm, type RiskyProgram } from './form.js';
import { isAddress, startedPrograms } from './git-programs.js';

const gitRemote = (line: CommandLine): string =>
  line.operands[1] ?? optionValues(line, /^--repo$/).at(-1) ?? 'the remote';

/** "main on origin": the branches of a push, as far as they are named, and where they go. */
function pushedTo(line: CommandLine): string {
  const refs = line.operands.slice(2).map((ref) => ref.replace(/^\+/, '').replace(/^[^:]*:(?=.)/, ''));
  const isAll = hasOption(line, /^--(mirror|all|branches)$/);
  const what = isAll ? 'all branches' : refs.length > 0 ? fewNames(refs) : 'the current branch';
  return `${what} on ${gitRemote(line)}`;
}

/** `:old`, or `--delete old`, or what the remote has and this repository does not. */
const deletedOn = (line: CommandLine): string =>
  pushedTo(line)
    .replace(/^the current branch on/, 'what is not in this repository, on')
    .replace(/^:/, '');

/** With a lease, git refuses if another person has pushed since the last fetch. */
function forcePush(line: CommandLine): CommandRisk {
  const isLeased = hasOption(line, /^--force-with-lease\b/) && !hasOption(line, /^--(force|mirror)$/, 'f');
  const lost = `overwrites commits of ${pushedTo(line)} (force push${isLeased ? ' with lease' : ''})`;
  return { kind: 'rewrites_history', level: 'high', reach: 'others', text: lost };
}

/** Paths come after `--`, and of checkout and restore also without it. */
function discardsChanges({ words, operands }: CommandLine): CommandRisk {
  const dashes = words.indexOf('--');
  const paths = dashes < 0 ? operands.slice(1) : words.slice(dashes + 1);
  const isAll = paths.length === 0 || paths.some((path) => /^(\.\/?|:\/)$/.test(path));
  const text = `discards uncommitted changes ${isAll ? 'of all files below this folder' : `of ${fewNames(paths)}`}`;
  return { kind: 'rewrites_history', level: 'notable', undoable: 'perhaps', text };
}

/** The commit that a hard reset goes to; undefined for the current one. */
const resetTo = ({ operands }: CommandLine): string | undefined =>
  operands.slice(1).find((word) => !/^(HEAD|@)$/.test(word));

const forms: readonly RiskyForm[] = [
  ...startedPrograms,
  {
    on: /^push\b/,
    when: (line) =>
      hasOption(line, /^--(force|force-with-lease|mirror)\b/, 'f') ||
      line.operands.slice(2).some((ref) => /^\+/.test(ref)),
    risk: forcePush,
  },
  {
    on: /^push\b/,
    when: (line) => hasOption(line, /^--(delete|prune)$/, 'd') || line.operands.slice(2).some((ref) => /^:./.test(ref)),
    risk: (line) => ({
      kind: 'rewrites_history',
      level: 'high',
      reach: 'others',
      text: `deletes branches or tags: ${deletedOn(line)}`,
    }),
  },
  {
    on: /^push\b/,
    when: (line) => isSwitchedOn(line, 'dry-run', 'n'),
    risk: always('network', 'notable', 'contacts the remote'),
  },
  {
    on: /^push\b/,
    risk: (line) => ({ kind: 'publishes', level: 'high', text: `pushes commits to ${gitRemote(line)}` }),
  },
  {
    on: /^(send-pack|http-push)\b/,
    risk: (line) => ({ kind: 'publishes', level: 'high', text: `pushes commits to ${gitRemote(line)}` }),
  },
  {
    on: /^subtree push\b/,
    risk: ({ operands }) => ({
      kind: 'publishes',
      level: 'high',
      text: `pushes commits to ${operands.find((word) => isAddress(word)) ?? operands.at(-2) ?? 'the remote'}`,
    }),
  },
  {
    on: /^subtree (add|pull|merge)\b/,
    risk: naming(1, 'network', 'notable', 'downloads commits and merges them'),
  },
  {
    on: /^reset\b/,
    when: (line) => hasOption(line, /^--(hard|merge|keep)$/),
    risk: (line) => {
      const target = resetTo(line);
      const text = target === undefined ? '' : `, and commits of the branch that are not in ${target}`;
      return { kind: 'rewrites_history', level: 'high', text: `discards all uncommitted changes${text}` };
    },
  },
  {
    on: /^clean\b/,
    when: (line) => hasOption(line, /^--force$/, 'f') && hasOption(line, /^$/, 'xX'),
    risk: always('deletes', 'high', 'deletes files that git does not track, also ignored ones such as .env'),
  },
  {
    on: /^clean\b/,
    when: (line) => hasOption(line, /^--force$/, 'f'),
    risk: () => ({
      kind: 'deletes',
      level: 'notable',
      undoable: 'perhaps',
      text: 'deletes files that git does not track',
    }),
  },
  {
    on: /^branch\b/,
    when: (line) => hasOption(line, /^--(delete|force)$/, 'D') && hasOption(line, /^--force$/, 'Df'),
    risk: naming(1, 'rewrites_history', 'high', 'deletes a branch even if it is not merged'),
  },
  {
    on: /^branch\b/,
    when: (line) => hasOption(line, /^--force$/, 'fMC'),
    risk: naming(1, 'rewrites_history', 'high', 'moves a branch, and may drop commits from it'),
  },
  {
    on: /^branch\b/,
    when: (line) => hasOption(line, /^--delete$/, 'd'),
    risk: naming(1, 'deletes', 'notable', 'deletes a merged branch'),
  },
  {
    on: /^tag\b/,
    when: (line) => hasOption(line, /^--(delete|force)$/, 'df'),
    risk: naming(1, 'rewrites_history', 'high', 'deletes or moves a tag'),
  },
  {
    on: /^(filter-branch|filter-repo|replace)\b/,
    risk: always('rewrites_history', 'high', 'rewrites the history of this repository'),
  },
  {
    on: /^(reflog (expire|delete)|gc|prune|update-ref)\b/,
    when: ({ operands, options }) => operands[0] !== 'gc' || options.some((option) => /^--prune/.test(option)),
    risk: always('rewrites_history', 'high', 'can delete commits for good'),
  },
  { on: /^stash (drop|clear)\b/, risk: always('rewrites_history', 'high', 'deletes stashed changes') },
  {
    on: /^rebase\b/,
    when: ({ options }) => !options.some((option) => /^--(abort|quit|show-current-patch)$/.test(option)),
    risk: always('rewrites_history', 'notable', 'rewrites commits of this branch'),
  },
  {
    on: /^commit\b/,
    when: (line) => hasOption(line, /^--amend$/),
    risk: always('rewrites_history', 'notable', 'replaces the last commit'),
  },
  {
    on: /^(checkout|switch|worktree add)\b/,
    when: (line) =>
      line.operands[0] === 'switch' ? hasOption(line, /^--force-create$/, 'C') : hasOption(line, /^$/, 'B'),
    risk: naming(1, 'rewrites_history', 'high', 'moves a branch if it exists, and may drop commits from it'),
  },
  {
    on: /^read-tree\b/,
    when: (line) => hasOption(line, /^--reset$/),
    risk: always('rewrites_history', 'high', 'discards uncommitted changes'),
  },
  { on: /^checkout-index\b/, when: (line) => hasOption(line, /^--force$/, 'f'), risk: discardsChanges },
  {
    on: /^(checkout|switch)\b/,
    when: (line) =>
      hasOption(line, /^--(force|discard-changes)$/, 'f') ||
      (line.operands[0] === 'checkout' && line.words.includes('--')),
    risk: discardsChanges,
  },
  {
    on: /^checkout \.$/,
    risk: discardsChanges,
  },
  {
    on: /^restore\b/,
    when: (line) => !isSwitchedOn(line, 'staged', 'S') || hasOption(line, /^--worktree$/, 'W'),
    risk: discardsChanges,
  },
  {
    on: /^worktree remove\b/,
    when: (line) => hasOption(line, /^--force$/, 'f'),
    risk: naming(2, 'deletes', 'high', 'deletes a worktree with its uncommitted changes'),
  },
  {
    on: /^config\b/,
    when: (line) =>
      hasOption(line, /^--(global|system)$/) &&
      !line.options.some((option) => /^(--(get|get-all|list|get-regexp)|-l)$/.test(option)) &&
      line.operands.length !== 2,
    risk: naming(1, 'startup', 'high', 'changes the git settings of all your repositories'),
  },
  {
    on: /^config\b.*\b(core\.(hookspath|sshcommand|pager|editor|fsmonitor)|alias\.|credential\.|filter\.|url\.)\S* \S/i,
    risk: naming(1, 'startup', 'notable', 'changes which programs git runs'),
  },
  {
    on: /^remote (add|set-url|rename|remove|rm)\b/,
    risk: naming(2, 'startup', 'notable', 'changes where this repository pushes to and fetches from'),
  },
  { on: /^credential\b/, risk: always('secrets', 'high', 'reads or changes stored passwords') },
  {
    on: /^(fetch|pull)\b/,
    risk: ({ operands }) => {
      const [, remote, ...refs] = operands;
      const from = remote === undefined || remote.startsWith('+') ? 'the remote' : remote;
      const isForced = refs.some((ref) => ref.startsWith('+') && ref.includes(':'));
      if (isForced) {
        return {
          kind: 'rewrites_history',
          level: 'notable',
          text: `downloads from ${from}, and overwrites ${refs.join(' ')}`,
        };
      }
      if (/[:/]/.test(from)) return undefined; // the address is named by itself
      return {
        kind: 'network',
        level: 'notable',
        text: `downloads from ${from}${refs.length > 0 ? `: ${refs.join(' ')}` : ''}`,
      };
    },
  },
  { on: /^(send-email|imap-send)\b/, risk: always('network', 'high', 'sends mail') },
  {
    on: /^(daemon|instaweb)\b/,
    risk: always('network', 'notable', 'lets other machines reach files of this one'),
  },
  { on: /^(svn dcommit|p4 submit|lfs push)\b/, risk: always('publishes', 'high', 'pushes commits to the remote') },
  { on: /^(notes remove|lfs prune)\b/, risk: always('rewrites_history', 'notable', 'deletes data of the repository') },
  {
    on: /^(ls-remote|submodule (update|add)|lfs (pull|fetch)|remote update)\b/,
    risk: naming(1, 'network', 'notable', 'downloads from the remote'),
  },
];

export const git: readonly RiskyProgram[] = [{ names: 'git', forms }];
