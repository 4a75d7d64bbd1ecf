// Parts of the page that are loaded when they are first needed: the list of sessions does not wait for them.
import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** `meanwhile` stands in its place until it is loaded. */
export function lazyView<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
  meanwhile: FunctionComponent<Props> = Loading,
): FunctionComponent<Props> {
  const Meanwhile = meanwhile;
  let loaded: FunctionComponent<Props> | undefined;
  return function Lazy(props: Props) {
    const [View, setView] = useState(() => loaded);
    const [hasFailed, setFailed] = useState(false);
    useEffect(() => {
      if (View) return;
      let isGone = false;
      load().then(
        (view) => {
          loaded = view;
          if (!isGone) setView(() => view);
        },
        () => setFailed(true),
      );
      return () => {
        isGone = true;
      };
    }, []);
    if (View) return <View {...props} />;
    if (!hasFailed) return <Meanwhile {...props} />;
    return (
      <p class="start" role="alert">
        This part of the page could not be loaded: the server has ended, or Helve was updated.{' '}
        <button type="button" class="link" onClick={() => location.reload()}>
          Reload the page
        </button>
      </p>
    );
  };
}

/** The pages beside the conversation, and what is rarely needed, with their styles. */
export async function otherPages() {
  const { sheet, ...pages } = await import('./other-pages.js');
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
  return pages;
}

/** Something that a view can do without until it is loaded: undefined until then, and if it can't be loaded. */
export function lazyPart<Part>(load: () => Promise<Part>): () => Part | undefined {
  let loaded: Part | undefined;
  return function usePart() {
    const [part, setPart] = useState(() => loaded);
    useEffect(() => {
      if (part !== undefined) return;
      let isGone = false;
      load().then(
        (found) => {
          loaded = found;
          if (!isGone) setPart(() => found);
        },
        () => {},
      );
      return () => {
        isGone = true;
      };
    }, []);
    return part;
  };
}

function Loading() {
  return <p class="start">Loading…</p>;
}
