// How much of what a question is about has not been on the screen.
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** The part of a question that scrolls. */
export const ScrolledBody = ({
  body,
  children,
}: {
  body: RefObject<HTMLDivElement | null>;
  children: ComponentChildren;
}) => (
  <div class="question-body" ref={body} tabIndex={0} role="group" aria-label="What it is about">
    <div class="question-inner">{children}</div>
  </div>
);

/** The lines of a diff or a command that were never scrolled to, and those that are not drawn at all. */
export function useUnseenLines(body: RefObject<HTMLElement | null>): number {
  const [unseen, setUnseen] = useState(0);
  const seen = useRef(0); // pixels from the top
  useEffect(() => {
    const element = body.current;
    const content = element?.firstElementChild;
    if (!element || !content) return;
    const look = (): void => {
      seen.current = Math.max(seen.current, element.scrollTop + element.clientHeight);
      const lines = [...content.querySelectorAll<HTMLElement>('tr, .line')];
      const edge = element.getBoundingClientRect().top - element.scrollTop + seen.current;
      const below = lines.filter((line) => line.getBoundingClientRect().bottom > edge + 2).length;
      const more = [...content.querySelectorAll<HTMLElement>('[data-hidden]')];
      setUnseen(more.reduce((sum, { dataset }) => sum + Number(dataset['hidden']), below));
    };
    const observer = new ResizeObserver(look);
    observer.observe(content);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  return unseen;
}
