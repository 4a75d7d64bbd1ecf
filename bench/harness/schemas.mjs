// Tool schemas that people wrote: how many requests with them keep the rules of each wire format, and whether a right call
// arrives unchanged. By hand:
//
//   node bench/harness/schemas.mjs CLONE
//
// CLONE is a clone of ShishirPatil/gorilla (Apache-2.0), which has the Berkeley Function Calling Leaderboard.
import { isDeepStrictEqual } from 'node:util';
import { importSource } from '../bundle-source.mjs';
import { firstAnswer, readCases } from './bfcl.mjs';
import { openClone } from './clone.mjs';

const [path] = process.argv.slice(2);
if (path === undefined) {
  console.error('Name a clone of ShishirPatil/gorilla: node bench/harness/schemas.mjs CLONE');
  process.exit(2);
}
const { chooseModel } = await importSource('src/models/catalogue/choose-model.ts');
const { openAiResponsesModel } = await importSource('src/models/wire/responses/openai-responses.ts');
const { startFakeModelServer } = await importSource('src/testing/fake-model-server.ts');
const { coerceInput } = await importSource('src/calls/coerce.ts');

const clone = openClone(path);
const cases = [...(await readCases(clone)).values()];
console.log(`ShishirPatil/gorilla ${clone.commit.slice(0, 12)} (${clone.licence})`);
console.log(`${cases.length} cases, ${cases.reduce((sum, { tools }) => sum + tools.length, 0)} tools`);

// The arguments of the sets for Java and JavaScript name variables of a program, so they are no values in JSON.
let coerced = 0;
let calls = 0;
for (const { tools, expected } of cases.filter(({ id }) => !/_java(script)?_/.test(id))) {
  for (const call of expected.map(firstAnswer)) {
    const schema = tools.find(({ name }) => name === call.name)?.input_schema;
    if (!schema) continue;
    calls += 1;
    if (!isDeepStrictEqual(coerceInput(schema, call.input), call.input)) coerced += 1;
  }
}
console.log(`right calls: ${calls}, of which ${coerced} have a value that is converted to the type of the schema`);

// Each format, and the servers whose schemas are simplified. The rules are those of src/testing/.
const variables = {
  anthropic: 'ANTHROPIC_BASE_URL',
  google: 'GOOGLE_GEMINI_BASE_URL',
  openrouter: 'OPENROUTER_BASE_URL',
  deepseek: 'DEEPSEEK_BASE_URL',
  mistral: 'MISTRAL_BASE_URL',
  groq: 'GROQ_BASE_URL',
  cerebras: 'CEREBRAS_BASE_URL',
  ollama: 'OLLAMA_BASE_URL',
};
for (const [provider, variable] of Object.entries(variables)) {
  await report(provider, (url) => {
    const baseUrl = provider === 'google' ? url.replace(/\/v1$/, '') : url;
    return chooseModel(`${provider}/any`, { [variable]: baseUrl, HELVE_HOME: '/nonexistent' });
  });
}
await report('openai', (baseUrl) => openAiResponsesModel({ name: 'gpt-6.1-sol', baseUrl }));

async function report(provider, modelAt) {
  let answer = { text: 'none' };
  const server = await startFakeModelServer(() => answer);
  const model = await modelAt(`${server.url}/v1`);
  let changed = 0;
  for (const { tools, expected } of cases) {
    const right = expected.map(firstAnswer).filter(({ name }) => tools.some((tool) => tool.name === name));
    answer = right.length > 0 ? { calls: right } : { text: 'none' };
    const unique = [...new Map(tools.map((tool) => [tool.name, tool])).values()];
    const arrived = await callsOf(model, unique);
    if (arrived && !isDeepStrictEqual(arrived, right)) changed += 1;
  }
  model.release?.();
  await server.close();
  const accepted = server.requests.length;
  const reasons = [...new Set(server.refused.flatMap(({ violations }) => violations))].slice(0, 3);
  const refused = reasons.length > 0 ? `; refused: ${reasons.join('; ')}` : '';
  console.log(
    `${provider.padEnd(10)} ${accepted} of ${cases.length} requests accepted, ${changed} right calls changed${refused}`,
  );
}

/** Undefined for a request that was refused. */
async function callsOf(model, tools) {
  const calls = new Map();
  const request = { system: [], tools, messages: [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }] };
  try {
    for await (const event of model.stream(request, new AbortController().signal)) {
      if (event.type === 'call_start') calls.set(event.index, { name: event.name, json: '' });
      if (event.type === 'call_input') calls.get(event.index).json += event.json;
    }
  } catch {
    return undefined;
  }
  return [...calls.values()].map(({ name, json }) => ({ name, input: json === '' ? {} : JSON.parse(json) }));
}
