import { closeSync, constants, openSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PermissionMode } from '../../contract/permission.js';
import type { PlanningPort, PlanSteps } from '../../contract/planning.js';
import { mkdirPrivate } from '../../platform/files/mkdir-private.js';

const PLAN_MODE_ON =
  'Plan mode is on: read and search, and change nothing; calls that would change something are refused. When the plan is complete, put it to the user with the tool for that, or as your answer where you have none.';

// Does not follow symlinks.
const WRITE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

interface ModeHolder {
  mode: PermissionMode;
  readonly resultsFolder: string;
}

/** The plan of a session. Enters and leaves plan mode. */
export class SessionPlan implements PlanningPort {
  readonly #holder: ModeHolder;
  /** Calls that a person has approved. */
  readonly #agreed = new Set<string>();
  #before: PermissionMode = 'default';
  /** Whether the model was reminded that plan mode is on. */
  #isReminded = false;
  #plan: string | undefined;
  /** What the program adds to the reminder that plan mode is on. */
  instructions = '';

  constructor(holder: ModeHolder) {
    this.#holder = holder;
  }

  get mode(): PermissionMode {
    return this.#holder.mode;
  }

  get plan(): string | undefined {
    return this.#plan;
  }

  /** The mode that is restored when plan mode ends. */
  get modeAfter(): PermissionMode {
    return this.#holder.mode === 'plan' ? this.#before : this.#holder.mode;
  }

  /** To be called when the mode changes: remembers the earlier mode, to restore it after plan mode. */
  changes(from: PermissionMode, to: PermissionMode): void {
    if (to === 'plan' && from !== 'plan') this.#before = from;
  }

  /** Sets the mode that is restored after plan mode, if it is not the one that was left for it. */
  returnTo(mode: PermissionMode): void {
    if (mode !== 'plan') this.#before = mode;
  }

  agreed(callId: string): void {
    this.#agreed.add(callId);
  }

  enter(): void {
    this.#holder.mode = 'plan';
    this.#isReminded = true; // by the result of the call that enters plan mode
  }

  async keep(plan: string): Promise<string | undefined> {
    this.#plan = plan;
    const folder = dirname(this.#holder.resultsFolder);
    const file = join(folder, 'plan.md');
    try {
      mkdirPrivate(folder);
      const descriptor = openSync(file, WRITE_FLAGS, 0o600);
      try {
        writeFileSync(descriptor, plan.endsWith('\n') ? plan : `${plan}\n`);
      } finally {
        closeSync(descriptor);
      }
      return file;
    } catch {
      return undefined; // the file is for people to read; the plan itself is kept with the conversation
    }
  }

  /** Sets the plan of a resumed session. */
  restore(plan: string | undefined): void {
    this.#plan = plan;
  }

  leave(callId: string): PermissionMode {
    if (!this.#agreed.has(callId)) {
      throw new Error('A call tried to leave plan mode without approval. Plan mode stays on.');
    }
    this.#holder.mode = this.modeAfter;
    this.#isReminded = false;
    return this.#holder.mode;
  }

  /** The reminder about a change of plan mode that the model does not know, since not only its own calls can change it. */
  news(): string | undefined {
    const isOn = this.#holder.mode === 'plan';
    if (isOn === this.#isReminded) return undefined;
    this.#isReminded = isOn;
    const on = this.instructions === '' ? PLAN_MODE_ON : `${PLAN_MODE_ON}\n${this.instructions}`;
    return isOn ? on : `Plan mode is off: the mode is ${this.#holder.mode}, and files may be changed again.`;
  }

  /** To be called when the reminder has left the conversation. */
  forgetReminder(): void {
    this.#isReminded = false;
  }

  async steps(plan: string): Promise<PlanSteps> {
    const { planSteps } = await import('./plan-steps.js');
    return planSteps(plan);
  }
}
