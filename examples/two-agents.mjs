// Two agents in one process, at once, with different models, folders and rights. They share nothing.
import { createAgent } from 'helve';
import { scriptedModel } from 'helve/models';
import { temporaryProject } from 'helve/testing';

const script = {
  turns: [{ calls: [{ name: 'Write', input: { file_path: 'a.txt', content: 'x\n' } }] }, { text: 'Done.' }],
};

async function work(name, permissionMode) {
  const project = await temporaryProject();
  const model = scriptedModel({ ...script, name });
  const agent = createAgent({ model, permissionMode, root: project.root, dataFolder: project.path('../data') });
  const { denials } = await agent.run('Write a.txt.').result;
  await agent.end();
  const written = await project.text('a.txt').catch(() => 'nothing');
  await project.remove();
  return `${name}: ${denials.length} denied, ${written.trim()}`;
}

console.log(await Promise.all([work('writer', 'acceptEdits'), work('reader', 'plan')]));
