// A new session in a folder that sessions were opened in before, or in the one that the server was started in.
import { useEffect, useState } from 'preact/hooks';
import { visibleLine } from '../../platform/text/visible-lines.js';
import type { Project } from '../connection/wire.js';
import { useApp } from '../store/web-app.js';

export function NewSession({ root }: { root: string | undefined }) {
  const app = useApp();
  const [projects, setProjects] = useState<readonly Project[] | undefined>(undefined);
  const [chosen, setChosen] = useState(root ?? '');
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  useEffect(
    () =>
      app.link.onOpen(async () => {
        try {
          const found = await app.link.request('_helve/projects/list', {});
          setProjects(found.projects);
          setChosen((before) => before || (found.projects[0]?.root ?? ''));
        } catch (error) {
          setProblem(error instanceof Error ? error.message : String(error));
        }
      }),
    [],
  );
  const start = (event: Event): void => {
    event.preventDefault();
    if (text.trim() === '' || chosen === '') return;
    const sessionId = crypto.randomUUID();
    app.outbox.send({ sessionId, cwd: chosen, text });
    app.router.go({ page: 'session', id: sessionId, tab: 'conversation' });
  };
  return (
    <div class="page narrow">
      <h1>New session</h1>
      <form class="form" onSubmit={start}>
        <fieldset class="projects">
          <legend>Project</legend>
          {projects?.map((project) => (
            <label key={project.root} class="choice">
              <input
                type="radio"
                name="project"
                checked={project.root === chosen}
                onChange={() => setChosen(project.root)}
              />
              <span>
                <strong>{visibleLine(project.name)}</strong> <span class="muted">{visibleLine(project.root)}</span>
                {!project.isTrusted && <span class="tag">not trusted yet</span>}
              </span>
            </label>
          ))}
          {projects?.length === 0 && (
            <p class="muted">
              No project is known yet. Send a prompt in the folder of one, with <code>helve</code> or{' '}
              <code>helve bg</code>, or start <code>helve serve</code> there; then it is listed here.
            </p>
          )}
        </fieldset>
        <label class="field">
          What should be done?
          <textarea
            rows={5}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) start(event);
            }}
          />
        </label>
        {problem !== '' && <p class="failure">{problem}</p>}
        <button type="submit" class="button primary" disabled={text.trim() === '' || chosen === ''}>
          Start
        </button>
      </form>
    </div>
  );
}
