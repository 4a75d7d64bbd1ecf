import { spareFolderOf } from '../platform/files/spare-folder.js';

/** Reports at the end, unless reported before, where the session is kept if it could not all be written to the data folder. */
export function createUnsavedDataNotice(
  session: { dataFolder: string; id: string; hasToldDataProblem: boolean },
  tell: (sentence: string) => void,
): () => void {
  let isReported = false;
  return () => {
    const kept = isReported || session.hasToldDataProblem ? undefined : spareFolderOf(session.dataFolder, session.id);
    if (kept === undefined) return;
    isReported = true;
    tell(
      `The data folder could not be written until the end of the session. What is missing there is kept in ${kept}, and the next start of Helve moves it to the data folder, if there is room then.`,
    );
  };
}
