// Runs a command, passes its standard streams on, and writes each line with its direction to a file.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';

const [file, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });

const pass = (from, source, target) => {
  let rest = '';
  source.setEncoding('utf8').on('data', (text) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) if (part !== '') appendFileSync(file, `{"from":"${from}","message":${part}}\n`);
    target.write(text);
  });
  source.on('end', () => target.end());
  target.on('error', () => {});
};
pass('client', process.stdin, child.stdin);
pass('agent', child.stdout, process.stdout);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('close', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
