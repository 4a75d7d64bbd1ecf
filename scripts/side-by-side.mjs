// Runs npm scripts at the same time, all of them to their end, and fails if one has failed: side-by-side.mjs lint typecheck
import { spawn } from 'node:child_process';

const names = process.argv.slice(2);
const failed = (await Promise.all(names.map(run))).filter(({ code }) => code !== 0);
if (failed.length > 0) {
  console.error(`Failed, see above: ${failed.map(({ name }) => name).join(', ')}.`);
  process.exitCode = 1;
}

/** The output of each script is printed in one piece, once the script has ended. */
async function run(name) {
  const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  child.stdout.on('data', (bytes) => output.push(bytes));
  child.stderr.on('data', (bytes) => output.push(bytes));
  const code = await new Promise((done, fail) => child.once('error', fail).once('close', done));
  process.stdout.write(`> ${name}\n${Buffer.concat(output)}`);
  return { name, code };
}
