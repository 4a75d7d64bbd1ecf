// A program that answers in the place of a person: what may run, and what the model asks.
import { createAgent } from 'helve';
import { scriptedModel } from 'helve/models';
import { temporaryProject } from 'helve/testing';

const project = await temporaryProject({ 'notes.txt': 'one handle\n' });
const question = {
  question: 'Which language?',
  header: 'Language',
  options: [
    { label: 'English', description: 'As it is' },
    { label: 'German', description: 'Translated' },
  ],
};
const model = scriptedModel({
  turns: [
    { calls: [{ name: 'Write', input: { file_path: 'new.txt', content: 'x\n' } }] },
    { calls: [{ name: 'Bash', input: { command: 'rm -rf build' } }] },
    { calls: [{ name: 'AskUserQuestion', input: { questions: [question] } }] },
    { text: 'Done.' },
  ],
});

async function canUseTool(tool, input, { effects, reason }) {
  if (tool === 'AskUserQuestion') {
    const answers = Object.fromEntries(input.questions.map(({ question, options }) => [question, options[1].label]));
    return { behavior: 'allow', updatedInput: { ...input, answers } };
  }
  console.log(`${tool}? ${reason}`);
  if (effects.some(({ kind }) => kind === 'command')) return { behavior: 'deny', message: 'No commands here.' };
  return { behavior: 'allow' };
}

const agent = createAgent({ model, canUseTool, root: project.root, dataFolder: project.path('../data') });
for await (const event of agent.run('Go.')) {
  if (event.type === 'tool_result') console.log(`${event.tool}: ${event.result.content}`);
}

await agent.end();
await project.remove();
