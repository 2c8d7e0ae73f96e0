-- Names of our own for what the extensions bring, which live in a schema that differs from server to server: nothing of ours
-- has to name that schema, and no search_path has to trust it. An operator here is the extension's own function, so it
-- costs no more than the extension's operator does.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;

do $$
declare
  vector  text := (select quote_ident(nspname) from pg_extension join pg_namespace n on n.oid = extnamespace where extname = 'vector');
  trgm    text := (select quote_ident(nspname) from pg_extension join pg_namespace n on n.oid = extnamespace where extname = 'pg_trgm');
begin
  execute format('create domain vec as %s.halfvec', vector);
  execute format('create domain sparse as %s.sparsevec', vector);
  -- 1 - cosine; minus the inner product; how many bits differ; 1 - the share of trigrams in common.
  execute format('create operator <=> (leftarg = %1$s.halfvec, rightarg = %1$s.halfvec, function = %1$s.cosine_distance)', vector);
  execute format('create operator <#> (leftarg = %1$s.sparsevec, rightarg = %1$s.sparsevec, function = %1$s.sparsevec_negative_inner_product)', vector);
  execute format('create operator <~> (leftarg = bit, rightarg = bit, function = %s.hamming_distance)', vector);
  execute format('create operator <-> (leftarg = text, rightarg = text, function = %s.similarity_dist)', trgm);
  execute format('create function dimensions(v vec) returns integer language sql immutable parallel safe return %s.vector_dims(v)', vector);
  execute format('create function norm(v vec) returns double precision language sql immutable parallel safe return %s.l2_norm(v)', vector);
  execute format('create function signs(v vec) returns bit varying language sql immutable parallel safe return %s.binary_quantize(v)', vector);
end $$;
grant execute on function dimensions, norm, signs to memoranda_rules;

reset role;
