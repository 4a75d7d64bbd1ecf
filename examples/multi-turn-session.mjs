// A conversation of several prompts that is saved, resumed later, and forked.
import { createAgent, listSessions, resumeAgent } from 'helve';
import { scriptedModel } from 'helve/models';
import { temporaryProject } from 'helve/testing';

const project = await temporaryProject({ 'notes.txt': 'one handle\n' });
const [root, dataFolder] = [project.root, project.path('../data')];
const saying = (...texts) => scriptedModel({ turns: texts.map((text) => ({ text })) });

const agent = createAgent({ model: saying('Hello.', 'You said hello.'), root, dataFolder, keepSession: true });
await agent.run('Hello!').result;
const { text } = await agent.run('What did I say?').result; // the same history
console.log(text);
await agent.end();

const [latest] = await listSessions({ root, dataFolder });
console.log(`${latest.turns} turns, "${latest.title}"`);

const resumed = await resumeAgent({ session: latest.id, model: saying('Welcome back.'), root, dataFolder });
await resumed.run('I am back.').result;
console.log(resumed.id === agent.id, resumed.messages.length);

const fork = await resumeAgent({ session: agent.id, fork: true, model: saying('Another way.'), root, dataFolder });
await fork.run('What if?').result; // the session that it comes from stays as it is
console.log(fork.id === agent.id, fork.messages.length, resumed.messages.length);

await Promise.all([resumed.end(), fork.end()]);
await project.remove();
