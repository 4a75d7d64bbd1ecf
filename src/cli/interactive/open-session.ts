import { presence } from '../../agent/components/presence.js';
import type { ResumedSession } from '../../agent/store/resume-session.js';
import { createAgent, type FullAgent } from '../../compose/create-agent.js';
import { createEngine } from '../../compose/create-engine.js';
import type { FullAgentOptions, FullEngineOptions } from '../../compose/options.js';
import { recoverNow } from '../../compose/recovery.js';
import type { Goal } from '../../contract/goal.js';
import { type Model, type ModelFacts, ModelFailure } from '../../contract/model.js';
import { type Catalogue, isSetUp, knownModel, secretVariables } from '../../models/catalogue/catalogue.js';
import type { Choice } from '../../terminal/contract.js';
import type { OpenedSession, SessionRequest, TerminalPorts } from '../../terminal/session/opened-session.js';
import { ownCallTools } from '../../tools/index.js';
import { type CliEngineOptions, engineOptions, whyNoBypass } from '../engine-options.js';
import { namedModel } from '../named-model.js';
import { readCatalogue } from '../read-catalogue.js';
import type { RunFlags } from '../run-flags.js';
import { type RunModels, readModels } from '../run-models.js';
import { requestedTelemetry, variablesForTracing } from '../telemetry-flags.js';
import { watchedModel } from '../watched-model.js';

/** The options from flags and settings for an interactive session. */
export async function interactiveOptions({ engine }: RunFlags, root?: string): Promise<CliEngineOptions> {
  const options = await engineOptions(engine, { asksForTrust: true, ...(root !== undefined && { root }) });
  return { ...options, interactive: true, surface: 'terminal' };
}

/** Creates a conversation for the terminal or, without a model, just the tools. `fixed` replaces the configured models. */
export async function openSession(
  flags: RunFlags,
  given: CliEngineOptions,
  request: SessionRequest & { goal?: Goal | undefined },
  ports: TerminalPorts,
  fixed?: RunModels,
): Promise<OpenedSession> {
  const { env, settings } = given;
  const catalogue = await readCatalogue(env);
  const wanted = requestedTelemetry(flags.observation, env);
  const observation = wanted && (await import('../observe.js')).observe(wanted, { env, catalogue });
  const options: CliEngineOptions = {
    ...given,
    ...(request.mode && { permissionMode: request.mode }),
    additionalDirectories: [...(given.additionalDirectories ?? []), ...(request.folders ?? [])],
    askPermission: ports.askPermission,
    askUser: ports.askUser,
    ...(ports.buffers && { buffers: ports.buffers }),
    saveRule: async (rule) => await saveLocalRule(rule, given),
    hiddenVariables: [...secretVariables(catalogue), ...variablesForTracing(env)],
    ...(observation && { observers: observation.observers }),
  };
  const common = {
    settings,
    env,
    commandTool: ownCallTools.shell,
    refuseMode: (mode: string) => (mode === 'bypassPermissions' ? whyNoBypass(settings.current, env) : undefined),
    checkSetup: async () => await (await import('../doctor.js')).findSetup(),
    explain: explainer(flags),
  };
  let models: RunModels;
  const named = { ...flags, resume: request.resume, ...(request.model && { model: request.model }) };
  try {
    models = fixed ?? (await readModels(named, options, catalogue, { observed: observation?.model, tell: ports.tell }));
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error;
    const wasNamed = named.model !== undefined || namedModel(settings.current, env) || named.resume !== undefined;
    const tools = toolsOnly(options, catalogue, error, common);
    await tellDataProblem(tools, ports);
    return {
      ...tools,
      ...(wasNamed && { namedModelProblem: error }),
    };
  }
  const resumed =
    request.resume === undefined
      ? undefined
      : await resumeRequested(request.resume, { ...request, ports }, models, flags, options);
  const model = watchedModel(await models.resilientModel(), []);
  const small = settings.current.smallModel?.value ?? (env['HELVE_SMALL_MODEL']?.trim() || catalogue.small);
  const isSimple = options.toolSet === 'simple';
  const agent = await agentOf(resumed, {
    ...options,
    model,
    fallbackModels: models.fallbacks,
    ...(small && { sideModel: () => models.resilientModel(small) }),
    retries: false, // the watched model retries by itself
    childModel: async (name) => (name === undefined ? model.current : await models.resilientModel(name)),
    ...(flags.sessionId !== undefined &&
      !resumed &&
      request.beforePrompt === undefined && { sessionId: flags.sessionId }),
    keepSession: flags.save,
    ...(options.surface && { presence: presence({ ...options, surface: options.surface }) }),
    onStoreProblem: ports.tell,
    ...(resumed && { resumed }),
    ...(flags.maxTurns !== undefined && { maxTurns: flags.maxTurns }),
    ...(flags.maxTimeMs !== undefined && { maxTimeMs: flags.maxTimeMs }),
    commandBudget: flags.commandBudget,
    ...(request.goal && { goal: request.goal }),
    setup: flags.setup,
    ...(flags.systemPrompt !== undefined && { systemPrompt: flags.systemPrompt }),
    ...(flags.appendSystemPrompt !== undefined && { appendSystemPrompt: flags.appendSystemPrompt }),
    instructions: flags.instructions && !isSimple && settings.current.instructions?.value !== false,
    commands: flags.commands && !isSimple,
    useModel: async (name) => model.lend(await models.resilientModel(name)),
  });
  await observation?.begin(agent.session);
  await tellDataProblem(agent, ports);
  if (resumed) {
    const told = ports.drawsCalls ? resumed.restored.interrupted.map(({ id }) => id) : [];
    await recoverNow(agent.engine.session, ports.tell, { told: new Set(told) });
  }
  return {
    ...common,
    engine: agent.engine,
    agent,
    withoutModel: undefined,
    history: resumed?.restored.messages ?? [],
    failures: resumed?.restored.failures,
    displays: resumed?.restored.displays,
    interrupted: resumed?.restored.interrupted,
    spent: resumed?.restored.totals,
    get model() {
      return `${model.provider}/${model.name}`;
    },
    get contextTokens() {
      return model.facts?.contextTokens;
    },
    begin: () => model.begin(),
    effort: {
      get current() {
        return models.effort;
      },
      get accepted() {
        return knownModel(catalogue, model.provider, model.name).efforts;
      },
      async set(effort) {
        const before = models.effort;
        models.effort = effort;
        try {
          model.choose(await models.resilientModel(`${model.provider}/${model.name}`));
          model.begin();
        } catch (error) {
          models.effort = before;
          throw error;
        }
      },
    },
    models: async () => await choices(catalogue, env, model),
    async chooseModel(name) {
      const chosen = await models.resilientModel(name === 'default' ? undefined : name);
      model.choose(chosen);
      model.begin();
      return `${chosen.provider}/${chosen.name}`;
    },
    async close() {
      await agent.end().finally(() => observation?.close());
    },
  };
}

/** Before the first prompt, and shorter than when something could not be written. */
async function tellDataProblem({ engine }: Pick<OpenedSession, 'engine'>, { tell }: TerminalPorts): Promise<void> {
  const { findDataFolderProblem } = await import('../data-folder-problem.js');
  const problem = await findDataFolderProblem(engine.session.dataFolder);
  if (problem !== undefined) {
    engine.session.dataProblem(`${problem} Until then, this session is kept in the temporary folder.`, tell);
  }
}

/** Leaves no resumed session locked if its agent can't be created. */
async function agentOf(resumed: ResumedSession | undefined, options: FullAgentOptions): Promise<FullAgent> {
  try {
    return createAgent(options);
  } catch (error) {
    await resumed?.store.close();
    throw error;
  }
}

type Common = Pick<OpenedSession, 'settings' | 'env' | 'commandTool' | 'refuseMode' | 'checkSetup' | 'explain'>;

function toolsOnly(
  options: FullEngineOptions,
  catalogue: Catalogue,
  { message }: ModelFailure,
  common: Common,
): OpenedSession {
  const engine = createEngine(options);
  return {
    ...common,
    engine,
    agent: undefined,
    withoutModel: message,
    history: [],
    model: undefined,
    contextTokens: undefined,
    begin: () => {},
    effort: {
      current: undefined,
      accepted: undefined,
      set: async () => {
        throw new Error(message);
      },
    },
    models: async () => await choices(catalogue, common.env),
    chooseModel: async () => {
      throw new Error(message);
    },
    close: async () => await engine.end(),
  };
}

async function resumeRequested(
  wanted: string,
  { fork, beforePrompt, mode, reopens, ports }: SessionRequest & { ports: TerminalPorts },
  { first }: RunModels,
  { engine }: RunFlags,
  options: CliEngineOptions,
): Promise<ResumedSession> {
  const { resume } = await import('../sessions/resume.js');
  const tell = options.surface === 'background' ? ports.tell : undefined; // its stderr is a log
  return await resume({
    wanted,
    fork,
    beforePrompt,
    model: first,
    mode,
    reopen: reopens,
    tell,
    drawsCalls: ports.drawsCalls,
    flags: engine,
    options,
  });
}

async function saveLocalRule(rule: string, { env, root = process.cwd() }: CliEngineOptions): Promise<void> {
  const { saveRule } = await import('../stream-json/save-rule.js');
  await saveRule(rule, 'local', { root, env });
}

/** The models of providers that are set up, and local ones. */
async function choices(
  builtIn: Catalogue,
  env: CliEngineOptions['env'],
  current?: Pick<Model, 'provider' | 'name'>,
): Promise<Choice[]> {
  const { findLocalServers, localPlaces } = await import('../../models/catalogue/local-servers.js');
  const local = await findLocalServers(localPlaces(builtIn, env));
  const { withStoredAccess } = await import('../../models/catalogue/stored-access.js');
  const { keys, catalogue } = withStoredAccess(env, builtIn);
  const known = [...catalogue.models].flatMap(([value, facts]) => {
    const provider = catalogue.providers.get(value.slice(0, value.indexOf('/')));
    if (!provider || !isSetUp(provider, keys)) return [];
    return [
      { value, label: value.slice(value.indexOf('/') + 1), description: modelFacts(facts), group: provider.title },
    ];
  });
  const names = new Set(known.map(({ value }) => value));
  const here = local
    .flatMap(({ provider, title, models }) =>
      models.map((name) => ({
        value: `${provider}/${name}`,
        label: name,
        description: 'free',
        group: `${title}, on this machine`,
      })),
    )
    .filter(({ value }) => !names.has(value));
  const all = [...known, ...here];
  const now = current && `${current.provider}/${current.name}`;
  // A model that is not in the catalogue, such as one with a date in its name.
  const other =
    now === undefined || all.some(({ value }) => value === now) ? [] : [{ value: now, label: now, group: 'In use' }];
  const groups = Map.groupBy([...other, ...all], ({ group }) => group);
  return [...groups.values()].flat();
}

/** The price and the context window of a model, as far as they are known. */
function modelFacts({ prices, contextTokens }: ModelFacts): string {
  const price = prices && `$${prices.input} in, $${prices.output} out per 1M tokens`;
  const window =
    contextTokens === undefined
      ? undefined
      : contextTokens >= 1_000_000
        ? `${Math.round(contextTokens / 100_000) / 10}M context`
        : `${Math.round(contextTokens / 1000)}k context`;
  return [price ?? 'price unknown', window].filter(Boolean).join(' · ');
}

function explainer({ engine }: RunFlags): OpenedSession['explain'] {
  return async (tool, input) => {
    const { createExplainer } = await import('../../compose/explain-call.js');
    const { describeExplanation } = await import('../permissions/describe-explanation.js');
    const flag = engine.settings === undefined ? {} : { flag: engine.settings };
    const explain = createExplainer({ settings: { env: process.env, ...flag, ...(engine.trust && { trust: true }) } });
    return describeExplanation(await explain({ tool, input }), { cwd: process.cwd() });
  };
}
