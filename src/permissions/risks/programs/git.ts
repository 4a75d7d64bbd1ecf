import { type CommandLine, hasOption } from '../command-line.js';
import { always, naming, type RiskyForm, type RiskyProgram } from './form.js';

const gitRemote = ({ operands }: CommandLine): string => operands[1] ?? 'the remote';

const forms: readonly RiskyForm[] = [
  {
    on: /^push\b/,
    when: (line) =>
      hasOption(line, /^--(force|force-with-lease|mirror)\b/, 'f') ||
      line.operands.slice(2).some((ref) => /^\+/.test(ref)),
    risk: (line) => ({
      kind: 'rewrites_history',
      level: 'high',
      text: `overwrites commits on ${gitRemote(line)} (force push)`,
    }),
  },
  {
    on: /^push\b/,
    when: (line) => hasOption(line, /^--(delete|prune)$/, 'd') || line.operands.slice(2).some((ref) => /^:./.test(ref)),
    risk: (line) => ({
      kind: 'rewrites_history',
      level: 'high',
      text: `deletes branches or tags on ${gitRemote(line)}`,
    }),
  },
  {
    on: /^push\b/,
    when: (line) => hasOption(line, /^--dry-run$/, 'n'),
    risk: always('network', 'notable', 'contacts the remote'),
  },
  {
    on: /^push\b/,
    risk: (line) => ({ kind: 'publishes', level: 'high', text: `pushes commits to ${gitRemote(line)}` }),
  },
  {
    on: /^reset\b/,
    when: (line) => hasOption(line, /^--(hard|merge|keep)$/),
    risk: always('rewrites_history', 'high', 'discards uncommitted changes, and may drop commits from the branch'),
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
    when: (line) => !hasOption(line, /^--(abort|quit|show-current-patch)$/),
    risk: always('rewrites_history', 'notable', 'rewrites commits of this branch'),
  },
  {
    on: /^commit\b/,
    when: (line) => hasOption(line, /^--amend$/),
    risk: always('rewrites_history', 'notable', 'replaces the last commit'),
  },
  {
    on: /^(checkout|switch)\b/,
    when: (line) =>
      hasOption(line, /^--(force|discard-changes)$/, 'f') ||
      (line.operands[0] === 'checkout' && line.words.includes('--')),
    risk: () => ({
      kind: 'rewrites_history',
      level: 'notable',
      undoable: 'perhaps',
      text: 'discards uncommitted changes of files',
    }),
  },
  {
    on: /^checkout \.$/,
    risk: () => ({
      kind: 'rewrites_history',
      level: 'notable',
      undoable: 'perhaps',
      text: 'discards uncommitted changes of files',
    }),
  },
  {
    on: /^restore\b/,
    when: (line) => !hasOption(line, /^--staged$/, 'S') || hasOption(line, /^--worktree$/, 'W'),
    risk: () => ({
      kind: 'rewrites_history',
      level: 'notable',
      undoable: 'perhaps',
      text: 'discards uncommitted changes of files',
    }),
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
      !hasOption(line, /^--(get|get-all|list|get-regexp)$/, 'l') &&
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
  { on: /^send-email\b/, risk: always('network', 'high', 'sends mail') },
  { on: /^svn dcommit\b|^p4 submit\b/, risk: always('publishes', 'high', 'pushes commits to the remote') },
  { on: /^(notes remove|lfs prune)\b/, risk: always('rewrites_history', 'notable', 'deletes data of the repository') },
  {
    on: /^(ls-remote|submodule (update|add)|lfs (pull|fetch)|remote update)\b/,
    risk: naming(1, 'network', 'notable', 'downloads from the remote'),
  },
];

export const git: readonly RiskyProgram[] = [{ names: 'git', forms }];
