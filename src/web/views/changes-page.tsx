// All files that the session has changed, one by one, with undo of one call.
import { useState } from 'preact/hooks';
import type { ChangedFile } from '../../host/session-changes.js';
import { counted } from '../../platform/text/counted.js';
import { visibleLine } from '../../platform/text/visible-lines.js';
import type { SessionStore } from '../store/session-store.js';
import { useApp } from '../store/web-app.js';

import { Diff } from './diff.js';
import { GuardedButton } from './guarded-button.js';
import { Icon } from './icons.js';
import { useLoaded } from './use-loaded.js';

const statusWords = { added: 'new', modified: 'changed', deleted: 'deleted', moved: 'moved' } as const;
const statusLetters = { added: 'A', modified: 'M', deleted: 'D', moved: 'R' } as const;

export function ChangesPage({ store }: { store: SessionStore }) {
  const app = useApp();
  const load = () => app.link.request('_helve/session/changes', { sessionId: store.id });
  const { value, problem, reload } = useLoaded(load, store);
  const [path, setPath] = useState('');
  const files = value?.files ?? [];
  const file = files.find((each) => each.path === path) ?? files[0];
  const [added, removed] = [sumOf(files, 'added'), sumOf(files, 'removed')];
  if (problem !== '') return <p class="failure padded">{problem}</p>;
  if (!value) return <p class="start">Loading…</p>;
  if (!file) return <p class="empty big">This session has changed no files.</p>;
  return (
    <div class="changes">
      <nav class="files" aria-label="Changed files">
        <h2>
          {counted(files.length, 'file')} <span class="count-added">+{added}</span>{' '}
          <span class="count-removed">-{removed}</span>
        </h2>
        <ul>
          {files.map((each) => (
            <li key={each.path}>
              <button
                type="button"
                aria-current={each === file ? 'true' : undefined}
                onClick={() => setPath(each.path)}
                title={each.path}
              >
                <span class={`status ${each.status}`} aria-hidden="true">
                  {statusLetters[each.status]}
                </span>
                <span class="unseen">{statusWords[each.status]}: </span>
                <FileName path={each.path} />
                <span class="file-size">
                  {each.added > 0 && <span class="count-added">+{each.added}</span>}
                  {each.removed > 0 && <span class="count-removed">-{each.removed}</span>}
                </span>
              </button>
            </li>
          ))}
        </ul>
        {value.more > 0 && <p class="muted padded">and {counted(value.more, 'more file')}</p>}
      </nav>
      <FileView key={file.path} file={file} store={store} onUndone={reload} />
    </div>
  );
}

const sumOf = (files: readonly ChangedFile[], what: 'added' | 'removed'): number =>
  files.reduce((sum, file) => sum + file[what], 0);

/** The name first: the end of a path says more than its start. */
function FileName({ path }: { path: string }) {
  const at = path.lastIndexOf('/');
  return (
    <span class="file-name">
      {visibleLine(path.slice(at + 1))} <span class="muted">{visibleLine(path.slice(0, Math.max(0, at)))}</span>
    </span>
  );
}

function FileView({ file, store, onUndone }: { file: ChangedFile; store: SessionStore; onUndone(): Promise<void> }) {
  return (
    <section class="file" aria-label={file.path}>
      <header class="file-head">
        <h2>{visibleLine(file.path)}</h2>
        <span class="muted">{statusWords[file.status]}</span>
      </header>
      <UndoList file={file} store={store} onUndone={onUndone} />
      {file.isBinary ? (
        <p class="empty">The file is not text, so its changes are not shown.</p>
      ) : file.patch === '' ? (
        <p class="empty">Its content is as it was before the session.</p>
      ) : !file.patch.includes('@@') ? (
        <p class="empty">{visibleLine(file.patch)}</p>
      ) : (
        <Diff path={file.path} patch={file.patch} />
      )}
    </section>
  );
}

function UndoList({ file, store, onUndone }: { file: ChangedFile; store: SessionStore; onUndone(): Promise<void> }) {
  const app = useApp();
  const undo = async (callId: string): Promise<void> => {
    try {
      const { message } = await app.link.request('_helve/session/undo', { sessionId: store.id, callId });
      app.message.value = message;
    } catch (error) {
      app.tell(error);
    }
    await onUndone();
  };
  return (
    <ul class="undos" aria-label="Calls that changed it">
      {file.calls.map(({ callId, at, canUndo, problem }) => {
        const call = store.calls.get(callId)?.value;
        const name = call ? `${call.display.action ?? call.tool}` : 'Call';
        return (
          <li key={callId}>
            <span>
              {visibleLine(name)} <span class="muted">{new Date(at).toLocaleTimeString()}</span>
            </span>
            {canUndo && app.may('run') && (
              <GuardedButton class="quiet small" needsTwo={false} onPress={() => void undo(callId)}>
                <Icon name="undo" /> Undo this call
              </GuardedButton>
            )}
            {!canUndo && problem !== undefined && <span class="muted">{visibleLine(problem)}</span>}
          </li>
        );
      })}
    </ul>
  );
}
