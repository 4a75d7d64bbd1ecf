// Markdown as elements: never as HTML. What the parser takes for HTML is shown as it is written.
import type { Token, Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { escaped, type MarkdownBlock } from '../../display/markdown-source.js';
import { isSafeAddress, markdownTokens } from '../../display/markdown-tokens.js';
import { fullyVisible } from '../../platform/text/visible.js';
import { Code } from './code.js';
import { memo } from './memo.js';

/** One block, parsed and drawn once. */
export const MarkdownBlockView = memo(
  ({ block }: { block: MarkdownBlock }) =>
    block.type === 'code' ? <Code language={block.language} code={block.code} /> : <Prose text={block.text} />,
  ({ block: one }: { block: MarkdownBlock }, { block: other }: { block: MarkdownBlock }) =>
    one === other ||
    (one.type === 'text' && other.type === 'text' && one.text === other.text) ||
    (one.type === 'code' && other.type === 'code' && one.code === other.code && one.language === other.language),
);

function Prose({ text }: { text: string }) {
  const clean = escaped(fullyVisible(text.replaceAll('\r\n', '\n')), () => undefined);
  const tokens = markdownTokens(clean);
  return tokens ? <Blocks tokens={tokens} /> : <PlainText text={text} />;
}

const PLAIN_CHUNK = 20_000; // characters that are laid out together

/** What is no Markdown, or too long for it. */
function PlainText({ text }: { text: string }) {
  const chunks = Array.from({ length: Math.ceil(text.length / PLAIN_CHUNK) }, (_, index) =>
    text.slice(index * PLAIN_CHUNK, (index + 1) * PLAIN_CHUNK),
  );
  return (
    <div class="plain-text">
      {chunks.map((chunk, index) => (
        <span key={index}>{fullyVisible(chunk)}</span>
      ))}
    </div>
  );
}

const MAX_DEPTH = 24; // each level costs stack, and deeper ones leave no width

interface TokensProps {
  tokens: readonly Token[];
  depth?: number;
}

const Blocks = ({ tokens, depth = 0 }: TokensProps) => (
  <>
    {depth > MAX_DEPTH
      ? tokens.map(({ raw }) => raw).join('')
      : tokens.map((token, index) => <BlockOf key={index} token={token} depth={depth + 1} />)}
  </>
);

function BlockOf({ token, depth }: { token: Token; depth: number }): ComponentChildren {
  switch (token.type) {
    // The library gives each type its own shape; the casts name it.
    case 'space':
    case 'def':
    case 'checkbox':
      return null;
    case 'heading':
      return <Heading token={token as Tokens.Heading} />;
    case 'list':
      return <List list={token as Tokens.List} depth={depth} />;
    case 'blockquote':
      return (
        <blockquote>
          <Blocks tokens={(token as Tokens.Blockquote).tokens} depth={depth} />
        </blockquote>
      );
    case 'code': {
      const { text, lang = '' } = token as Tokens.Code;
      return <Code language={lang} code={text} />;
    }
    case 'table':
      return <Table table={token as Tokens.Table} />;
    case 'hr':
      return <hr />;
    case 'html':
      return <p>{token.raw.trimEnd()}</p>;
    case 'text':
      return <Inline tokens={childrenOf(token) ?? [token]} />;
    default:
      return (
        <p>
          <Inline tokens={childrenOf(token) ?? [token]} />
        </p>
      );
  }
}

const childrenOf = (token: Token): readonly Token[] | undefined => ('tokens' in token ? token.tokens : undefined);

/** A level below those of the page, so that its outline stays whole. */
function Heading({ token: { depth, tokens } }: { token: Tokens.Heading }) {
  return (
    <div role="heading" aria-level={Math.min(6, depth + 2)} class={`heading heading-${depth}`}>
      <Inline tokens={tokens} />
    </div>
  );
}

function List({ list, depth }: { list: Tokens.List; depth: number }) {
  const items = list.items.map((item, index) => (
    <li key={index} class={item.task ? 'task' : undefined}>
      {item.task && <span aria-hidden="true">{item.checked ? '☑ ' : '☐ '}</span>}
      {item.task && <span class="unseen">{item.checked ? 'done: ' : 'open: '}</span>}
      <Blocks tokens={item.tokens} depth={depth} />
    </li>
  ));
  return list.ordered ? <ol start={list.start === '' ? 1 : list.start}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table }: { table: Tokens.Table }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th key={index} class={alignOf(table, index)}>
                <Inline tokens={cell.tokens} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index} class={alignOf(table, index)}>
                  <Inline tokens={cell.tokens} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const alignOf = ({ align }: Tokens.Table, index: number): string | undefined =>
  align[index] ? `align-${align[index]}` : undefined;

const Inline = ({ tokens, depth = 0 }: TokensProps) => (
  <>
    {depth > MAX_DEPTH
      ? tokens.map(({ raw }) => raw).join('')
      : tokens.map((token, index) => <Piece key={index} token={token} depth={depth + 1} />)}
  </>
);

function Piece({ token, depth }: { token: Token; depth: number }): ComponentChildren {
  const inner = childrenOf(token);
  const children = inner ? <Inline tokens={inner} depth={depth} /> : textOf(token);
  switch (token.type) {
    case 'strong':
      return <strong>{children}</strong>;
    case 'em':
      return <em>{children}</em>;
    case 'del':
      return <del>{children}</del>;
    case 'codespan':
      return <code>{textOf(token)}</code>;
    case 'br':
      return <br />;
    case 'html':
      return token.raw;
    case 'link':
      return <Address link={token as Tokens.Link} depth={depth} />;
    default:
      return children;
  }
}

const textOf = (token: Token): string => ('text' in token && typeof token.text === 'string' ? token.text : token.raw);

/** The address is always written out: a link must not hide its target. */
function Address({ link: { href, text, tokens }, depth }: { link: Tokens.Link; depth: number }) {
  const label = <Inline tokens={tokens} depth={depth} />;
  const isPlain = text === href || `mailto:${text}` === href;
  return (
    <>
      {isSafeAddress(href) ? (
        <a href={href} target="_blank" rel="noopener noreferrer">
          {label}
        </a>
      ) : (
        label
      )}
      {!isPlain && <span class="muted"> ({href})</span>}
    </>
  );
}
