import type { RecordStore } from './record-store.js';

/** The lines of a file of a session, without its empty ones. The last may have been cut by a kill. */
export async function* recordLines(
  store: RecordStore,
  session: string,
  file: string,
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of store.read(session, file)) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
  if (rest !== '') yield rest;
}
