/** Running work of a session: processes that must end with it, and calls that can move to the background. */
export class RunningWork {
  readonly #parent: RunningWork | undefined;
  /** Functions that end running work, with a name if the work may outlive its call. */
  readonly #kills = new Map<() => void, string | undefined>();
  /** Functions that move a call to the background, with the id of the call. */
  readonly #moves = new Map<() => boolean, string>();

  /** `parent`: the work of the parent session, whose end also ends this work. */
  constructor(parent: RunningWork | undefined) {
    this.#parent = parent;
  }

  /** Returns a function to call when the work has ended. */
  add(kill: () => void, what?: string): () => void {
    this.#kills.set(kill, what);
    const removeAbove = this.#parent?.add(kill, what);
    return () => {
      this.#kills.delete(kill);
      removeAbove?.();
    };
  }

  /** `move` returns whether the call continues in the background. Calls of child agents are moved with those of the root. */
  addMovable(move: () => boolean, callId: string): () => void {
    if (this.#parent) return this.#parent.addMovable(move, callId);
    this.#moves.set(move, callId);
    return () => void this.#moves.delete(move);
  }

  /** Whether there are calls that could move to the background. */
  get hasMovable(): boolean {
    return this.#moves.size > 0;
  }

  /** Moves calls to the background, or one of them, and returns how many were moved. */
  moveToBackground(callId?: string): number {
    const wanted = [...this.#moves].filter(([, id]) => callId === undefined || id === callId);
    return wanted.filter(([move]) => move()).length;
  }

  /** The names of work that would end if the session ended now. */
  get names(): string[] {
    return [...this.#kills.values()].filter((what) => what !== undefined);
  }

  /** Ends every process at once, without waiting: for the moment before the program exits. */
  killAll(): void {
    for (const kill of this.#kills.keys()) kill();
  }
}
