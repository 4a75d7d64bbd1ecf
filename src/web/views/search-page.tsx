// What was said in all sessions, also in old ones.
import { useEffect, useState } from 'preact/hooks';
import type { SearchHit } from '../../host/search-sessions.js';
import { shownAge } from '../../platform/text/age.js';
import { visibleLine } from '../../platform/text/visible-lines.js';
import { address } from '../store/route.js';
import { useApp } from '../store/web-app.js';
import { SessionRowView } from './session-row.js';

export function SearchPage({ text }: { text: string }) {
  const app = useApp();
  const [hits, setHits] = useState<readonly SearchHit[] | undefined>(undefined);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let isGone = false;
    const leave = app.link.onOpen(async () => {
      try {
        const found = await app.link.request('_helve/search', { text, limit: 100 });
        if (!isGone) setHits(found.hits);
      } catch (error) {
        if (!isGone) setProblem(error instanceof Error ? error.message : String(error));
      }
    });
    return () => {
      isGone = true;
      leave();
    };
  }, [text]);
  const wanted = text.toLowerCase();
  const named = [...app.list.rows.value.values()].filter(({ title, project }) =>
    `${title} ${project}`.toLowerCase().includes(wanted),
  );
  return (
    <div class="page">
      <h1>
        Search: <q>{text}</q>
      </h1>
      {named.length > 0 && (
        <section class="home-group" aria-label="Sessions with this title">
          <h2 class="rows-head">Titles</h2>
          <div class="card">
            {named.slice(0, 20).map((row) => (
              <SessionRowView key={row.sessionId} row={row} />
            ))}
          </div>
        </section>
      )}
      <section class="home-group" aria-label="What was said">
        <h2 class="rows-head">What was said {hits && <span class="count">{hits.length}</span>}</h2>
        {hits === undefined && problem === '' && <p class="muted">Searching…</p>}
        {problem !== '' && <p class="failure">{problem}</p>}
        {hits?.length === 0 && <p class="empty">No session says this.</p>}
        {hits !== undefined && hits.length > 0 && (
          <div class="card">
            {hits.map((hit, index) => (
              <a
                key={index}
                class="row hit"
                href={address({ page: 'session', id: hit.sessionId, tab: 'conversation' })}
              >
                <span class="row-main">
                  <span class="row-title">{visibleLine(hit.title)}</span>
                  <span class="snippet">
                    <Marked text={visibleLine(hit.snippet)} wanted={wanted} />
                  </span>
                </span>
                <span class="row-age">{shownAge(new Date(hit.at), new Date())}</span>
              </a>
            ))}
          </div>
        )}
      </section>
    </div>
  );
}

function Marked({ text, wanted }: { text: string; wanted: string }) {
  const at = text.toLowerCase().indexOf(wanted);
  if (at < 0 || wanted === '') return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + wanted.length)}</mark>
      {text.slice(at + wanted.length)}
    </>
  );
}
