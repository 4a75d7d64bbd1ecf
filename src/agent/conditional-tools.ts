import type { Tool } from '../contract/tool.js';

/** Tools that only some conversations have, with the condition for each, for lists of all tools. */
export async function conditionalTools(): Promise<ReadonlyArray<{ tool: Tool; off: string }>> {
  const [{ StructuredOutput }, { docsTool }] = await Promise.all([
    import('./structured-output.js'),
    import('./children/docs-tool.js'),
  ]);
  const { tool: structuredOutput } = new StructuredOutput({ inputJsonSchema: { type: 'object' } });
  return [
    { tool: docsTool, off: 'only agents of the type helve-guide have it' },
    { tool: structuredOutput, off: 'needs --json-schema, which is its input' },
  ];
}
