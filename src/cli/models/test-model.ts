import { type Effort, type Model, ModelFailure } from '../../contract/model.js';
import { type Catalogue, type KnownModel, knownModel } from '../../models/catalogue/catalogue.js';
import { localPlaces } from '../../models/catalogue/local-servers.js';
import { localWindow } from '../../models/catalogue/local-window.js';
import { probes } from '../../models/probes/probes.js';
import { type ProbeResult, runProbes } from '../../models/probes/run-probes.js';
import { withRetries } from '../../models/retry/retry.js';
import { retriesFrom } from '../../models/retry/retry-environment.js';
import { grouped } from '../../platform/text/digits.js';
import { jsonText } from '../../platform/text/json-line.js';
import { wrapped } from '../../platform/text/table.js';
import { visible } from '../../platform/text/visible.js';
import { environmentWith } from '../../settings/environment.js';
import { readArgs } from '../args.js';
import { exitCode } from '../exit-codes.js';
import { readCatalogue } from '../read-catalogue.js';
import { readSettings } from '../read-settings.js';
import { withKeyHelper } from '../run-models.js';
import { onSignals } from '../signals.js';
import { terminalWidth } from '../terminal-width.js';
import { SetupProblem, UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';

const DEFAULT_TIMEOUT_S = 180; // a large model on a small machine reads its prompt for minutes
const INDENT = 6;
const TITLE_WIDTH = Math.max(...probes.map(({ title }) => title.length));

/**
 * Sends a series of small requests to a model, and reports what of an agent's needs it can do, with the lines for
 * models.json that follow from it. Exits with 1 if it can't call tools.
 */
export async function testModel(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, { json: { type: 'boolean' }, timeout: { type: 'string' } });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) {
    throw new UsageProblem('helve models test takes one model, as in: helve models test ollama/qwen3');
  }
  const timeoutMs = readTimeout(values.timeout) * 1000;
  const { current } = await readSettings({ root: process.cwd(), env: process.env });
  const env = environmentWith(current, process.env);
  const catalogue = await readCatalogue(env);
  const choose = await withKeyHelper(current.apiKeyHelper?.value, env);
  const opened: Model[] = [];
  const modelWith = async (effort: Effort | undefined): Promise<Model> => {
    const model = withRetries(await choose(name, { catalogue, ...(effort && { effort }) }), retriesFrom(env));
    opened.push(model);
    return model;
  };
  const model = await modelWith(undefined).catch((error: unknown) => {
    throw error instanceof ModelFailure ? new SetupProblem(error.message) : error;
  });
  const id = `${model.provider}/${model.name}`;
  const width = terminalWidth();
  const signals = onSignals(() => {});
  const results: ProbeResult[] = [];
  try {
    if (!values.json) await writeLine(process.stdout, `${visible(id)}: ${probes.length} requests, one after the other`);
    for await (const result of runProbes(modelWith, { signal: signals.signal, timeoutMs })) {
      results.push(result);
      if (!values.json) for (const line of resultLines(result, width)) await writeLine(process.stdout, line);
    }
  } catch (error) {
    if (signals.exitCode !== undefined) return signals.exitCode;
    if (!(error instanceof ModelFailure)) throw error;
    await writeLine(process.stderr, `helve: ${visible(error.message)}`);
    return exitCode.failed;
  } finally {
    signals.dispose();
    for (const each of opened) each.release?.();
  }
  const entry = await entryFor(model, results, catalogue, env);
  await writeLine(process.stdout, values.json ? jsonText(report(id, results, entry)) : summary(id, results, entry));
  return results.some((result) => result.id === 'call' && result.works) ? exitCode.ok : exitCode.failed;
}

function readTimeout(text: string | undefined): number {
  if (text === undefined) return DEFAULT_TIMEOUT_S;
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new UsageProblem(`--timeout takes a number of seconds for one answer, but was "${text}".`);
}

function resultLines({ title, works, problem, answer }: ProbeResult, width: number | undefined): string[] {
  const seconds = answer ? `${(answer.totalMs / 1000).toFixed(1)} s` : '';
  const lines = [`  ${works ? '✓' : '✗'} ${title.padEnd(TITLE_WIDTH)}  ${seconds.padStart(7)}`.trimEnd()];
  if (problem === undefined) return lines;
  const text = visible(problem);
  return [
    ...lines,
    ...(width === undefined ? [text] : wrapped(text, width - INDENT)).map((line) => ' '.repeat(INDENT) + line),
  ];
}

/** What the answers say that the catalogue does not, or says otherwise: an entry of "models" in models.json. */
async function entryFor(
  { provider, name }: Model,
  results: readonly ProbeResult[],
  catalogue: Catalogue,
  env: NodeJS.ProcessEnv,
): Promise<KnownModel> {
  const known = knownModel(catalogue, provider, name);
  const works = (id: string): boolean => results.some((result) => result.id === id && result.works);
  const place = localPlaces(catalogue, env).find((local) => local.provider === provider);
  const contextTokens = place && (await localWindow(place.port, name));
  const seesImages = works('images');
  return {
    ...(contextTokens !== undefined && contextTokens !== known.contextTokens && { contextTokens }),
    ...(seesImages !== known.seesImages && { seesImages }),
    ...(!works('effort') && known.efforts?.length !== 0 && { efforts: [] }),
  };
}

const report = (id: string, results: readonly ProbeResult[], entry: KnownModel) => ({
  model: id,
  probes: results.map(({ answer, ...result }) => ({
    ...result,
    problem: result.problem ?? null,
    first_piece_ms: answer ? Math.round(answer.firstPieceMs) : null,
    total_ms: answer ? Math.round(answer.totalMs) : null,
  })),
  tokens: tokensOf(results),
  models_json: { models: { [id]: entry } },
});

function summary(id: string, results: readonly ProbeResult[], entry: KnownModel): string {
  const working = results.filter(({ works }) => works).length;
  const { input, output } = tokensOf(results);
  const lines = [
    '',
    `${working} of ${results.length} work; ${grouped(input)} tokens in, ${grouped(output)} out.`,
    ...(Object.keys(entry).length === 0
      ? ['Nothing in models.json needs to change for this model.']
      : ['For models.json (helve models says more about this file):', jsonText({ models: { [id]: entry } })]),
  ];
  return visible(lines.join('\n'));
}

function tokensOf(results: readonly ProbeResult[]): { input: number; output: number } {
  const usages = results.flatMap(({ answer }) => (answer ? [answer.usage] : []));
  return {
    input: usages.reduce((sum, usage) => sum + usage.input_tokens + usage.cache_read_input_tokens, 0),
    output: usages.reduce((sum, usage) => sum + usage.output_tokens, 0),
  };
}
