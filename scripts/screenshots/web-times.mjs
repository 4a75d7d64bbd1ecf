// Times in the messages of the server, replaced by fixed ones: the pictures of two runs are the same.
export const NOW = Date.parse('2026-03-02T10:30:00Z');

const AGES_MINUTES = { requires_action: 1, running: 4, idle: 50 };
const STEP = 700; // between two calls, in milliseconds
const SPAN = 24_000; // from the first call to now

export function withFixedTimes(message) {
  const { result, params, ...rest } = JSON.parse(message);
  return JSON.stringify({
    ...rest,
    ...(result && { result: fixed(result) }),
    ...(params && { params: fixed(params) }),
  });
}

/** By what it holds: a page of the list, of the timeline or of the changes. */
function fixed(data) {
  const { sessions, calls, files } = data;
  if (sessions) return { ...data, sessions: sessions.map(fixedRow) };
  if (files) return { ...data, files: files.map((file) => ({ ...file, calls: file.calls.map(fixedChange) })) };
  return calls ? { ...data, calls: calls.map(fixedCall), promptAt: NOW - SPAN } : data;
}

function fixedRow(row) {
  const minutes = (AGES_MINUTES[row.state] ?? 60) + (row.state === 'idle' ? row.title.length : 0);
  const at = new Date(NOW - minutes * 60_000).toISOString();
  return { ...row, changedAt: at, stateSince: at };
}

const fixedChange = (call, index) => ({ ...call, at: new Date(NOW - SPAN + index * STEP).toISOString() });

function fixedCall(call, index) {
  const queuedAt = NOW - SPAN + index * STEP;
  const startedAt = call.startedAt === null ? null : queuedAt + 60;
  const endedAt = call.endedAt === null ? null : queuedAt + (call.tool === 'Bash' ? 640 : 110);
  const waits = call.waits.slice(0, 1).map((wait) => ({ ...wait, from: queuedAt, to: startedAt }));
  return { ...call, queuedAt, startedAt, endedAt, waits };
}
