import { codeOf } from '../error-code.js';
import { messageOf } from '../message-of.js';
import { startProcess } from './start-process.js';

const MAX_BYTES = 64 * 1024;

export interface ProgramOptions {
  env: Readonly<Record<string, string | undefined>>;
  timeoutMs: number;
}

/**
 * What a program prints, such as a key or a token. Fails if it does not end in time, ends with another status than 0,
 * or prints too much. The errors tell why, and never what it printed.
 */
export async function programOutput(
  program: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<string> {
  const { BASH_ENV: _, ENV: __, ...env } = options.env;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child = startProcess(program, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => {
    child.kill('SIGKILL');
    reject(new Error(`it took longer than ${options.timeoutMs / 1000} s and was stopped`));
  }, options.timeoutMs);
  child.stdout?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_BYTES) chunks.push(chunk);
  });
  child.on('error', (error) => {
    const why = codeOf(error) === 'ENOENT' ? `there is no program ${program}` : messageOf(error);
    reject(new Error(why, { cause: error }));
  });
  child.on('close', (code, signal) => {
    if (code !== 0) reject(new Error(code === null ? `it was ended by ${signal}` : `it ended with status ${code}`));
    else if (size > MAX_BYTES) reject(new Error(`it printed ${size} bytes`));
    else resolve(Buffer.concat(chunks).toString());
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.stdout?.destroy(); // something that it left running may hold the pipe
  }
}
