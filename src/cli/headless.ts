import { presence } from '../agent/components/presence.js';
import { textCallsNotice } from '../agent/text-calls-notice.js';
import { createAgent, type FullAgent } from '../compose/create-agent.js';
import type { FullAgentOptions } from '../compose/options.js';
import type { RunResult } from '../contract/event.js';
import { type Model, ModelFailure } from '../contract/model.js';
import { accessTo, type Catalogue, secretVariables } from '../models/catalogue/catalogue.js';
import { randomId } from '../platform/crypto.js';
import { jsonLine } from '../platform/text/json-line.js';
import { visible } from '../platform/text/visible.js';
import { type CliEngineOptions, engineOptions, whyNoBypass } from './engine-options.js';
import { exitCode } from './exit-codes.js';
import { type FinishedRun, RunEnd } from './headless/finish-run.js';
import { maxPipedBytes, readPiped } from './headless/read-piped.js';
import type { RecordedTranscript } from './headless/recorded-transcript.js';
import { liveRetry, RetryLines } from './headless/retry-words.js';
import { StepLines } from './headless/step-lines.js';
import { writeAnswer } from './headless/write-answer.js';
import { instructionsNotFollowed, notFollowedNotice } from './instructions-not-followed.js';
import { readCatalogue } from './read-catalogue.js';
import { goalOf, type RunFlags, readRunFlags } from './run-flags.js';
import { modelChoices, type RunModels, readModels } from './run-models.js';
import { onSignals } from './signals.js';
import type { Host } from './stream-json/host.js';
import type { HostSetup } from './stream-json/host-setup.js';
import { requestedTelemetry, variablesForTracing } from './telemetry-flags.js';
import { SetupProblem, UsageProblem } from './usage-problem.js';
import { type ModelWatch, type WatchedModel, watchedModel } from './watched-model.js';
import type { WantedWorktree } from './worktree/session-worktree.js';
import { worktreeOf } from './worktree-of.js';
import { writeLine } from './write-line.js';

/**
 * Runs one prompt, or those of a host, without a user: the answer goes to stdout, everything else to stderr or nowhere.
 */
export async function headless(argv: readonly string[], version: string): Promise<number> {
  const opened: Opened = {};
  try {
    return await runHeadless(argv, version, opened);
  } catch (error) {
    await opened.host?.abandon(error, process.stdin); // it may wait for an answer
    throw error;
  } finally {
    await opened.finishWorktree?.();
  }
}

interface Opened {
  host?: Host;
  finishWorktree?: () => Promise<void>;
}

async function runHeadless(argv: readonly string[], version: string, opened: Opened): Promise<number> {
  const flags = readRunFlags(argv);
  if (flags.picksSession) throw await (await import('./sessions/which-session.js')).whichSession();
  const wantedWorktree = await worktreeOf(flags);
  const configured = await engineOptions(flags.engine, wantedWorktree && { root: wantedWorktree.project });
  const prompt = flags.hostInput ? undefined : await readPrompt(flags.words, configured.env, flags.goal?.text);
  const goal = goalOf(flags, prompt);
  const options = wantedWorktree
    ? await inWorktree(wantedWorktree, { flags, options: configured, opened })
    : configured;

  const catalogue = await readCatalogue(options.env);
  const wanted = requestedTelemetry(flags.observation, options.env);
  const observation = wanted && (await import('./observe.js')).observe(wanted, { env: options.env, catalogue });
  if (flags.resume !== undefined) await assertResumable({ resume: flags.resume, fork: flags.fork }, options);
  const tell = (sentence: string): void => void process.stderr.write(`helve: ${visible(sentence)}\n`);
  const models = await readModels(flags, options, catalogue, { observed: observation?.model, tell }).catch(
    asUsageProblem,
  );
  const notes = notFollowedNotice(instructionsNotFollowed(flags, configured));
  if (notes !== undefined) await writeLine(process.stderr, `helve: ${notes}`);
  const resumed =
    flags.resume === undefined ? undefined : await resumeRequested(flags.resume, flags, options, models.first);
  const sessionId = resumed?.id ?? (await newSessionId(flags.sessionId, options));

  const { smallModel } = options.settings.current;
  const small = smallModel?.value ?? (options.env['HELVE_SMALL_MODEL']?.trim() || catalogue.small);
  const watches: ModelWatch[] = [];
  const model = watchedModel(await models.resilientModel(), watches);
  const common = { flags, options, catalogue, models, model, sessionId, version };
  const host = flags.format === 'stream-json' ? await openHost(common, resumed?.root ?? process.cwd()) : undefined;
  if (host) opened.host = host;
  if (host) watches.push(host.watch);
  let killAll = (): void => {};
  const signals = onSignals(() => killAll());
  const setup = host && flags.hostInput ? await host.open(process.stdin, signals.signal) : undefined;
  const ofHost = await hostOptions(setup, flags, options);
  const { mainType } = ofHost;
  if (mainType?.model !== undefined && flags.model === undefined) {
    model.choose(await models.resilientModel(mainType.model).catch(asUsageProblem));
    model.begin();
  }
  const schema = flags.jsonSchema ?? (setup?.jsonSchema && JSON.stringify(setup.jsonSchema));
  const structured = schema === undefined ? undefined : await structuredOutput(schema, options);
  if (structured) host?.addHooks(structured.hooks);
  const end = new RunEnd({ structured });

  const permissionTool = flags.permissionTool === undefined ? undefined : await askedTool(flags.permissionTool);
  const isSimple = options.toolSet === 'simple';
  const agent = createAgentOrSay({
    ...options,
    ...ofHost,
    ...(structured && { tools: [...(ofHost.tools ?? []), structured.tool], hooks: structured.hooks }),
    ...host?.agentOptions, // its hooks include the others
    ...(permissionTool && { askPermission: permissionTool.askPermission, awaitServers: true }),
    model,
    fallbackModels: models.fallbacks,
    ...(small && { sideModel: () => models.resilientModel(small) }),
    retries: false, // the watched model retries by itself
    // Not watched: children's output is not part of the conversation.
    childModel: async (name) => (name === undefined ? model.current : await models.resilientModel(name)),
    sessionId,
    keepSession: flags.save,
    presence: presence({ surface: 'print', env: options.env }),
    onStoreProblem: (sentence) => process.stderr.write(`helve: ${visible(sentence)}\n`),
    ...(resumed && { resumed }),
    hiddenVariables: [...secretVariables(catalogue), ...variablesForTracing(options.env)],
    ...(observation && { observers: observation.observers }),
    ...(flags.maxTimeMs !== undefined && { maxTimeMs: flags.maxTimeMs }),
    commandBudget: flags.commandBudget,
    ...(goal && { goal }),
    setup: flags.setup,
    instructions:
      flags.instructions &&
      !mainType?.withoutInstructions &&
      !isSimple &&
      options.settings.current.instructions?.value !== false,
    commands: flags.commands && !isSimple,
    useModel: async (name) => model.lend(await models.resilientModel(name)),
  });
  permissionTool?.attach(agent.session);
  await observation?.begin(agent.session);
  killAll = () => agent.session.killAll();
  if (setup?.planModeInstructions) agent.session.planning.instructions = setup.planModeInstructions;
  if (setup?.title !== undefined) agent.rename(setup.title);
  if (flags.hostInput && flags.sessionId !== undefined) void agent.announce(); // the host may give the id to another process
  const isWatched = flags.format === 'text' && !flags.quiet && process.stderr.isTTY === true;
  let run: FinishedRun | undefined;
  let endFailure: unknown;
  try {
    if (host) {
      if (prompt !== undefined) host.promptOnly(prompt);
      run = await host.converse({ agent, model, end }, signals.signal);
    } else {
      run = await runOnce(
        agent,
        prompt ?? '',
        { end, steps: isWatched ? stepLines(agent.session.root) : undefined },
        signals.signal,
      );
    }
  } finally {
    for (const what of agent.session.stillRunning) await writeLine(process.stderr, `helve: ending ${visible(what)}`);
    await agent.end().catch((error: unknown) => {
      endFailure = error;
    });
    await observation?.close();
    signals.dispose();
  }
  if (host?.hasGivenUp) process.exit(signals.exitCode ?? exitCode.failed); // output that was not read would keep the process alive
  if (run && flags.format === 'json') await writeJson(run, { sessionId, version });
  if (run && flags.format === 'text') {
    const { env } = options;
    await writeAnswer(run, { isWatched, env, sessionId: flags.save ? sessionId : undefined });
  }
  if (endFailure !== undefined) throw endFailure; // such as a failed write to disk: the answer is available all the same
  return signals.exitCode ?? (run?.failed ? exitCode.failed : exitCode.ok);
}

/** The options in a worktree, which is finished when the run has ended. */
async function inWorktree(
  wanted: WantedWorktree,
  { flags, options, opened }: { flags: RunFlags; options: CliEngineOptions; opened: Opened },
): Promise<CliEngineOptions> {
  const { openRunWorktree, tell } = await import('./worktree/session-worktree.js');
  const worktree = await openRunWorktree(wanted, options);
  opened.finishWorktree = async () => await tell(await worktree.finish(flags.worktreeEnd));
  return { ...options, worktree: worktree.place };
}

/** Errors in a model's configuration are usage errors. */
function asUsageProblem(error: unknown): never {
  if (error instanceof ModelFailure) throw new SetupProblem(error.message);
  throw error;
}

function createAgentOrSay(options: FullAgentOptions): FullAgent {
  try {
    return createAgent(options);
  } catch (error) {
    return asUsageProblem(error);
  }
}

const stepLines = (root: string): StepLines =>
  new StepLines({
    write: (text) => process.stderr.write(text),
    columns: () => process.stderr.columns || 80,
    root,
  });

async function runOnce(
  agent: FullAgent,
  prompt: string,
  { end, steps }: { end: RunEnd; steps: StepLines | undefined },
  signal: AbortSignal,
): Promise<FinishedRun> {
  steps?.begin();
  const tell = async (line: string): Promise<void> =>
    steps ? steps.line(line) : await writeLine(process.stderr, line);
  const stopped = new AbortController();
  let result: RunResult | undefined;
  const told: string[] = [];
  const retries = new RetryLines();
  for await (const event of agent.run(prompt, { signal: AbortSignal.any([signal, stopped.signal]) })) {
    end.see(event, () => stopped.abort(new Error('Given up.')));
    steps?.see(event);
    if (event.type === 'result') result = event;
    else if (event.type === 'model_retry' && steps) steps.wait(liveRetry(event));
    else if (event.type === 'model_retry') await writeLine(process.stderr, retries.line(event));
    else if (event.type === 'assistant_message') retries.answered();
    else if (event.type === 'notice' || event.type === 'text_calls') {
      const text = event.type === 'notice' ? event.text : textCallsNotice(event);
      if (event.type === 'text_calls' && told.includes(text)) continue; // a model that does so does it in most answers
      told.push(text);
      await tell(`helve: ${visible(text)}`);
    }
  }
  steps?.end();
  const absent = absentServers(agent.session.tools.servers, told);
  if (absent !== undefined) await writeLine(process.stderr, `helve: ${visible(absent)}`);
  if (!result) throw new Error('The run ended without a result.');
  return end.finish(result);
}

/** Servers whose tools the run did not have, and of which no notice has said so. */
function absentServers(
  servers: ReadonlyArray<{ name: string; status: string }>,
  told: readonly string[],
): string | undefined {
  const names = servers
    .filter(({ status }) => status === 'pending' || status === 'failed')
    .map(({ name }) => name)
    .filter((name) => !told.some((text) => text.includes(name)));
  if (names.length === 0) return undefined;
  const were = names.length === 1 ? `server ${names[0]} was` : `servers ${names.join(', ')} were`;
  return `The MCP ${were} not ready in this run, so it had none of ${names.length === 1 ? 'its' : 'their'} tools. helve mcp doctor says why.`;
}

interface HostParts {
  flags: RunFlags;
  options: CliEngineOptions;
  catalogue: Catalogue;
  models: RunModels;
  model: WatchedModel;
  sessionId: string;
  version: string;
}

async function openHost(parts: HostParts, root: string): Promise<Host> {
  const { flags, options, catalogue, models, model, sessionId, version } = parts;
  const { env } = options;
  const { Host } = await import('./stream-json/host.js');
  const { RequestRefused } = await import('./stream-json/host-requests.js');
  const { saveRule } = await import('./stream-json/save-rule.js');
  const { isStartedBySdk } = await import('./stream-json/host-transcript.js');
  const { dataFolderOf, homeFolder } = await import('../platform/files/paths.js');
  const home = homeFolder();
  const onProblem = (message: string): void => void process.stderr.write(`helve: ${visible(message)}\n`);
  let transcript: RecordedTranscript | undefined;
  if (flags.save && home !== undefined && isStartedBySdk(env)) {
    const { RecordedTranscript } = await import('./headless/recorded-transcript.js');
    const about = { env, home, cwd: root, sessionId, version };
    transcript = new RecordedTranscript({ ...about, onProblem }, dataFolderOf({ env }));
  }
  return new Host({
    sessionId,
    version,
    asksHost: flags.asksHost,
    partialMessages: flags.partialMessages,
    replayPrompts: flags.replayPrompts,
    hookEvents: flags.hookEvents,
    tellsState: env['CLAUDE_CODE_SDK_READS_SESSION_STATE'] === '1',
    notices: flags.withoutEffect,
    settings: () => options.settings.current,
    async chooseEffort(effort) {
      models.effort = effort;
      const { provider, name } = model.chosen;
      model.choose(await models.resilientModel(`${provider}/${name}`));
    },
    transcript,
    plugins: options.plugins?.map(({ name, root: path }) => ({ name, path })),
    outputStyle: () => options.settings.current.outputStyle?.value ?? 'default',
    async write(line) {
      transcript?.line(line);
      await writeLine(process.stdout, jsonLine(line));
    },
    apiKeySource: () => {
      const provider = catalogue.providers.get(model.provider);
      return (provider && accessTo(provider, env).keyVariable) ?? 'none';
    },
    models: () => modelChoices(catalogue, env, models.first),
    refuseMode: (mode) => (mode === 'bypassPermissions' ? whyNoBypass(options.settings.current, env) : undefined),
    saveRule: async (rule, place) => await saveRule(rule, place, { root, env }),
    findModel: async (name) =>
      await models.resilientModel(name).catch((error: unknown) => {
        if (error instanceof ModelFailure) throw new RequestRefused(error.message);
        throw error;
      }),
    useModel: (wanted) => model.choose(wanted),
    applied: () => ({ model: `${model.chosen.provider}/${model.chosen.name}`, effort: models.effort ?? null }),
  });
}

/** The agent options of flags and of what a host says in `initialize`. The latter come first. Most runs have neither. */
async function hostOptions(
  setup: HostSetup | undefined,
  flags: RunFlags,
  options: CliEngineOptions,
): Promise<Partial<FullAgentOptions>> {
  const { agent, agents, systemPrompt, appendSystemPrompt, maxTurns } = flags;
  if ([setup, agent, agents, systemPrompt, appendSystemPrompt, maxTurns].every((given) => given === undefined))
    return {};
  const { resolveSetup } = await import('./stream-json/resolve-setup.js');
  return await resolveSetup(setup, flags, options);
}

async function askedTool(name: string) {
  const { PermissionTool } = await import('./headless/permission-tool.js');
  return new PermissionTool(name);
}

async function structuredOutput(given: string, { env }: CliEngineOptions) {
  const { FinishedOutput, readSchema, retriesOf } = await import('./headless/finished-output.js');
  return new FinishedOutput({ inputJsonSchema: await readSchema(given) }, { maxRetries: retriesOf(env) });
}

/** An unknown session is the mistake to report, whatever is wrong with the model. */
async function assertResumable(
  request: { resume: string; fork: boolean },
  { env, worktree }: CliEngineOptions,
): Promise<void> {
  const { assertResumable } = await import('./sessions/resume.js');
  await assertResumable(request, env, worktree?.root);
}

async function resumeRequested(wanted: string, { fork, engine }: RunFlags, options: CliEngineOptions, model: Model) {
  const { resume } = await import('./sessions/resume.js');
  return await resume({ wanted, fork, model, flags: engine, options });
}

/** The requested id, which must be unused, or a new one. */
async function newSessionId(wanted: string | undefined, { env }: CliEngineOptions): Promise<string> {
  if (wanted === undefined) return randomId();
  const { existsSync } = await import('node:fs');
  const { sessionFolder } = await import('../agent/store/session-folder.js');
  const { isEmptySession } = await import('../agent/store/list-sessions.js');
  const { dataFolderOf } = await import('../platform/files/paths.js');
  const folder = sessionFolder(dataFolderOf({ env }), wanted);
  if (!existsSync(folder.path) || (isEmptySession(folder) && !existsSync(folder.lock))) return wanted;
  throw new UsageProblem(
    `The session ${wanted} already exists. Resume it with --resume ${wanted}, or choose another id.`,
  );
}

async function writeJson(run: FinishedRun, ids: { sessionId: string; version: string }): Promise<void> {
  const { EventLines } = await import('./stream-json/event-lines.js');
  const lines = new EventLines({ ...ids, apiKeySource: () => 'none' });
  await writeLine(process.stdout, jsonLine(lines.result(run)));
}

/** The argument, followed by piped input. */
async function readPrompt(
  words: readonly string[],
  env: CliEngineOptions['env'],
  goal: string | undefined,
): Promise<string> {
  if (words.length > 1) throw new UsageProblem(`-p takes one prompt, but there are ${words.length}. Put it in quotes.`);
  const [argument = ''] = words;
  const piped = await readPiped({ mayBeSilent: argument !== '' || goal !== undefined, maxBytes: maxPipedBytes(env) });
  const prompt = [argument, piped.trimEnd()].filter((part) => part !== '').join('\n\n');
  if (prompt.trim() === '' && goal !== undefined) return goal;
  if (prompt.trim() === '') throw new UsageProblem('There is no prompt. Give it as an argument, or pipe it in.');
  return prompt;
}
