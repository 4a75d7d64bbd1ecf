// Large answers of a connection, one at a time: the next one is made when the client has read the one before. A client that
// asks for much and reads nothing would else fill the memory of the host, which ends the sessions of all.
import type { Method } from './acp-agent.js';

export class AnswerQueue {
  #last: Promise<void> = Promise.resolve();

  /** The method, whose requests wait for each other. */
  inOrder(method: Method): Method {
    return async (params, request) => {
      const before = this.#last;
      const { promise: isRead, resolve } = Promise.withResolvers<void>();
      this.#last = isRead;
      await before;
      try {
        request.signal.throwIfAborted();
        const answer = await method(params, request);
        request.afterAnswer(resolve);
        return answer;
      } catch (error) {
        resolve();
        throw error;
      }
    };
  }
}
