// What a server knows of a fleet, for all of its clients.
import { SessionUsageReader } from '../../host/session-usage.js';
import { LiveLog } from '../live-log.js';
import type { Database } from '../postgres.js';
import { FleetPrompts } from '../prompts.js';
import { FleetQuestions } from '../questions.js';
import { Signals } from '../signals.js';
import { PostgresStore } from '../store/postgres-store.js';
import type { Seal } from '../store/seal.js';
import { SessionCopies } from './session-copies.js';
import { SessionList } from './session-list.js';
import { SessionViews } from './session-views.js';

export interface FleetServerOptions {
  url: string;
  database: Database;
  seal: Seal | undefined;
  onProblem(sentence: string): void;
}

export class FleetServer {
  readonly store: PostgresStore;
  readonly prompts: FleetPrompts;
  readonly questions: FleetQuestions;
  readonly copies: SessionCopies;
  readonly list: SessionList;
  readonly views: SessionViews;
  readonly usage: SessionUsageReader;
  readonly #signals: Signals;

  constructor({ url, database, seal, onProblem }: FleetServerOptions) {
    this.store = new PostgresStore(database, { seal });
    this.prompts = new FleetPrompts(database, seal);
    this.questions = new FleetQuestions(database, seal);
    this.copies = new SessionCopies(this.store);
    this.list = new SessionList(database, onProblem);
    const live = new LiveLog(database, seal);
    this.views = new SessionViews({ copies: this.copies, live, list: this.list, prompts: this.prompts, onProblem });
    this.usage = new SessionUsageReader(this.copies.dataFolder);
    this.#signals = new Signals(url, {
      onSignal: (kind, sessionId) => {
        if (kind === 'changed') this.#changed(sessionId);
      },
      onGap: () => this.#changed(undefined),
    });
  }

  async close(): Promise<void> {
    await this.#signals.close();
    this.copies.remove();
  }

  #changed(sessionId: string | undefined): void {
    this.views.changed(sessionId);
    this.list.changed();
  }
}
