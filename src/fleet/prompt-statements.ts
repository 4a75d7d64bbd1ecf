// The statements about prompts that are longer than a few lines.
import { notify } from './signals.js';

/**
 * A session keeps its project and its folder; the first prompt names it. A prompt counts for its actor and its project on the
 * day, unless it was sent before.
 */
export const ACCEPT = `
  with known as (
    select from helve.prompt where session = $1 and id = $4
  ), project as (
    select per_day from helve.project where name = $2 and per_day is not null
  ), of_actor as (
    insert into helve.used as u (scope, day, prompts)
    select 'actor ' || $6, (now() at time zone 'utc')::date, 1
    where $10::integer is not null and not exists (select from known)
    on conflict (scope, day) do update set prompts = u.prompts + 1 where u.prompts < $10
    returning scope
  ), of_project as (
    insert into helve.used as u (scope, day, prompts)
    select 'project ' || $2, (now() at time zone 'utc')::date, 1 from project
    where not exists (select from known) and ($10::integer is null or exists (select from of_actor))
    on conflict (scope, day) do update set prompts = u.prompts + 1 where u.prompts < (select per_day from project)
    returning scope
  ), within as (
    select where exists (select from known) or (($10::integer is null or exists (select from of_actor))
      and (not exists (select from project) or exists (select from of_project)))
  ), made as (
    insert into helve.session as s (id, epoch, project, title, root, repository, ref)
    select $1, 0, $2, $3, $11, $12, $13 from within
    on conflict (id) do update set changed_at = now() returning id, project
  ), added as (
    insert into helve.prompt (session, project, id, priority, actor, key_id, content, actor_limit)
    select made.id, made.project, $4, $5, $6, $7, $8, $9 from made
    on conflict (session, id) do nothing returning id
  )
  select exists (select from added) as is_new, exists (select from within) as is_within,
    ${notify('due', '$1')}, ${notify('changed', '$1')}`;

export const END_CANCELLED = `
  update helve.prompt set ended_at = now(), outcome = 'interrupted'
  where cancelled_at is not null and begun_at is null and ended_at is null and not is_queued
  returning ${notify('changed', 'session')}`;

/**
 * At most $1 prompts of a project, or as many as its row says, are queued or run at a time, and at most as many of an actor as
 * its prompts say, apart from those of lost workers. Reads no more than these: every worker asks once a second, and many
 * thousands may wait. `projects` steps from one project to the next in the index of what waits.
 */
export const DUE = `
  with recursive projects (project) as (
    select min(project) from helve.prompt where ended_at is null and not is_queued
    union all
    select (select min(p.project) from helve.prompt p
      where p.ended_at is null and not p.is_queued and p.project > projects.project)
    from projects where projects.project is not null
  ), busy as (
    select project, count(*) as prompts from helve.prompt where ended_at is null and is_queued group by project
  ), busy_actor as (
    select actor, count(*) as prompts from helve.prompt where ended_at is null and is_queued group by actor
  ), waiting as (
    select p.*, coalesce(b.prompts, 0) - 1
      + row_number() over (partition by p.project order by p.priority desc, p.number) as ahead
    from projects left join busy b on b.project = projects.project
      left join helve.project r on r.name = projects.project
      cross join lateral (
        select * from helve.prompt w
        where w.project = projects.project and w.ended_at is null and not w.is_queued and not exists (
          select from helve.prompt e where e.session = w.session and e.ended_at is null and e.number < w.number)
        order by w.priority desc, w.number
        limit greatest(least($1::bigint, r.running) - coalesce(b.prompts, 0), 0)
      ) p
  ), lost as (
    select p.*, coalesce(b.prompts, 0) as ahead from helve.prompt p left join busy b on b.project = p.project
    where p.ended_at is null and not p.is_queued and p.begun_at is not null
      and not exists (select from waiting w where w.session = p.session and w.id = p.id)
  ), due as (
    select o.*, coalesce(a.prompts, 0) - 1
      + row_number() over (partition by o.actor order by o.priority desc, o.number) as of_actor
    from (select * from waiting union all select * from lost) o left join busy_actor a on a.actor = o.actor
  )
  select session, id, number, attempt, priority, ahead, begun_at is not null as has_begun from due
  where begun_at is not null or actor_limit is null or of_actor < actor_limit order by number`;

export const RETRY = `
  with tried as (
    update helve.prompt set is_queued = false, attempt = attempt + 1,
      losses = losses + case when $4::integer is null then 0 else 1 end,
      ended_at = case when losses + 1 >= $4 then now() end, outcome = case when losses + 1 >= $4 then 'error' end,
      problem = case when losses + 1 >= $4 then $5 end
    where session = $1 and id = $2 and attempt = $3 and ended_at is null
    returning session, ended_at, ${notify('due', 'session')}, ${notify('changed', 'session')}
  )
  update helve.session set state = 'failed', worker = null, changed_at = now()
  from tried where tried.ended_at is not null and id = tried.session`;

export const REMOVE_OLD = `
  with old as (delete from helve.worker where lost_at < now() - make_interval(days => $1)),
  used as (delete from helve.used where day < (now() at time zone 'utc')::date - 7)
  delete from helve.session s
  where greatest(s.written_at, s.changed_at) < now() - make_interval(days => $1) and s.worker is null
    and not exists (select from helve.prompt p where p.session = s.id and p.ended_at is null)`;

export const SESSIONS = `
  select s.id, s.title, s.project, s.root, s.repository, s.ref, s.state, s.worker, s.changed_at,
    (select count(*) from helve.prompt p where p.session = s.id and p.ended_at is null) as open_prompts
  from helve.session s order by s.changed_at desc`;
