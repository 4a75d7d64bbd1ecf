export { LocalPostgres as TestPostgres, withoutPostgres } from '../../scripts/run-postgres.js';
