import { type CommandLine, hasOption } from '../command-line.js';
import { shortened } from '../short-text.js';
import { always, type CommandRisk, naming, type RiskyProgram } from './form.js';

const mutatingApi = ({ words }: CommandLine): boolean =>
  words.some((word, index) => /^(-X|--method)$/.test(word) && !/^(GET|HEAD)$/i.test(words[index + 1] ?? '')) ||
  words.some(
    (word) => /^(-X|--method=)(?!GET|HEAD)\w/i.test(word) || /^(-f|-F|--field|--raw-field|--input)/.test(word),
  );

const things: Readonly<Record<string, string>> = {
  pr: 'a pull request',
  mr: 'a merge request',
  issue: 'an issue',
  repo: 'a repository',
  release: 'a release',
  gist: 'a gist',
  codespace: 'a codespace',
};

const acts: Readonly<Record<string, string>> = {
  create: 'creates',
  new: 'creates',
  upload: 'adds files to',
  publish: 'publishes',
  fork: 'forks',
  edit: 'changes',
  update: 'changes',
  close: 'closes',
  reopen: 'reopens',
  comment: 'comments on',
  note: 'comments on',
  review: 'reviews',
  approve: 'approves',
  lock: 'locks',
  transfer: 'transfers',
  ready: 'marks as ready',
  cancel: 'cancels',
  disable: 'disables',
};

/** `creates a release on GitHub: v1`. */
const about =
  (kind: CommandRisk['kind'], usual: string) =>
  ({ operands }: CommandLine): CommandRisk => {
    const [thing = '', act = ''] = operands;
    const verb = Object.hasOwn(acts, act) ? acts[act] : usual;
    const what = Object.hasOwn(things, thing) ? things[thing] : `a ${thing}`;
    const which = shortened(operands.slice(2).join(' '));
    return { kind, level: 'high', text: `${verb} ${what} on the forge${which === '' ? '' : `: ${which}`}` };
  };

/** The forge by its name. */
const named =
  (risk: (line: CommandLine) => CommandRisk) =>
  (line: CommandLine): CommandRisk => {
    const found = risk(line);
    return { ...found, text: found.text.replace('the forge', line.name === 'glab' ? 'GitLab' : 'GitHub') };
  };

export const forges: readonly RiskyProgram[] = [
  {
    names: 'gh glab hub',
    forms: [
      {
        on: /^(auth (token|login|logout|refresh|status)|secret|variable|ssh-key|gpg-key)\b/,
        when: (line) => !/^auth status/.test(line.operands.join(' ')) || hasOption(line, /^--show-token$/, 't'),
        risk: named(always('secrets', 'high', 'reads or changes logins, keys or secrets of the forge')),
      },
      {
        on: /^repo (delete|archive|rename|edit|sync)\b/,
        risk: named(naming(2, 'remote_change', 'high', 'changes or deletes a repository on the forge')),
      },
      {
        on: /^(release|gist|repo|package) (create|new|upload|edit|fork|publish)\b/,
        risk: named(about('publishes', 'publishes')),
      },
      {
        on: /^(release|gist|issue|pr|mr|label|cache|run|codespace|workflow|project|milestone) (delete|remove|rm|cancel|disable)\b/,
        risk: named(about('remote_change', 'deletes')),
      },
      { on: /^(pr|mr) (merge|accept)\b/, risk: named(naming(2, 'publishes', 'high', 'merges a pull request')) },
      {
        on: /^(pr|mr|issue|label|project|milestone) (create|new|edit|update|close|reopen|comment|note|review|ready|lock|transfer|approve)\b/,
        risk: named(about('publishes', 'publishes')),
      },
      {
        on: /^(workflow|run|ci|pipeline) (run|rerun|retry|trigger)\b/,
        risk: named(naming(0, 'remote_change', 'high', 'starts a job on the forge')),
      },
      {
        on: /^api\b/,
        when: mutatingApi,
        risk: named(naming(1, 'remote_change', 'high', 'changes something on the forge')),
      },
      { risk: named(naming(0, 'network', 'notable', 'asks the forge')) },
    ],
  },
];
