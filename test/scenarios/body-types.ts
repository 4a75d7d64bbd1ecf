import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** The body of a request, and the name of the format that it has. */
export interface TypedBody {
  wire: string;
  body: Record<string, unknown>;
}

interface BodyType {
  /** A type of the vendor's client, with the modules that are named in it. */
  type: string;
  /** The package of the client, if it is not among the dependencies: the CI fetches it. */
  fetched?: string;
}

const messages = "import('@anthropic-ai/sdk').Anthropic.MessageCreateParamsStreaming";
const chat = "import('openai').OpenAI.ChatCompletionCreateParamsStreaming";
// DeepSeek and others take the thinking back in a field that OpenAI does not have.
const chatWithReasoning = `Omit<${chat}, 'messages'> & { messages: (import('openai').OpenAI.ChatCompletionMessageParam
    | (import('openai').OpenAI.ChatCompletionAssistantMessageParam & { reasoning_content: string }))[] }`;
const responses = "import('openai').OpenAI.Responses.ResponseCreateParamsStreaming";
const gemini = {
  // Its client takes the fields of `generationConfig` and the others as one object, and sends them apart.
  type: `{ contents: Plain<import('@google/genai').Content[]>; systemInstruction: Plain<import('@google/genai').Content>;
    tools: Plain<import('@google/genai').Tool[]>; generationConfig?: Plain<import('@google/genai').GenerationConfig> }`,
  fetched: '@google/genai',
};

/** By the names in `wire-formats.ts`. The clients of clouds put these types behind other addresses. */
export const bodyTypes: Readonly<Record<string, BodyType>> = {
  'Anthropic Messages': { type: messages },
  'Chat Completions': { type: chatWithReasoning },
  'OpenAI Responses': { type: responses },
  Gemini: gemini,
  'Amazon Bedrock': { type: `Omit<${messages}, 'model' | 'stream'> & { anthropic_version: 'bedrock-2023-05-31' }` },
  'Vertex AI': { type: `Omit<${messages}, 'model'> & { anthropic_version: 'vertex-2023-10-16' }` },
  'Gemini on Vertex AI': gemini,
  'Azure OpenAI': { type: responses },
  'Azure OpenAI with a dated version of its API': { type: chat },
};

const fetchedTo = resolve(process.env['HELVE_VENDOR_SDKS'] ?? 'node_modules/.cache/vendor-sdks', 'node_modules');

/** What TypeScript says of these bodies as values of their types, and the packages that are missing for some of them. */
export async function typeProblems(bodies: readonly TypedBody[]): Promise<{ problems: string; left: string[] }> {
  const missing = ({ wire }: TypedBody): string | undefined => {
    const fetched = bodyTypes[wire]?.fetched;
    return fetched !== undefined && !existsSync(join(fetchedTo, fetched)) ? fetched : undefined;
  };
  const place = await mkdtemp(join(tmpdir(), 'helve-body-types-'));
  try {
    for (const [name, folder] of [
      ['@anthropic-ai/sdk', 'node_modules'],
      ['openai', 'node_modules'],
      ['@google/genai', fetchedTo],
    ] as const) {
      await mkdir(dirname(join(place, 'node_modules', name)), { recursive: true });
      await symlink(resolve(folder, name), join(place, 'node_modules', name));
    }
    const checked = bodies.filter((body) => missing(body) === undefined);
    await writeFile(
      join(place, 'bodies.ts'),
      [
        '// Enumerations are plain texts on the wire.',
        `type Plain<T> = T extends string ? \`\${T}\` : T extends (infer I)[] ? Plain<I>[]`,
        '  : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;',
        ...checked.map(
          ({ wire, body }, index) =>
            `export const body${index}: ${bodyTypes[wire]?.type} = ${JSON.stringify(body, undefined, 1)}; // ${wire}`,
        ),
      ].join('\n'),
    );
    await writeFile(join(place, 'package.json'), '{"type":"module"}');
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      module: 'nodenext',
      types: [],
      lib: ['esnext', 'dom'],
    };
    await writeFile(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['bodies.ts'] }));
    const compiler = resolve('node_modules/typescript/bin/tsc');
    const problems = await promisify(execFile)(process.execPath, [compiler, '-p', place], { maxBuffer: 2 ** 26 }).then(
      () => '',
      (error: { stdout?: string }) => error.stdout ?? String(error),
    );
    return { problems, left: [...new Set(bodies.map(missing).filter((name) => name !== undefined))] };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
