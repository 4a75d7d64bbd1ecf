/**
 * Puts the events of parallel calls in order, for output that is never redrawn: each call is followed by its result.
 * A call that starts while another runs is held back until that one has its result.
 */
export class OrderedCalls<Event extends { type: string }> {
  /** The calls without a result that was returned, in the order in which they started. */
  #calls: Array<{ id: string; events: Event[]; isDone: boolean }> = [];

  /** The events to show now. */
  take(event: Event & { callId?: string }): Event[] {
    if (event.type === 'tool_call' && event.callId !== undefined) {
      this.#calls.push({ id: event.callId, events: [], isDone: false });
    }
    const index = event.callId === undefined ? -1 : this.#calls.findIndex(({ id }) => id === event.callId);
    const call = this.#calls[index];
    if (!call) return [event];
    call.events.push(event);
    if (event.type === 'tool_result') call.isDone = true;
    return index === 0 ? this.#ready() : [];
  }

  #ready(): Event[] {
    const events: Event[] = [];
    for (let first = this.#calls[0]; first; first = this.#calls[0]) {
      events.push(...first.events.splice(0));
      if (!first.isDone) break;
      this.#calls.shift();
    }
    return events;
  }
}
