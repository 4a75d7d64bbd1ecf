// Several agents at once on one repository, each in a git worktree; their branches are merged one after the other.
import { execFileSync } from 'node:child_process';
import { createAgent, openWorktree } from 'helve';
import { scriptedModel } from 'helve/models';
import { temporaryProject } from 'helve/testing';

const project = await temporaryProject({ 'a.txt': 'one\n' });
const { root } = project;
const dataFolder = project.path('../data');
const git = (...args) =>
  execFileSync('git', ['-C', root, '-c', 'user.name=x', '-c', 'user.email=x@example.invalid', ...args]);
git('init', '--quiet');
git('add', '--all');
git('commit', '--quiet', '--message=first');

async function work(name, file_path) {
  const worktree = await openWorktree({ root, dataFolder, name });
  const call = { name: 'Write', input: { file_path, content: `${name}\n` } };
  const model = scriptedModel({ turns: [{ calls: [call] }, { text: 'Done.' }] });
  const agent = createAgent({ model, worktree, dataFolder, permissionMode: 'acceptEdits' });
  await agent.run(`Write ${file_path}.`).result;
  await agent.end();
  return worktree;
}

const worktrees = await Promise.all([work('left', 'left.txt'), work('right', 'right.txt'), work('other', 'left.txt')]);
for (const worktree of worktrees) {
  const { outcome, whyNotMerged = '' } = await worktree.finish({ end: 'merge' });
  console.log(worktree.name, outcome, whyNotMerged);
}
await project.remove();
