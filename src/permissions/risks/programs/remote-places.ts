// Where a command changes something outside of this machine, as far as its words name it: a person who approves it must
// see the cluster, the namespace or the stack before they say yes.
import type { ContainerEngine } from '../../../contract/effect.js';
import { type CommandLine, hasOption, optionValues } from '../command-line.js';
import { fewNames, shortened } from '../short-text.js';
import type { CommandRisk, RiskyForm } from './form.js';

const MAX_NAMED_CHARS = 300;

const last = (line: CommandLine, names: RegExp): string | undefined => optionValues(line, names).at(-1);

/** "namespace shop, context prod", as far as the command does not leave it to the settings of this machine. */
function clusterWords(line: CommandLine): string {
  const isAll = hasOption(line, /^--all-namespaces$/, 'A');
  const namespace = last(line, /^(-n|--namespace)$/);
  const context = last(line, /^--(kube-)?context$/);
  const cluster = last(line, /^(--cluster|-s|--server|--kube-apiserver)$/);
  const file = last(line, /^--kubeconfig$/);
  const named = context ? `context ${context}` : cluster ? `cluster ${cluster}` : file && `kubeconfig ${file}`;
  const space = isAll ? 'all namespaces' : namespace && `namespace ${namespace}`;
  return [space, named ?? 'current context'].filter((words) => words !== undefined).join(', ');
}

/** What is changed in a cluster, by which files, and where. */
export const inCluster =
  (from: number, verb: string) =>
  (line: CommandLine): CommandRisk => {
    const files = optionValues(line, /^(-f|--filename|-k|--kustomize)$/);
    const named = [...line.operands.slice(from), ...(files.length > 0 ? [`-f ${fewNames(files)}`] : [])].join(' ');
    const what = named === '' ? '' : `: ${shortened(named, MAX_NAMED_CHARS)}`;
    return { kind: 'remote_change', level: 'high', text: `${verb}${what} (${clusterWords(line)})` };
  };

const ENGINE_OPTION = /^(-H|--host|-c|--context|--connection|--url)$/;

/** The engine that a container command is sent to: by its words before the subcommand, else as its effect says. */
function engineOf(line: CommandLine): ContainerEngine | undefined {
  const [subcommand = ''] = line.operands;
  const words = line.words.slice(0, line.words.indexOf(subcommand));
  const named = last({ ...line, words }, ENGINE_OPTION);
  if (named === undefined) return line.engine;
  const isAddress = named.includes('://') || words.some((word) => /^(-H|--host|--url)/.test(word));
  return isAddress ? { host: named } : { context: named };
}

/** The same forms, with the engine that they reach: it may be on another machine. */
export const onEngine = (forms: readonly RiskyForm[]): RiskyForm[] =>
  forms.map((form) => ({
    ...form,
    risk(line) {
      const risk = form.risk(line);
      if (!risk) return undefined;
      const engine = engineOf(line) ?? { context: undefined };
      // The one that is meant without a name matters where it loses something for good.
      const isUsual = 'context' in engine && (engine.context ?? 'default') === 'default';
      if (isUsual && !(risk.kind === 'deletes' && risk.level === 'high')) return risk;
      const words =
        'host' in engine
          ? `host ${shortened(engine.host, MAX_NAMED_CHARS)}`
          : engine.context === undefined
            ? 'current context'
            : `context ${shortened(engine.context, MAX_NAMED_CHARS)}`;
      return { ...risk, text: `${risk.text} (${words})` };
    },
  }));

/** What is changed of an infrastructure: its parts, its folder and its stack or workspace. */
export const ofInfrastructure =
  (verb: string, all: string) =>
  (line: CommandLine): CommandRisk => {
    const parts = optionValues(line, /^--?(target|t)$/);
    const folder = last(line, /^(--?chdir|--terragrunt-working-dir|-C|--cwd)$/);
    const stack = last(line, /^(-s|--stack|--stage|--env)$/);
    const named = stack ? `stack ${stack}` : 'current workspace';
    const where = [named, ...(folder ? [`folder ${folder}`] : [])].join(', ');
    const what = parts.length > 0 ? fewNames(parts) : all;
    const again = hasOption(line, /^--?(auto-approve|yes|require-approval=never)$/, 'y')
      ? ', without asking again'
      : '';
    return { kind: 'remote_change', level: 'high', text: `${verb} ${what} (${where})${again}` };
  };
