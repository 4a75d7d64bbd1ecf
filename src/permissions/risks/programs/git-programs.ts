// The forms of git commands that start other programs, or that use other addresses than the repository's settings.
import { type CommandLine, optionValues } from '../command-line.js';
import { shortened } from '../short-text.js';
import type { RiskyForm } from './form.js';

export const isAddress = (word: string): boolean => /^[^/\s]+:(?!\\)/.test(word) || word.includes('://');

/** Settings whose value is a program, or the name of a file with settings. */
const PROGRAM_SETTING =
  /^(core\.(sshcommand|pager|editor|fsmonitor|hookspath|askpass|gitproxy|alternaterefscommand)|alias\.[^=]{1,100}=!.*|credential\.([^=]{1,200}\.)?helper|filter\.[^=]{1,100}\.(clean|smudge|process)|diff\.([^=]{1,100}\.)?(external|textconv|command)|merge\.[^=]{1,100}\.driver|(merge|diff)tool\.[^=]{1,100}\.(cmd|path)|pager\.[^=]{1,100}|gpg\.([^=]{1,100}\.)?program|sequence\.editor|interactive\.difffilter|uploadpack\.packobjectshook|protocol\.(ext\.)?allow|remote\.[^=]{1,100}\.(uploadpack|receivepack|vcs)|sendemail\.[^=]{1,100}|include(if\.[^=]{1,200})?\.path|submodule\.[^=]{1,100}\.update|init\.templatedir|browser\.[^=]{1,100}|web\.browser)(=|$)/i;
const ADDRESS_SETTING =
  /^(remote\.[^=]{1,100}\.(url|pushurl|proxy)|url\.[^=]{1,300}\.(push)?insteadof|http\.([^=]{1,200}\.)?proxy|remote\.pushdefault|branch\.[^=]{1,100}\.(push)?remote)=/i;

/** `-c name=value`, which counts for this command alone. */
const settings = (line: CommandLine): string[] => optionValues(line, /^(-c|--config-env|--config)$/);

/** Options of subcommands whose value is a program. */
const PROGRAM_OPTIONS = /^--(open-files-in-pager|upload-pack|receive-pack|exec|extcmd|sendmail-cmd|template)$/;

/** The letters for them, which mean something else with other subcommands. */
const programLetters: Readonly<Record<string, RegExp>> = {
  grep: /^-O$/,
  clone: /^-u$/,
  difftool: /^-x$/,
};

function programs(line: CommandLine): string[] {
  const [subcommand = ''] = line.operands;
  const letters = Object.hasOwn(programLetters, subcommand) ? programLetters[subcommand] : undefined;
  const isRebase = subcommand === 'rebase'; // its commands are judged one by one
  return [
    ...(isRebase ? [] : optionValues(line, PROGRAM_OPTIONS)),
    ...(letters ? optionValues(line, letters) : []),
    ...line.operands.filter((word) => /^[a-z][\w+-]{0,30}::/i.test(word)), // `ext::sh -c x`, a program as an address
  ];
}

export const startedPrograms: readonly RiskyForm[] = [
  {
    leads: true,
    when: (line) => line.options.some((option) => option.startsWith('--exec-path=')),
    risk: () => ({ kind: 'unknown', level: 'high', text: 'runs git with programs from another folder' }),
  },
  {
    leads: true,
    when: (line) => settings(line).some((setting) => PROGRAM_SETTING.test(setting)),
    risk: (line) => ({
      kind: 'unknown',
      level: 'high',
      text: `changes which programs git starts: ${shortened(settings(line).find((each) => PROGRAM_SETTING.test(each)))}`,
    }),
  },
  {
    on: /^(push|fetch|pull|clone|send-pack|submodule|ls-remote|archive|remote)\b/,
    when: (line) => settings(line).some((setting) => ADDRESS_SETTING.test(setting)),
    risk: (line) => ({
      kind: 'network',
      level: 'high',
      text: `uses another address than this repository: ${shortened(settings(line).find((each) => ADDRESS_SETTING.test(each)))}`,
    }),
  },
  {
    on: /^(grep|clone|fetch|pull|push|ls-remote|archive|difftool|fetch-pack|send-pack|send-email|init|submodule|remote)\b/,
    when: (line) => programs(line).length > 0,
    risk: (line) => ({
      kind: 'unknown',
      level: 'high',
      text: `starts another program: ${shortened(programs(line).join(', '))}`,
    }),
  },
];
