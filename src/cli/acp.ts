import { AcpAgent } from '../acp/acp-agent.js';
import { SessionHost } from '../host/session-host.js';
import { dataFolderOf } from '../platform/files/paths.js';
import { visible } from '../platform/text/visible.js';
import { conversationOpener } from './acp/open-conversation.js';
import { readAcpFlags } from './acp/read-acp-flags.js';
import { exitCode } from './exit-codes.js';
import { onSignals } from './signals.js';
import { probeOnceOrphaned } from './stream-json/orphan-probe.js';
import { readInputLines } from './stream-json/read-input-lines.js';
import { writeLine } from './write-line.js';

declare const HELVE_VERSION: string; // defined by the build

const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Speaks the Agent Client Protocol on standard input and output: editors start it. */
export async function acp(argv: readonly string[]): Promise<number> {
  const { flags, answerLimitMs } = readAcpFlags(argv);
  const { open, checkModel } = conversationOpener(flags, { surface: 'acp' });
  const host = new SessionHost(open);
  const signals = onSignals(() => host.killAll());
  if (process.stdin.isTTY) tell('helve acp speaks the Agent Client Protocol: editors and other clients start it.');
  const write = async (line: string): Promise<void> => await writeLine(process.stdout, line);
  const transport = {
    lines: readInputLines(process.stdin, { maxBytes: MAX_LINE_BYTES, signal: signals.signal }),
    write: async (line: string) => await writeOrGiveUp(write(line), signals.signal),
  };
  const agent = new AcpAgent(transport, {
    host,
    version: HELVE_VERSION,
    dataFolder: dataFolderOf(),
    answerLimitMs,
    checkModel,
    onProblem: tell,
  });
  // A blank line is no message: clients skip it, and a closed pipe is noticed by it.
  const endProbe = probeOnceOrphaned(async () => await write(''));
  try {
    await agent.serve();
  } finally {
    endProbe();
    await host.closeAll().finally(() => signals.dispose());
  }
  // Output that the client did not read would keep the process alive.
  if (process.stdout.writableLength > 0) process.exit(signals.exitCode ?? exitCode.ok);
  return signals.exitCode ?? exitCode.ok;
}

/** Waits until the client has read the line, unless the work is ending. */
async function writeOrGiveUp(written: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const stopped = Promise.withResolvers<void>();
  const onAbort = (): void => stopped.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([written, stopped.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** stdout is reserved for the protocol. */
function tell(text: string): void {
  process.stderr.write(`helve: ${visible(text)}\n`);
}
