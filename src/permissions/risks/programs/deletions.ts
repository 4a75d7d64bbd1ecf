import { type CommandLine, hasOption } from '../command-line.js';
import type { Reach } from '../reach.js';
import { fewNames } from '../short-text.js';
import { always, type CommandRisk, naming, type RiskyProgram } from './form.js';

/** Deletes what it names; only names below the working folder are certain to be in the project. */
function deletesNamed({ operands }: CommandLine): CommandRisk | undefined {
  if (operands.length === 0) return undefined;
  const isNear = operands.every((word) => !/^([/~$…]|\.\.?\/?$)|(^|\/)\.\.(\/|$)|[$`…]/.test(word));
  return { kind: 'deletes', level: isNear ? 'notable' : 'high', text: `deletes ${fewNames(operands)}` };
}

/** Programs whose files the shell's analysis names, unless another program runs them. */
export const innerDeletions: readonly RiskyProgram[] = [
  { names: 'rm rmdir unlink del rd Remove-Item', forms: [{ worst: 'high', risk: deletesNamed }] },
  { names: 'truncate', forms: [{ risk: naming(0, 'deletes', 'high', 'cuts off the content of files') }] },
];

const inlineOption = /^(-[a-z]*[cer]|--eval|--print|-p|-E)$/;

/** The text of an inline program: `python -c TEXT`. */
const inlineText = ({ words }: CommandLine): string => {
  const at = words.findIndex((word) => inlineOption.test(word));
  return at < 0 ? '' : (words[at + 1] ?? '');
};

const DELETING =
  /\b(rmtree|rmSync|rmdirSync|unlinkSync|rm_rf|rm_r|remove_entry|removedirs)\b|\b(os\.(remove|unlink)|fs\.(rm|unlink|rmdir)\w*|File\.delete|unlink|Path\([^)]*\)\.unlink)\b/;
const STARTING =
  /\b(os\.system|subprocess|child_process|popen|execSync|spawnSync|shell_exec|passthru|proc_open)\b|\b(system|exec)\b\s*[("'`]|`[^`]+`/;
const REACHING =
  /\b(urlopen|urllib|requests\.|httpx\.|http\.client|fetch\(|https?\.(request|get)|socket\b|Net::HTTP|LWP|file_get_contents\(['"]https?)/;

const deletesPacked = (): CommandRisk => ({
  kind: 'deletes',
  level: 'notable',
  undoable: 'perhaps',
  text: 'deletes the files that it has packed',
});

/** Everything below the folder, since nothing selects among the files. */
const findsAll = ({ words }: CommandLine): boolean =>
  words.includes('-delete') &&
  !words.some((word) => /^-(i?name|i?path|i?regex|[acm](time|min)|newer\w*|size|empty|user|perm|maxdepth)$/.test(word));

const reachOf = (folder = ''): Reach => (/^([/~$…]|\.\.)|:/.test(folder) ? 'outside' : 'project');

export const deletions: readonly RiskyProgram[] = [
  { names: 'rimraf del-cli del trash trash-put rmtrash', forms: [{ worst: 'high', risk: deletesNamed }] },
  {
    names: 'gio',
    forms: [
      {
        on: /^(trash|remove)\b/,
        worst: 'high',
        risk: (line) => deletesNamed({ ...line, operands: line.operands.slice(1) }),
      },
    ],
  },
  {
    names: 'find',
    forms: [
      {
        when: findsAll,
        risk: ({ operands }) => ({
          kind: 'deletes',
          level: 'high',
          reach: reachOf(operands[0]),
          text: `deletes everything in ${operands[0] === '.' || operands[0] === undefined ? 'this folder' : operands[0]}`,
        }),
      },
    ],
  },
  {
    names: 'rsync',
    forms: [
      {
        when: (line) => hasOption(line, /^--(delete|remove-source-files)/),
        risk: (line) => ({
          kind: 'deletes',
          level: 'high',
          reach: reachOf(line.operands.at(-1)),
          text: hasOption(line, /^--remove-source-files$/)
            ? `deletes what it has copied from ${fewNames(line.operands.slice(0, -1))}`
            : `deletes files in ${line.operands.at(-1) ?? ''} that ${fewNames(line.operands.slice(0, -1))} does not have`,
        }),
      },
    ],
  },
  {
    names: 'tar bsdtar gtar',
    forms: [
      {
        when: (line) => hasOption(line, /^--remove-files$/),
        risk: deletesPacked,
      },
    ],
  },
  {
    names: 'zip',
    forms: [
      {
        when: ({ options }) => options.some((option) => /^-[a-z0-9]*m|^--move$/.test(option)),
        risk: deletesPacked,
      },
    ],
  },
];

/** Forms of interpreters with a program in the command line. */
export const inlinePrograms: RiskyProgram['forms'] = [
  {
    when: (line) => DELETING.test(inlineText(line)),
    risk: always('deletes', 'high', 'runs code that deletes files'),
  },
  {
    when: (line) => STARTING.test(inlineText(line)),
    risk: always('unknown', 'high', 'runs code that starts other programs'),
  },
  {
    when: (line) => REACHING.test(inlineText(line)),
    risk: always('network', 'notable', 'runs code that reaches the network'),
  },
];
