import { askInEachForm } from '../calls/ask-in-each-form.js';
import type { EngineOptions } from '../contract/options.js';
import type { AskPermission } from '../contract/permission.js';
import type { AskUser } from '../contract/question.js';
import { answeringBy, askingBy } from './can-use-tool-adapter.js';

/** The functions that answer the questions of a session. */
export interface Answers {
  /** Undefined if there is no answer to questions about permission: such calls are denied. */
  askPermission: AskPermission | undefined;
  askUser: AskUser | undefined;
}

type Questioned = Pick<EngineOptions, 'canUseTool' | 'askPermission' | 'askUser'>;

/** `canUseTool` answers both kinds of questions, unless `askUser` is given for questions of the model. */
export function answersOf({ canUseTool, askPermission, askUser }: Questioned): Answers {
  if (!canUseTool) return { askPermission, askUser };
  return { askPermission: askInEachForm(askingBy(canUseTool)), askUser: askUser ?? answeringBy(canUseTool) };
}
