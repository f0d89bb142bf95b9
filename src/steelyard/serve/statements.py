"""All that is asked of the store of a service: its tables, and every statement, for SQLite and PostgreSQL alike.

What differs between the two stands in braces: {serial} numbers rows, {bytes} holds bytes, {flat} keeps a table in its key,
{ids} is a list of texts, given as JSON, {seal:a,b} keeps a checksum of some columns beside them, where the store has none of
its own, {share} keeps a row as it is until the transaction ends, where others write as well, and {alone} keeps it from being
shared. Everything else is what both understand. A cross join has SQLite go through the list first: the other way round it
would read the list once for each row of the table.
"""

from __future__ import annotations

import re

LEVEL = 2
"""The form of these tables; a store of a later one is refused, and one of an earlier one is brought to this."""

SEALED = {
    "models": "model,declared,baseline,changed",
    "baselines": "model,hash,body,made",
    "streams": "stream,model,version",
    "parts": "part,stream,start,held,digest",
    "labels": "model,id,known,value,came",
    "windows": "stream,start,stop,name,came,counted,revision,held,labelled,baseline,over,closed,digest",
    "history": "stream,start,revision,at,body",
    "batches": "who,key,digest,status,answer,at",
    "tokens": "token,digest,scopes,model,made,ends,revoked",
    "alarms": "stream,state,changed",
    "notices": "stream,key,body,made,due,tries,sent,dead,why",
    "audit": "at,who,what,about",
    "exposures": "model,trial,id,arm,at,came",
}
"""Tables whose rows are sealed, and what their seal is about; bodies of parts and of windows have a digest of their own."""

TABLES = (
    "create table if not exists facts (name text primary key, value text not null)",
    "create table if not exists models (model text primary key, declared text not null, baseline text, "
    "changed bigint not null{seal:models})",
    "create table if not exists baselines (model text, hash text, body {bytes} not null, made bigint not null{seal:baselines}, "
    "primary key (model, hash))",
    "create table if not exists streams (stream {serial}, model text not null, version text not null{seal:streams}, "
    "unique (model, version))",
    "create table if not exists parts (part bigint primary key, stream bigint not null, start bigint not null, "
    "held bigint not null, digest text not null, body {bytes} not null{seal:parts})",
    "create index if not exists parts_of_windows on parts (stream, start)",
    "create table if not exists keys (stream bigint, id text, part bigint not null, primary key (stream, id)) {flat}",
    "create table if not exists labels (model text, id text, known bigint, value text, came bigint not null{seal:labels}, "
    "primary key (model, id, known, value)) {flat}",
    "create table if not exists windows (stream bigint, start bigint, stop bigint not null, name text not null, "
    "came bigint not null, counted bigint not null, revision bigint not null, held bigint not null, "
    "labelled bigint not null, baseline text, over bigint not null, closed bigint, digest text, body {bytes}{seal:windows}, "
    "primary key (stream, start))",
    "create table if not exists history (stream bigint, start bigint, revision bigint, at bigint not null, "
    "body {bytes} not null{seal:history}, primary key (stream, start, revision))",
    "create table if not exists batches (who text, key text, digest text not null, status bigint not null, "
    "answer text not null, at bigint not null{seal:batches}, primary key (who, key))",
    "create table if not exists tokens (token text primary key, digest text not null, scopes text not null, "
    "model text, made bigint not null, ends bigint, revoked bigint{seal:tokens})",
    "create table if not exists alarms (stream bigint primary key, state text not null, "
    "changed bigint not null{seal:alarms})",
    "create table if not exists faces (stream bigint primary key, body text not null, at bigint not null)",
    "create table if not exists notices (notice {serial}, stream bigint not null, key text not null unique, "
    "body text not null, made bigint not null, due bigint not null, tries bigint not null, sent bigint, dead bigint, "
    "why text{seal:notices})",
    "create index if not exists notices_due on notices (due)",
    "create table if not exists audit (entry {serial}, at bigint not null, who text not null, what text not null, "
    "about text not null{seal:audit})",
    "create table if not exists aside (part bigint primary key, stream bigint not null, start bigint not null, "
    "at bigint not null, why text not null, body {bytes})",
    "create table if not exists exposures (model text, trial text, id text, arm text, at bigint not null, "
    "came bigint not null{seal:exposures}, primary key (model, trial, id)) {flat}",
)
FIRST_FORM = tuple(re.sub(r"\{seal:\w+\}", "", text) for text in TABLES[:-2])
"""The tables of form 1, which had no seals."""

# Whether what is held is what was written ------------------------------------------------------------------------------
BROKEN = {t: f"select count(*) from {t} where seal is not seal({columns})" for t, columns in SEALED.items()}
FORM = "select value from facts where name = 'level'"
IS_THERE = "select 1 from sqlite_master where name = 'facts'"
NAMED_IN_PARTS = "select part, count(*), sum(seal(id)) from keys group by part"
BODIES = "select part, stream, start, held, digest, body from parts order by part"
BODIES_OF_WINDOWS = "select stream, start, digest, body, closed from windows where body is not null"
TO_OLD = {t: f"alter table {t} rename to old_{t}" for t in SEALED}
FROM_OLD = {t: f"insert into {t} ({{columns}}) select {{columns}} from old_{t}" for t in SEALED}
DROP_OLD = {t: f"drop table old_{t}" for t in SEALED}
COLUMNS_OF = "select name from pragma_table_info(?)"

HELD = (
    "select count(*) from models",
    "select count(*) from windows",
    "select coalesce(sum(held), 0) from parts",
    "select count(*) from labels",
)

# What was damaged and is set aside -------------------------------------------------------------------------------------
SET_ASIDE = "insert into aside (part, stream, start, at, why, body) values (?, ?, ?, ?, ?, ?) on conflict do nothing"
ASIDE = (
    "select a.part, s.model, s.version, w.name, a.at, a.why, (select count(*) from keys k where k.part = a.part) "
    "from aside a left join streams s on s.stream = a.stream left join windows w on w.stream = a.stream and "
    "w.start = a.start order by a.part"
)
ASIDE_OF = "select part from aside where stream = ? and start in (?, 0)"
ASIDE_IN = "select part from aside where stream = ?"
ASIDE_PART = "select stream, start from aside where part = ?"
TAKEN_AGAIN = "delete from aside where part > 0 and not exists (select 1 from keys k where k.part = aside.part)"
FORGET_ASIDE = "delete from aside where part = ?"
FORGET_KEYS = "delete from keys where part = ?"
LOST_KEYS = (
    "select k.part, min(k.stream) from keys k where not exists (select 1 from parts p where p.part = k.part) "
    "and not exists (select 1 from aside a where a.part = k.part) group by k.part"
)
PUT_KEYS = (
    "insert into keys (stream, id, part) select ?, j.value, ? from {ids} j where true "
    "on conflict (stream, id) do update set part = excluded.part"
)

# Facts ----------------------------------------------------------------------------------------------------------------
FACT = "select value from facts where name = ?"
SET_FACT = "insert into facts (name, value) values (?, ?) on conflict (name) do update set value = excluded.value"

# Models and their baselines -------------------------------------------------------------------------------------------
MODELS = "select model, declared, baseline, changed from models order by model"
MODEL = "select declared, baseline, changed from models where model = ?"
KEPT_MODEL = MODEL + "{share}"
ALONE_WITH_MODEL = MODEL + "{alone}"
SET_MODEL = (
    "insert into models (model, declared, baseline, changed) values (?, ?, ?, ?) on conflict (model) do update set "
    "declared = excluded.declared, baseline = excluded.baseline, changed = excluded.changed"
)
DROP_MODEL = (
    "delete from parts where stream in (select stream from streams where model = ?)",
    "delete from keys where stream in (select stream from streams where model = ?)",
    "delete from aside where stream in (select stream from streams where model = ?)",
    "delete from windows where stream in (select stream from streams where model = ?)",
    "delete from history where stream in (select stream from streams where model = ?)",
    "delete from alarms where stream in (select stream from streams where model = ?)",
    "delete from notices where stream in (select stream from streams where model = ?)",
    "delete from faces where stream in (select stream from streams where model = ?)",
    "delete from streams where model = ?",
    "delete from labels where model = ?",
    "delete from exposures where model = ?",
    "delete from baselines where model = ?",
    "delete from models where model = ?",
)
ADD_BASELINE = "insert into baselines (model, hash, body, made) values (?, ?, ?, ?) on conflict do nothing"
BASELINE = "select body from baselines where model = ? and hash = ?"
BASELINES = "select hash, made from baselines where model = ? order by made, hash"
STREAMS = "select stream, version from streams where model = ? order by version"
STREAM = "select stream from streams where model = ? and version = ?"
ADD_STREAM = "insert into streams (model, version) values (?, ?) on conflict do nothing"
ALL_STREAMS = "select stream, model, version from streams order by stream"

# Rows that wait: parts of columns, and which part holds which row -----------------------------------------------------
KNOWN_KEYS = "select k.id, k.part from {ids} j cross join keys k where k.stream = ? and k.id = j.value"
ADD_KEYS = "insert into keys (stream, id, part) select ?, j.value, ? from {ids} j where true"
MOVE_KEYS = "delete from keys where stream = ? and id in (select j.value from {ids} j)"
ADD_PART = "insert into parts (part, stream, start, held, digest, body) values (?, ?, ?, ?, ?, ?)"
SET_PART = "update parts set held = ?, digest = ?, body = ? where part = ?"
PART = "select stream, start, digest, body from parts where part = ?"
DROP_PART = "delete from parts where part = ?"
PARTS_OF_WINDOW = "select part from parts where stream = ? and start = ? order by part"
ROWS_OF_WINDOW = "select coalesce(sum(held), 0) from parts where stream = ? and start = ?"
LITTLE_PARTS = "select part, digest, body from parts where stream = ? and start = ? and held <= ? order by part limit ?"
DIGESTS_OF_WINDOW = "select part, digest from parts where stream = ? and start = ?"
MOVE_TO_PART = "update keys set part = ? where stream = ? and id in (select j.value from {ids} j)"
DROP_THESE = "delete from parts where part in (select cast(j.value as bigint) from {ids} j)"
PARTS_OF_STREAM = "select part from parts where stream = ? order by part"
PARTS = "select part, stream, start, held from parts order by part"
DROP_PARTS = "delete from parts where stream = ? and start = ?"
WAITING = "select count(*), coalesce(sum(held), 0), coalesce(sum(length(body)), 0) from parts"
KEYS_OF_PARTS = "select part, count(*) from keys group by part"
OLDEST_WINDOWS = (
    "select p.stream, p.start, sum(length(p.body)) from parts p join windows w on w.stream = p.stream and "
    "w.start = p.start "
    "where w.over = 1 and w.came = w.counted group by p.stream, p.start order by p.start"
)

# Labels ---------------------------------------------------------------------------------------------------------------
KNOWN_LABELS = "select l.id, l.known, l.value from {ids} j cross join labels l where l.model = ? and l.id = j.value"
ADD_LABEL = "insert into labels (model, id, known, value, came) values (?, ?, ?, ?, ?) on conflict do nothing"
TOUCHED = (
    "select distinct k.stream, p.start from {ids} j cross join streams s cross join keys k cross join parts p "
    "where s.model = ? and k.stream = s.stream and k.id = j.value and p.part = k.part"
)
OLD_LABELS = (
    "delete from labels where model = ? and came < ? and not exists (select 1 from streams s join keys k on "
    "k.stream = s.stream and k.id = labels.id where s.model = labels.model) "
    "and id not in (select e.id from exposures e where e.model = ?)"
)
KNOWN_EXPOSURES = (
    "select e.id, e.arm from {ids} j cross join exposures e where e.model = ? and e.trial = ? and e.id = j.value"
)
ADD_EXPOSURE = (
    "insert into exposures (model, trial, id, arm, at, came) values (?, ?, ?, ?, ?, ?) on conflict do nothing"
)
EXPOSURES = "select id, arm, at from exposures where model = ? and trial = ? order by at, id"
EXPOSED = "select trial, arm, count(*), max(at) from exposures where model = ? group by trial, arm order by trial, arm"
LABELS_OF = "select count(*), max(came) from labels where model = ?"
OLD_EXPOSURES = "delete from exposures where model = ? and trial = ?"
ERASED_ASIDE = "update aside set body = null where stream = ?"
SURELY, AS_EVER = "pragma secure_delete = on", "pragma secure_delete = fast"
DROP_EXPOSURES = "delete from exposures where model = ? and id in (select j.value from {ids} j)"
DROP_LABELS = "delete from labels where model = ? and id in (select j.value from {ids} j)"
LABELS_WITHOUT_ROWS = (
    "select count(*) from labels where not exists (select 1 from streams s join keys k on k.stream = s.stream "
    "and k.id = labels.id where s.model = labels.model)"
)

# Windows --------------------------------------------------------------------------------------------------------------
TOUCH_WINDOW = (
    "insert into windows (stream, start, stop, name, came, counted, revision, held, labelled, over) "
    "values (?, ?, ?, ?, 1, 0, 0, 0, 0, 0) on conflict (stream, start) do update set came = windows.came + 1"
)
TOUCH_ALL = (
    "update windows set came = came + 1 where closed is null and stream in (select stream from streams where model = ?)"
)
WINDOW = (
    "select name, stop, came, counted, revision, held, labelled, baseline, over, closed, digest, body from "
    "windows where stream = ? and start = ?"
)
WINDOWS = (
    "select start, stop, name, came, counted, revision, held, labelled, baseline, over, closed, digest from windows "
    "where stream = ? order by start"
)
WINDOW_NAMED = "select start from windows where stream = ? and name = ?"
STALE = "select stream, start from windows where came > counted order by stream, start"
STALE_OF = "select start from windows where stream = ? and came > counted order by start"
CLOSED = "select start, closed from windows where stream = ? and closed is not null"
SET_WINDOW = (
    "update windows set counted = ?, revision = ?, held = ?, labelled = ?, baseline = ?, over = ?, digest = ?, "
    "body = ? "
    "where stream = ? and start = ? and counted < ?"
)
PUT_WINDOW = (
    "insert into windows (stream, start, stop, name, came, counted, revision, held, labelled, baseline, over, "
    "closed, digest, body) "
    "values (?, ?, ?, ?, 1, 1, ?, ?, ?, ?, 1, ?, ?, ?) on conflict (stream, start) do update set revision = "
    "excluded.revision, "
    "held = excluded.held, labelled = excluded.labelled, baseline = excluded.baseline, digest = "
    "excluded.digest, body = excluded.body"
)
CLOSE_WINDOW = "update windows set closed = ? where stream = ? and start = ? and came = counted and closed is null"
DROP_WINDOW = "delete from windows where stream = ? and start = ?"
ADD_HISTORY = "insert into history (stream, start, revision, at, body) values (?, ?, ?, ?, ?) on conflict do nothing"
HISTORY = "select revision, at, body from history where stream = ? and start = ? order by revision"
TRIM_HISTORY = "delete from history where stream = ? and start = ? and revision <= ?"

# Answers that were given, tokens, alarms, notices, audit --------------------------------------------------------------
ANSWER = "select digest, status, answer from batches where who = ? and key = ?"
ANSWERED = "select distinct who from batches"
FORGET_ANSWERS = "delete from batches where who = ?"
ADD_ANSWER = "insert into batches (who, key, digest, status, answer, at) values (?, ?, ?, ?, ?, ?)"
OLD_ANSWERS = "delete from batches where at < ?"
TOKENS = "select token, scopes, model, made, ends, revoked from tokens order by made, token"
TOKEN = "select digest, scopes, model, ends, revoked from tokens where token = ?"
ADD_TOKEN = "insert into tokens (token, digest, scopes, model, made, ends) values (?, ?, ?, ?, ?, ?)"
REVOKE = "update tokens set revoked = ? where token = ? and revoked is null"
ALARMS = "select state from alarms where stream = ?"
SET_ALARMS = (
    "insert into alarms (stream, state, changed) values (?, ?, ?) on conflict (stream) do update set "
    "state = excluded.state, changed = excluded.changed"
)
ALL_ALARMS = "select stream, state from alarms"
SET_FACE = (
    "insert into faces (stream, body, at) values (?, ?, ?) on conflict (stream) do update set body = excluded.body, "
    "at = excluded.at"
)
FACES = "select stream, body, at from faces"
FACE = "select body, at from faces where stream = ?"
PULSE = (
    "select (select coalesce(max(changed), 0) from alarms), (select coalesce(max(at), 0) from faces), "
    "(select coalesce(max(changed), 0) from models), (select coalesce(max(entry), 0) from audit)"
)
ADD_NOTICE = (
    "insert into notices (stream, key, body, made, due, tries) values (?, ?, ?, ?, ?, 0) on conflict do nothing"
)
NOTICES_DUE = (
    "select notice, key, body, tries from notices where sent is null and dead is null and due <= ? order by "
    "notice limit 100"
)
NOTICES = (
    "select n.notice, s.model, s.version, n.body, n.made, n.tries, n.sent, n.dead, n.why from notices n join "
    "streams s on s.stream = n.stream where n.notice < ? order by n.notice desc limit ?"
)
SENT = "update notices set sent = ?, tries = tries + 1 where notice = ?"
RETRY = "update notices set due = ?, tries = tries + 1, why = ? where notice = ?"
DEAD = "update notices set dead = ?, tries = tries + 1, why = ? where notice = ?"
ADD_AUDIT = "insert into audit (at, who, what, about) values (?, ?, ?, ?)"
SAID_OF_ALARMS = (
    "select at, who, what, about from audit where what in ('acknowledge', 'mute', 'unmute') order by entry desc limit ?"
)
AUDIT = "select entry, at, who, what, about from audit where entry < ? order by entry desc limit ?"

# Transactions, and what a store is told when it is opened -------------------------------------------------------------
BEGIN = {"sqlite": "begin immediate", "postgresql": "begin"}
SNAPSHOT = {"sqlite": "begin", "postgresql": "begin isolation level repeatable read read only"}
COMMIT, ROLLBACK = "commit", "rollback"
SAVEPOINT, RELEASE, BACK = "savepoint job", "release savepoint job", "rollback to savepoint job"
DURABLE = (
    "pragma journal_mode = wal",
    "pragma synchronous = full",
    "pragma busy_timeout = 10000",
    "pragma cell_size_check = on",
    "pragma journal_size_limit = 67108864",
    "pragma temp_store = memory",
    "pragma secure_delete = fast",
)
READ_ONLY = "pragma query_only = on"
ONE_FILE = "pragma journal_mode = delete"
PASS_LOG = "pragma wal_checkpoint(passive)"
QUICK_CHECK = "pragma quick_check(20)"
EMPTY_WAL = "pragma wal_checkpoint(truncate)"
LEADER = "select pg_try_advisory_lock(hashtext('steelyard ' || current_schema()))"
ALIVE = "select 1 as here"
