import { shortened } from '../short-text.js';
import { always, naming, type RiskyProgram } from './form.js';
import { changesData, statementsOf } from './statements.js';

/** Options with which a client reads no statements at all. */
const ASKS_ONLY = /^(-l|--list|-V|--version|-\?|--help|-version|-help)$/;

export const databases: readonly RiskyProgram[] = [
  {
    names: 'mysqladmin',
    forms: [
      {
        on: /(^| )(ping|status|extended-status|processlist|variables|version)\b/,
        risk: always('network', 'notable', 'asks a database'),
      },
      { risk: naming(0, 'remote_change', 'high', 'changes a database server') },
    ],
  },
  {
    names: 'psql mysql mariadb sqlite3 sqlcmd clickhouse-client cockroach duckdb bq usql pgcli mycli',
    forms: [
      {
        when: (line) => statementsOf(line).includes('…'),
        risk: always('remote_change', 'high', 'runs statements on a database that are known only when it runs'),
      },
      {
        when: (line) => statementsOf(line).some(changesData),
        risk: (line) => {
          const statement = statementsOf(line).find(changesData);
          const verb = /^\s*(drop|truncate|delete)\b/i.test(statement ?? '') ? 'deletes from' : 'changes';
          return { kind: 'remote_change', level: 'high', text: `${verb} a database: ${shortened(statement)}` };
        },
      },
      {
        when: ({ options }) => options.some((option) => /^(-f|-i|--file|-init)/.test(option)),
        risk: always('remote_change', 'high', 'runs a file of statements on a database'),
      },
      {
        when: (line) =>
          statementsOf(line).length === 0 &&
          !/^(bq|cockroach)$/.test(line.name) &&
          !line.options.some((option) => ASKS_ONLY.test(option)),
        risk: always('remote_change', 'high', 'runs statements on a database that come from its input'),
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
    names:
      'rails rake artisan prisma sequelize sequelize-cli knex typeorm alembic flyway liquibase dbmate drizzle-kit manage.py django-admin',
    forms: [
      {
        on: /\b(db:(drop|reset|purge|migrate:reset)|migrate:?(fresh|reset|refresh)|migrate reset|db push|drop|flush|clean|downgrade|undo|rollback|revert)\b/,
        risk: naming(0, 'remote_change', 'high', 'can delete data of the database'),
      },
      {
        on: /^(release|publish)\b/,
        risk: always('publishes', 'high', 'publishes this package to the registry'),
      },
      {
        on: /\b(db:migrate|migrate|upgrade|up|update|push|latest)\b/,
        risk: naming(0, 'remote_change', 'notable', 'changes the database'),
      },
    ],
  },
];
