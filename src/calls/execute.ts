// Step 9 of the path: the work itself, with its progress, until it is done or cancelled.
import { ToolFailure } from '../contract/failure.js';
import type { BoundCall, ToolOutcome } from '../contract/tool.js';
import type { ToolContext } from '../contract/tool-context.js';

const GRACE_MS = 5_000; // how long a cancelled tool may take to stop its work before its call is answered without it

export interface ExecuteOptions {
  onProgress(text: string): void;
  /** Called when the tool itself has ended, which may be after a cancelled call was answered without it. */
  onSettled?: (() => void) | undefined;
}

export async function execute(
  bound: BoundCall,
  context: ToolContext,
  { onProgress, onSettled }: ExecuteOptions,
): Promise<ToolOutcome> {
  if (context.signal.aborted) onSettled?.();
  context.signal.throwIfAborted();
  const abandoned = abandonedAfterGrace(context.signal);
  const work = follow(bound, context, onProgress);
  if (onSettled) work.then(onSettled, onSettled);
  try {
    return await Promise.race([work, abandoned.promise]);
  } finally {
    abandoned.clear();
  }
}

async function follow(
  bound: BoundCall,
  context: ToolContext,
  onProgress: (text: string) => void,
): Promise<ToolOutcome> {
  const work = bound.run(context);
  for (;;) {
    const step = await work.next();
    if (step.done) return step.value;
    const { text }: { text?: unknown } = step.value ?? {}; // a tool without types may yield anything
    onProgress(typeof text === 'string' ? text : String(text ?? ''));
  }
}

function abandonedAfterGrace(signal: AbortSignal): { promise: Promise<never>; clear(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => {
      reject(
        new ToolFailure(
          `The call was interrupted, but did not stop within ${GRACE_MS / 1000} s; it may still be at work.`,
          { advice: 'Check its effect before you go on.', kind: 'interrupted' },
        ),
      );
    }, GRACE_MS);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    promise,
    clear() {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(timer);
    },
  };
}
