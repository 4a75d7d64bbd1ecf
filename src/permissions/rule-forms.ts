// Every form that a rule can have, in the words of docs/permissions.md. The test beside it checks each with the parser.
import type { RuleFamily } from '../contract/tool-traits.js';
import type { RuleSubject } from './rule.js';

export interface RuleForm {
  /** Examples of the form. */
  rules: readonly string[];
  about: string;
  /** What the parser takes them for. */
  kind: RuleSubject['kind'];
  /** For ask and deny lists only. */
  neverAllows?: true;
}

export const ruleForms: readonly RuleForm[] = [
  {
    rules: ['Bash'],
    kind: 'command',
    about: 'every command. It does not cover protected and critical places, or redirections out of the project',
  },
  { rules: ['Bash(npm test)'], kind: 'command', about: 'this command exactly' },
  {
    rules: ['Bash(npm test:*)', 'Bash(npm test *)'],
    kind: 'command',
    about: 'these words and whatever follows: `npm test -- --watch`, not `npm testing`',
  },
  { rules: ['Bash(git * main)'], kind: 'command', about: 'a pattern: `*` stands for any text' },
  { rules: ['Read(.env)'], kind: 'path', about: 'reading files of this name, by any tool or command' },
  { rules: ['Read(src/**)'], kind: 'path', about: 'all that is below `src`' },
  {
    rules: ['Read(./x)', 'Read(/x)'],
    kind: 'path',
    about: 'from the project; from the folder that the settings file speaks for',
  },
  { rules: ['Read(~/x)', 'Read(//x)'], kind: 'path', about: 'from the home folder; from the root of the file system' },
  { rules: ['Edit(src/**)'], kind: 'path', about: 'changing files, by any tool or command' },
  {
    rules: ['WebFetch(domain:example.com)', 'WebFetch(domain:*.example.com)'],
    kind: 'domain',
    about: 'a host; the hosts below it, and not itself',
  },
  { rules: ['Task(Explore)'], kind: 'input', about: 'child agents of a type' },
  {
    rules: ['Skill(report)', 'SlashCommand(/ship:*)'],
    kind: 'input',
    about: 'a skill or a command; with `:*`, whatever its arguments. A rule that asks or denies means those too',
  },
  { rules: ['mcp__github', 'mcp__github__get_*'], kind: 'tool', about: 'all tools of a server; those that begin so' },
  {
    rules: ['Bash(run_in_background:true)', 'Grep(output_mode:content)'],
    kind: 'input',
    about: 'calls with this value in that field. In ask and deny lists only',
    neverAllows: true,
  },
  { rules: ['Write', 'Think'], kind: 'tool', about: 'every use of a tool' },
];

/** What the brackets of a rule hold, by the family of its tool; without one, only `field:value`. */
export const bracketsOf: Readonly<Record<RuleFamily, string>> = {
  read: 'a path',
  edit: 'a path',
  command: 'a command',
  domain: '`domain:` and a host',
  search: '`field:value`',
  agent: 'a type of agent',
  skill: 'the name of a skill',
  slash: 'a command with its slash',
};
