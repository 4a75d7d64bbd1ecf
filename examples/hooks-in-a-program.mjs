// Functions of the program that are called before and after calls, and when the model wants to end.
import { createAgent } from 'helve';
import { scriptedModel } from 'helve/models';
import { temporaryProject } from 'helve/testing';

const project = await temporaryProject({ 'generated.txt': 'x\n', 'notes.txt': 'one handle\n' });
const model = scriptedModel({
  turns: [
    { calls: [{ name: 'Write', input: { file_path: 'generated.txt', content: 'y\n' } }] },
    { calls: [{ name: 'Read', input: { file_path: 'notes.txt' } }] },
    { text: 'Done.' },
    { text: 'Done, and the tests pass.' },
  ],
});

const hooks = {
  PreToolUse: [
    {
      matcher: 'Write|Edit',
      hooks: [
        ({ tool_input }) =>
          tool_input.file_path.includes('generated')
            ? { decision: 'block', reason: 'Generated files are not edited by hand.' }
            : undefined,
      ],
    },
  ],
  PostToolUse: [{ hooks: [({ tool_name, duration_ms }) => void console.log(tool_name, duration_ms >= 0)] }],
  Stop: [
    {
      hooks: [
        ({ stop_hook_active }) =>
          stop_hook_active ? undefined : { decision: 'block', reason: 'Run the tests first.' },
      ],
    },
  ],
};

const agent = createAgent({ model, hooks, root: project.root, dataFolder: project.path('../data') });
const { text, denials } = await agent.run('Go.').result;
console.log(
  text,
  denials.map(({ tool }) => tool),
);

await agent.end();
await project.remove();
