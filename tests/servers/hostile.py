"""Queries that want more than rows: of PostgreSQL and of DuckDB."""

from __future__ import annotations

SETTING = "case when set_config('{}', 'off', {}) = 'off' then {} else 0 end"
WRITES = (
    "wipe()",
    "wipe_definer()",
    "public.wipe()",
    '"wipe"()',
    "wipe ( )",
    "wipe/**/()",
    "lo_create(0)",
    "lo_creat(-1)",
    "lo_from_bytea(0, 'x')",
    "nextval('counter')",
    "setval('counter', 99)",
    "pg_advisory_lock(1)",
    "pg_try_advisory_lock(1)::int",
    "pg_notify('a', 'b')",
    "pg_sleep(0.01)",
    "pg_terminate_backend(pg_backend_pid())::int",
    "pg_cancel_backend(0)::int",
    "pg_reload_conf()::int",
    "pg_rotate_logfile()::int",
    "pg_switch_wal()",
    "pg_create_restore_point('x')",
    "pg_logical_emit_message(false, 'a', 'b')",
    "pg_stat_reset()",
    "pg_export_snapshot()",
    "set_config('default_transaction_read_only', 'off', false)",
    "set_config('transaction_read_only', 'off', true)",
    "set_config('session_replication_role', 'replica', false)",
    "set_config('role', 'reader', false)",
    "query_to_xml('delete from prey', true, true, '')",
    "cursor_to_xml('c', 1, true, true, '')",
    "pg_read_file('PG_VERSION')",
    "pg_read_file('/etc/passwd')",
    "pg_read_binary_file('/etc/passwd')",
    "pg_stat_file('/etc/passwd')",
    "lo_import('/etc/passwd')",
    "lo_export(1, '/tmp/steelyard-was-here')",
    "lo_unlink(1)",
    "lo_put(1, 0, 'x')",
    "pg_create_physical_replication_slot('x')",
    "pg_promote()",
    "pg_drop_replication_slot('x')",
    "currval('counter')",
    "setseed(0.5)",
    "plain_looking()",
    "hidden_in_cast('1')",
    "ts_stat('select wipe()')",
    *(
        SETTING.format(name, local, act)
        for name in ("default_transaction_read_only", "transaction_read_only")
        for local in ("true", "false")
        for act in ("wipe()", "stable_wipe()")
    ),
)
"""Expressions, each of which is put at several places of a query."""
PLACES = (
    "select y, p from rows where {} is not null",
    "select y, p + 0 * coalesce(length(({})::text), 0) as p from rows",
)
STATEMENTS = (
    "delete from prey returning 1 as y, 0.5 as p",
    "insert into prey values (9) returning 1 as y, 0.5 as p",
    "update prey set x = 9",
    "truncate prey",
    "drop table prey",
    "create table thief as select * from rows",
    "select y, p into thief from rows",
    "select y, p from rows; delete from prey",
    "select y, p from rows;;delete from prey;",
    "select y, p from rows; commit; delete from prey",
    "select y, p from rows -- x\rwhere wipe() is not null",
    "select y, p, 1 as x$a$, wipe() as z, 2 as y$a$ from rows",
    "select y, p, 1 as x$a$ from rows; delete from prey; select 1 as y$a$",
    "with gone as (delete from prey returning x) select y, p from rows",
    "with gone as (insert into prey values (9) returning x) select y, p from rows, gone",
    "with gone as (update prey set x = 9 returning x) select y, p from rows, gone",
    "with gone as/**/(/**/delete/**/from prey returning x) select y, p from rows",
    "with gone as materialized (\ndelete\nfrom prey returning x) select y, p from rows",
    "select y, p from rows for update",
    "select y, p from rows for share",
    "select y, p from rows for no key update",
    "copy rows to '/tmp/steelyard-was-here'",
    "copy (select 1) to program 'touch /tmp/steelyard-was-here'",
    "copy prey from program 'echo 9'",
    "do $$ begin delete from prey; end $$",
    "do 'begin perform wipe(); end'",
    "call wipe_procedure()",
    "explain analyze delete from prey",
    "begin; delete from prey; commit",
    "set default_transaction_read_only = off",
    "set transaction read write; select y, p from rows",
    "set session characteristics as transaction read write",
    "reset all",
    "listen a",
    "notify a",
    "vacuum prey",
    "analyze prey",
    "lock table prey",
    "grant all on prey to reader",
    "alter table prey add column z int",
    "prepare s as delete from prey",
    "execute s",
    "declare c cursor for select 1",
    "load 'auto_explain'",
    "merge into prey using rows on false when not matched then insert values (1)",
    "table prey; drop table prey",
    "values (wipe(), 1), (0, 0)",
    "select y, p from rows) as q; delete from prey; select * from (select 1 as y, 0.5 as p",
    "select y, p from rows union all select wipe(), 0.5",
    "select y, p from rows order by wipe()",
    "select y, p from rows group by 1, 2 having wipe() is not null",
    "select y, p from rows limit (select wipe())",
    "select distinct on (wipe()) y, p from rows",
    "select y, sum(p) over (partition by wipe()) as p from rows",
    "select y, p from rows, wipe() as w",
    "select y, p from rows, lateral (select wipe() as w) as l",
    "select y, p from rows where exists (select wipe())",
    "select y, p from rows where (select (t).wipe_row from prey t limit 1) is not null",
    "select y, p from rows where 1 ### 2",
    'select y, p, U&"\\0077ipe"() from rows',
    "select y, p from rows tablesample system (100) where wipe() is not null",
    "select y, p from rows where stable_wipe() is not null",
    "select y, p from wiping_view",
    "select y, p from stable_view",
    "with recursive r(n) as (select wipe() union all select n + 1 from r where n < 3) select y, p from rows, r",
)
QUERIES = [place.format(text) for text in WRITES for place in PLACES] + list(STATEMENTS)

PREPARED = """
create table rows (y int, p double precision);
insert into rows select i % 2, (i % 7) / 7.0 from generate_series(1, 40) i;
create table prey (x int);
insert into prey select generate_series(1, 5);
create sequence counter;
select nextval('counter');
create function wipe() returns int language plpgsql as $$ begin delete from prey; return 1; end $$;
create function wipe_definer() returns int security definer language plpgsql as $$ begin delete from prey; return 1; end $$;
create function stable_wipe() returns int stable language sql as $$ select wipe() $$;
create function wipe_row(prey) returns int language plpgsql as $$ begin delete from prey; return 1; end $$;
create function plain_looking() returns int language sql as $$ select wipe() $$;
create function hidden_in_cast(text) returns int language sql as $$ select wipe() $$;
create function wipe_operator(int, int) returns boolean language plpgsql as $$ begin delete from prey; return true; end $$;
create operator ### (leftarg = int, rightarg = int, function = wipe_operator);
create procedure wipe_procedure() language plpgsql as $$ begin delete from prey; end $$;
create view wiping_view as select y, p from rows where wipe() is not null;
create view stable_view as select y, p from rows where stable_wipe() is not null;
"""
HERE = "relnamespace = 'public'::regnamespace"
DUMP = f"""
select 'rows', md5(string_agg(t::text, ',' order by t::text)) from rows t union all
select 'prey', md5(coalesce(string_agg(t::text, ',' order by t::text), '')) from prey t union all
select 'counter', last_value::text || is_called::text from counter union all
select 'objects', count(*)::text from pg_largeobject_metadata union all
select 'relations', md5(string_agg(relname::text, ',' order by relname)) from pg_class where {HERE} union all
select 'functions', count(*)::text from pg_proc union all
select 'grants',
  md5(string_agg(relname::text || coalesce(relacl::text, ''), ',' order by relname)) from pg_class where {HERE} union all
select 'settings', md5(coalesce(string_agg(s::text, ',' order by s::text), '')) from pg_db_role_setting s union all
select 'slots', count(*)::text from pg_replication_slots union all
select 'locks', count(*)::text from pg_locks where locktype = 'advisory'
"""
