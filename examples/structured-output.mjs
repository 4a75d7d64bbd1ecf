// An answer in a form that the program can rely on: checked by a schema of zod, and of its type.
import { createAgent, NoOutput } from 'helve';
import { scriptedModel } from 'helve/models';
import { temporaryProject } from 'helve/testing';
import * as z from 'zod';

const project = await temporaryProject({ 'people.txt': 'Ada, born 1815\n' });
const model = scriptedModel({
  turns: [
    { calls: [{ name: 'Read', input: { file_path: 'people.txt' } }] },
    { calls: [{ name: 'StructuredOutput', input: { name: 'Ada', born: 'long ago' } }] }, // is sent back
    { calls: [{ name: 'StructuredOutput', input: { name: 'Ada', born: 1815 } }] },
    { text: 'I would rather not say.', stopReason: 'refusal' },
  ],
});
const agent = createAgent({ model, root: project.root, dataFolder: project.path('../data') });

const Person = z.object({ name: z.string(), born: z.int() });
const { output, turns } = await agent.run('Who is in people.txt?', { output: Person }).result;
console.log(`${output.name} was born in ${output.born}. It took ${turns} turns.`);

try {
  await agent.run('And who else?', { output: Person }).result;
} catch (error) {
  if (!(error instanceof NoOutput)) throw error;
  console.log(error.result.outcome);
}

await agent.end();
await project.remove();
