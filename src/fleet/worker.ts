// A worker of the fleet: takes prompts from the queue and runs them. DBOS is the queue: it decides which worker runs which
// prompt, in which order and how many at once, and keeps that in the database. What a prompt does is no workflow of DBOS,
// whose steps would be repeated: the session's own log says what has been done.
import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '../platform/clock.js';
import { messageOf } from '../platform/message-of.js';
import { Heartbeat } from './heartbeat.js';
import { type Database, loadPackage, withDatabaseLock } from './postgres.js';
import { PromptRuns, type PromptRunsOptions } from './prompt-runs.js';
import type { DuePrompt } from './prompts.js';
import type { FleetSchedules } from './schedules.js';
import { type SignalKind, Signals } from './signals.js';
import { SessionLost, WorkerLost } from './store/record-store.js';
import { Wake } from './wake.js';

const NAME = 'helve';
const QUEUE = 'prompts';
const QUEUE_SCHEMA = 'helve_queue';
const TICK_MS = 1_000;
const POLL_MS = 100; // how often a worker with room looks for a prompt
const GATHER_MS = 50; // signals within this time are one reason to look
/**
 * Workers of one number continue each other's sessions, whatever their versions of Helve. It changes when a worker could not
 * read what another has written. DBOS gives a prompt that has begun only to workers of its number.
 */
const FLEET_FORMAT = 'helve-fleet-1';
const DAY_MS = 24 * 3_600_000;
const CLEAN_UP_MS = 3_600_000;
const REMOVED_AT_ONCE = 1_000;
const PRIORITIES = 10;
const SHARES = 1_000_000; // prompts of one project that are told apart by their place in the queue

export interface FleetWorkerOptions extends PromptRunsOptions {
  url: string;
  database: Database;
  /** Unique for this process. */
  id: string;
  version: string;
  /** How many prompts run on each worker at once: of the worker that has started last, since it is a setting of the queue. */
  concurrency: number;
  /** How many prompts of a project run at once, on all workers. */
  projectLimit: number;
  /** How long a worker may be silent before others take its sessions over. */
  silenceMs: number;
  /** A prompt with which so many workers were lost has failed. */
  maxLosses: number;
  schedules: FleetSchedules;
  /** Sessions that nothing was written to for so long are removed. */
  keepDays: number;
}

type Dbos = typeof import('@dbos-inc/dbos-sdk').DBOS;
type RunPrompt = (sessionId: string, promptId: string, attempt: number) => Promise<void>;

export class FleetWorker {
  readonly #options: FleetWorkerOptions;
  readonly #runs: PromptRuns;
  readonly #heartbeat: Heartbeat;
  readonly #dbos: Dbos;
  readonly #run: RunPrompt;
  readonly #lost = Promise.withResolvers<void>();
  readonly #due = new Wake();
  readonly #steered = new Wake();
  readonly #signals: Signals;
  #isDraining = false;
  #isEnding = false;
  #cleanUpAt = 0;
  #reported = '';

  private constructor(options: FleetWorkerOptions, dbos: Dbos) {
    const { database, id, version, silenceMs } = options;
    this.#options = options;
    this.#dbos = dbos;
    this.#runs = new PromptRuns(options);
    this.#heartbeat = new Heartbeat({ database, worker: id, version, limitMs: silenceMs });
    this.#run = dbos.registerWorkflow(this.#runPrompt.bind(this), {
      name: 'runPrompt',
      maxRecoveryAttempts: 1_000, // a session may outlive many workers
    });
    this.#signals = new Signals(options.url, {
      onSignal: (kind, sessionId) => this.#wake(kind, sessionId),
      onGap: () => this.#wake('due', ''),
    });
  }

  static async start(options: FleetWorkerOptions): Promise<FleetWorker> {
    const { DBOS, DBOSClient } = await loadPackage<typeof import('@dbos-inc/dbos-sdk')>('@dbos-inc/dbos-sdk');
    const { url, database, id, concurrency, silenceMs, onProblem } = options;
    const quiet = (): void => {};
    const report = (text: unknown): void => onProblem(`The queue: ${messageOf(text)}`);
    const logger = { info: quiet, debug: quiet, warn: quiet, error: report };
    const place = { systemDatabaseUrl: url, systemDatabaseSchemaName: QUEUE_SCHEMA, logger };
    await withDatabaseLock(database, 'helve queue schema', async () => {
      await withQuietConsole(() => DBOS.migrate(url, { schemaName: QUEUE_SCHEMA }));
    });
    // Before the worker listens: it would take prompts with the limits that the queue had before.
    const client = await DBOSClient.create({ ...place, systemDatabasePool: database, applicationName: NAME });
    await client.registerQueue(QUEUE, { workerConcurrency: concurrency, minPollingIntervalMs: POLL_MS });
    await client.destroy();
    DBOS.setConfig({
      ...place,
      name: NAME,
      executorID: id,
      applicationVersion: FLEET_FORMAT,
      listenQueues: [QUEUE],
      useListenNotify: false, // nothing waits for messages of DBOS
      systemDatabaseIdleTransactionTimeoutMs: silenceMs / 2, // a worker that was stopped must not hold locks of the queue
      runMigrations: false,
    });
    const worker = new FleetWorker(options, DBOS);
    await worker.#heartbeat.register();
    await DBOS.launch();
    void worker.#report();
    void worker.#work();
    void worker.#passOnSoon();
    return worker;
  }

  /** Resolves when others have taken the sessions of this worker over. The process must end then. */
  get lost(): Promise<void> {
    return this.#lost.promise;
  }

  get busy(): number {
    return this.#runs.sessionIds.length;
  }

  /** Takes no more prompts, waits for those that run, and gives what has not ended by then to other workers. */
  async drain(waitMs: number): Promise<void> {
    this.#isDraining = true;
    await this.#dbos.shutdown({ workflowCompletionTimeoutMS: waitMs });
    this.#isEnding = true;
    this.#runs.killAll();
    await this.#signals.close();
    await this.#heartbeat.leave();
  }

  killAll(): void {
    this.#runs.killAll();
  }

  async #runPrompt(sessionId: string, promptId: string, attempt: number): Promise<void> {
    try {
      await this.#runs.run(sessionId, promptId);
    } catch (error) {
      const isAlive = await this.#beat();
      if (!isAlive || error instanceof WorkerLost) await new Promise(() => {}); // others run it; this process ends
      if (!(error instanceof SessionLost)) this.#options.onProblem(messageOf(error));
      await this.#options.prompts.retry(sessionId, promptId, attempt);
    }
  }

  /** Reports at least five times in the limit. It waits for nothing else. */
  async #report(): Promise<void> {
    while (await this.#tried(() => this.#beat())) await delay(this.#tickMs);
  }

  async #work(): Promise<void> {
    const work = async (): Promise<void> => {
      if (!this.#isDraining) await this.#coordinate();
    };
    while (await this.#tried(work)) {
      await this.#due.next(this.#tickMs);
      await delay(GATHER_MS);
    }
  }

  async #passOnSoon(): Promise<void> {
    while (await this.#tried(() => this.#passOn())) await this.#steered.next(this.#tickMs);
  }

  #wake(kind: SignalKind, sessionId: string): void {
    if (kind === 'due') this.#due.wake();
    if (kind === 'steer' && this.#runs.sessionIds.includes(sessionId)) this.#steered.wake();
  }

  get #tickMs(): number {
    return Math.min(TICK_MS, this.#options.silenceMs / 5);
  }

  /** False once this worker ends. A failure is reported once, and tried again by the caller. */
  async #tried(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      this.#reported = '';
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== this.#reported) this.#options.onProblem(`The database: ${problem}. It is tried again.`);
      this.#reported = problem;
    }
    return !this.#isEnding;
  }

  /** What all workers do for each other. */
  async #coordinate(): Promise<void> {
    await this.#heartbeat.judge();
    await this.#takeOver();
    await this.#options.schedules.sendDue();
    await this.#queueDue();
    await this.#cleanUp();
  }

  /** False if this worker is lost; then everything here is ended. */
  async #beat(): Promise<boolean> {
    const isAlive = await this.#heartbeat.beat();
    if (!isAlive && !this.#isEnding) {
      this.#isEnding = true;
      this.#runs.killAll();
      this.#lost.resolve();
    }
    return isAlive;
  }

  /**
   * DBOS leaves a workflow to the process that began it. The prompts of lost workers get another workflow. Any number of
   * workers may do this at once, and one that hangs in the middle keeps no other from it.
   */
  async #takeOver(): Promise<void> {
    const { prompts, maxLosses } = this.#options;
    const running = await this.#dbos.listWorkflows({ status: 'PENDING', queueName: QUEUE, loadInput: false });
    const { living, left } = await this.#heartbeat.workers();
    const orphans = running.filter(({ executorId }) => executorId === undefined || !living.has(executorId));
    for (const { workflowID, executorId = '' } of orphans) {
      const [sessionId, promptId, attempt] = partsOf(workflowID);
      await prompts.retry(sessionId, promptId, attempt, left.has(executorId) ? undefined : maxLosses);
      await this.#dbos.cancelWorkflow(workflowID);
    }
  }

  async #queueDue(): Promise<void> {
    const { prompts, projectLimit } = this.#options;
    for (const due of await prompts.due(projectLimit)) {
      const { sessionId, promptId, attempt, number } = due;
      await this.#dbos.startWorkflow(this.#run, {
        workflowID: [sessionId, promptId, attempt, number].map(encodeURIComponent).join('/'), // queued once, by whichever worker
        queueName: QUEUE,
        enqueueOptions: { priority: priorityOf(due) },
      })(sessionId, promptId, attempt);
      await prompts.queued(due);
    }
  }

  /** What clients have sent to the sessions here: cancellations and answers. */
  async #passOn(): Promise<void> {
    const { prompts, questions, onProblem } = this.#options;
    for (const sessionId of await prompts.cancelledIn(this.#runs.sessionIds)) this.#runs.cancel(sessionId);
    for (const given of await questions.answered(this.#runs.sessionIds)) {
      try {
        this.#runs.answer(given);
      } catch (error) {
        onProblem(`An answer to the session ${given.sessionId} does not fit its question. ${messageOf(error)}`);
      }
    }
  }

  async #cleanUp(): Promise<void> {
    const { prompts, keepDays } = this.#options;
    if (monotonicMs() < this.#cleanUpAt) return;
    this.#cleanUpAt = monotonicMs() + CLEAN_UP_MS;
    await prompts.removeOld(keepDays);
    await this.#options.live.removeOld();
    const old = await this.#dbos.listWorkflows({
      status: ['SUCCESS', 'ERROR', 'CANCELLED'],
      endTime: new Date(Date.now() - keepDays * DAY_MS).toISOString(),
      limit: REMOVED_AT_ONCE,
      loadInput: false,
      loadOutput: false,
    });
    if (old.length > 0) await this.#dbos.deleteWorkflows(old.map(({ workflowID }) => workflowID));
  }
}

/** `DBOS.migrate` writes to the console, and takes no logger. Nothing else runs yet. */
async function withQuietConsole(work: () => Promise<void>): Promise<void> {
  const { log } = console;
  console.log = () => {};
  try {
    await work();
  } finally {
    console.log = log;
  }
}

/** The session, the prompt and the attempt of a workflow. */
function partsOf(workflowId: string): [string, string, number] {
  const [sessionId = '', promptId = '', attempt] = workflowId.split('/').map(decodeURIComponent);
  return [sessionId, promptId, Number(attempt)];
}

/**
 * The lowest number is first. A session that lost its worker goes on before others begin. Projects take turns: the n-th prompt
 * of each is before the next one of any.
 */
const priorityOf = ({ priority, ahead, hasBegun }: DuePrompt): number =>
  hasBegun ? 0 : 1 + (PRIORITIES - 1 - priority) * SHARES + Math.min(ahead, SHARES - 1);
