// The risk of variables that are set for a command, or for the commands after it.
import type { CommandEffect } from '../../contract/effect.js';
import type { CommandRisk } from './programs/form.js';

/** Variables that make a program load or start something else. */
const LOADING =
  /^(LD_|DYLD_|BASH_ENV$|ENV$|PERL5(OPT|DB)|RUBYOPT|.*PAGER$|GIT_(SSH|EXTERNAL|EDITOR|ASKPASS|EXEC|CONFIG)|EDITOR$|VISUAL$|PROMPT_COMMAND|SHELLOPTS|PYTHONSTARTUP)/;
const SEARCHING = /^(PATH|NODE_OPTIONS|NODE_PATH|PERL5LIB|RUBYLIB|CLASSPATH|JAVA_TOOL_OPTIONS|IFS|SHELL|HOME)$/;
const PROXY = /^(https?|all|ftp|rsync)_proxy$/i;

/** Whether a variable makes programs load, find or start something else. */
export const changesWhatRuns = (name: string): boolean => LOADING.test(name) || SEARCHING.test(name);

export function variableRisk({ assigns = [], assignsUnsafely, argv = [] }: CommandEffect): CommandRisk | undefined {
  const [name = '', ...words] = argv;
  const exported = /^(export|declare|typeset|readonly|setenv)$/.test(name)
    ? words.flatMap((word) => /^(\w+)=/.exec(word)?.[1] ?? [])
    : [];
  const names = [...(assignsUnsafely ? assigns : []), ...exported];
  const proxies = [...assigns, ...exported].filter((each) => PROXY.test(each));
  if (proxies.length > 0) {
    return { kind: 'network', level: 'high', text: `sets ${proxies.join(', ')}, which sends its requests elsewhere` };
  }
  const risky = names.filter((each) => LOADING.test(each) || SEARCHING.test(each));
  if (risky.length === 0) return undefined;
  const level = risky.some((each) => LOADING.test(each)) ? 'high' : 'notable';
  return { kind: 'unknown', level, text: `sets ${risky.join(', ')}, which can change what runs` };
}
