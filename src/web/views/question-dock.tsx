// The open questions of a session, above the prompt field. The one that came first is asked first.

import { useSignal } from '@preact/signals';
import type { SessionStore } from '../store/session-store.js';
import { useApp } from '../store/web-app.js';
import { ChoicesCard } from './choices-card.js';
import { lazyView, otherPages } from './lazy-view.js';
import { PermissionCard } from './permission-card.js';

const TrustCard = lazyView(async () => (await otherPages()).TrustCard);

export function QuestionDock({ store }: { store: SessionStore }) {
  const app = useApp();
  const answered = useSignal<string | undefined>(undefined); // the question whose answer was sent
  const [first, ...others] = store.questions.value;
  if (!first) return null;
  const { question } = first;
  const isSending = answered.value === question.id;
  const answer = async (given: unknown): Promise<void> => {
    if (answered.value === question.id) return; // a second press, before the page was drawn again
    answered.value = question.id;
    try {
      const { isAccepted } = await app.link.request('_helve/session/answer', {
        sessionId: store.id,
        questionId: question.id,
        answer: given,
      });
      if (!isAccepted) app.message.value = 'The question was answered elsewhere before, or withdrawn.';
    } catch (error) {
      if (answered.value === question.id) answered.value = undefined;
      app.tell(error);
    }
  };
  const mayAnswer = app.may('answer');
  const isDangerous = question.kind === 'permission' && question.question.risks.some(({ level }) => level === 'high');
  const classes = ['question', ...(isDangerous ? ['danger'] : []), ...(isSending ? ['sending'] : [])];
  return (
    <section class={classes.join(' ')} aria-label="Question" key={question.id}>
      {question.kind === 'permission' && (
        <PermissionCard question={question.question} root={store.root.value} mayAnswer={mayAnswer} answer={answer} />
      )}
      {question.kind === 'choices' && (
        <ChoicesCard id={question.id} questions={question.questions} mayAnswer={mayAnswer} answer={answer} />
      )}
      {question.kind === 'trust' && <TrustCard question={question} mayAnswer={mayAnswer} answer={answer} />}
      <p role="status" class="muted sending-line">
        {isSending && 'Sending the answer…'}
      </p>
      {others.length > 0 && <p class="muted more-questions">{others.length} more after this one</p>}
    </section>
  );
}
