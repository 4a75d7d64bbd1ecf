import type { CommandLine } from '../command-line.js';
import { always, naming, type RiskyProgram } from './form.js';

const SQL_CHANGE = /\b(drop|truncate|delete|alter|update|insert|replace|grant|revoke|create|merge|vacuum)\b/i;

/** A statement on one line, short enough for a question. */
const statement = ({ words }: CommandLine): string => {
  const text = (words.find((word) => SQL_CHANGE.test(word)) ?? '').replace(/\s+/g, ' ').trim();
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
};

export const databases: readonly RiskyProgram[] = [
  {
    names: 'psql mysql mariadb sqlite3 sqlcmd mysqladmin clickhouse-client cockroach duckdb bq usql pgcli mycli',
    forms: [
      {
        when: (line) => SQL_CHANGE.test(line.words.join(' ')),
        risk: (line) => ({ kind: 'remote_change', level: 'high', text: `changes a database: ${statement(line)}` }),
      },
      {
        when: ({ options }) => options.some((option) => /^(-f|--file)/.test(option)),
        risk: always('remote_change', 'high', 'runs a file of statements on a database'),
      },
      { when: ({ name }) => !/^(sqlite3|duckdb)$/.test(name), risk: always('network', 'notable', 'asks a database') },
    ],
  },
  {
    names: 'dropdb dropuser createdb createuser pg_restore mongorestore mysqlimport',
    forms: [{ risk: naming(0, 'remote_change', 'high', 'changes a database server') }],
  },
  {
    names: 'pg_dump pg_dumpall mysqldump mongodump',
    forms: [{ risk: naming(0, 'secrets', 'notable', 'copies the content of a database') }],
  },
  {
    names: 'mongosh mongo',
    forms: [
      {
        when: ({ words }) => /(?:drop|delete|remove|update|insert|replace)\w{0,40}\(/i.test(words.join(' ')),
        risk: always('remote_change', 'high', 'changes a database'),
      },
      { risk: always('network', 'notable', 'asks a database') },
    ],
  },
  {
    names: 'redis-cli valkey-cli',
    forms: [
      {
        on: /(^| )(flushall|flushdb|del|unlink|set|hset|config set|shutdown|rename|expire)\b/i,
        risk: naming(0, 'remote_change', 'high', 'changes a database'),
      },
      { risk: always('network', 'notable', 'asks a database') },
    ],
  },
  {
    names: 'rails rake artisan prisma sequelize knex typeorm alembic flyway liquibase dbmate drizzle-kit',
    forms: [
      {
        on: /\b(db:(drop|reset|purge|migrate:reset)|migrate:?(fresh|reset|refresh)|migrate reset|db push|drop|clean|downgrade|undo|rollback|revert)\b/,
        risk: naming(0, 'remote_change', 'high', 'can delete data of the database'),
      },
      {
        on: /\b(db:migrate|migrate|upgrade|up|update|push|latest)\b/,
        risk: naming(0, 'remote_change', 'notable', 'changes the database'),
      },
    ],
  },
];
