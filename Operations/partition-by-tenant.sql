-- Splits the tables of a zone server's storage by their tenant (a container in an environment), into 16 parts each.
--
--     psql "postgres://zones@db/zones" -v ON_ERROR_STOP=1 -f partition-by-tenant.sql
--
-- Stop all servers first, and back up. The rows that are there go along, so it takes as long as writing them once. Where
-- the tables have another schema than backstitch_zones, change the next line. PostgreSQL 14 or newer. It is one
-- transaction: after an error everything is as it was.
BEGIN;
SET LOCAL search_path = backstitch_zones;

DO $partition$
DECLARE
    parts constant int := 16;
    split regclass;
    name text;
    definition text;
    keys text[] := '{}';
    after_rows text[];
    options text;
BEGIN
    -- References between tables are made again at the end.
    FOR definition, split, name IN
        SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', c.relname, k.conname, pg_get_constraintdef(k.oid)),
            c.oid::regclass, k.conname
        FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid
        WHERE k.contype = 'f' AND c.relnamespace = current_schema()::regnamespace AND k.conparentid = 0
    LOOP
        keys := keys || definition;
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', split, name);
    END LOOP;

    -- All tables that have a tenant, but the one that names the tenants.
    FOR split, name, options IN
        SELECT c.oid::regclass, c.relname, coalesce(' WITH (' || array_to_string(c.reloptions, ', ') || ')', '')
        FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
        WHERE c.relkind = 'r' AND NOT c.relispartition AND c.relnamespace = current_schema()::regnamespace
            AND c.relname <> 'tenant'
        ORDER BY c.relname
    LOOP
        -- Keys, indexes and triggers keep their names, which a later version may ask for.
        SELECT coalesce(array_agg(made), '{}') INTO after_rows FROM (
            SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', name, k.conname, pg_get_constraintdef(k.oid)) AS made
            FROM pg_constraint AS k WHERE k.conrelid = split AND k.contype IN ('p', 'u')
            UNION ALL SELECT pg_get_indexdef(i.indexrelid) FROM pg_index AS i
            WHERE i.indrelid = split AND NOT EXISTS (
                SELECT 1 FROM pg_constraint AS k WHERE k.conindid = i.indexrelid AND k.conrelid = split)
            UNION ALL SELECT pg_get_triggerdef(t.oid) FROM pg_trigger AS t
            WHERE t.tgrelid = split AND NOT t.tgisinternal) AS definitions;
        EXECUTE format('ALTER TABLE %I RENAME TO %I', name, name || '_whole');
        EXECUTE format(
            'CREATE TABLE %I (LIKE %I INCLUDING ALL EXCLUDING INDEXES EXCLUDING STORAGE) PARTITION BY HASH (tenant_id)',
            name, name || '_whole');
        FOR part IN 0..parts - 1 LOOP
            EXECUTE format(
                'CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)%s',
                name || '_' || part, name, parts, part, options);
        END LOOP;
        EXECUTE format('INSERT INTO %I SELECT * FROM %I', name, name || '_whole');
        EXECUTE format('DROP TABLE %I', name || '_whole');
        -- After the rows: what triggers count of them is counted already.
        FOREACH definition IN ARRAY after_rows LOOP EXECUTE definition; END LOOP;
    END LOOP;

    FOREACH definition IN ARRAY keys LOOP EXECUTE definition; END LOOP;
END;
$partition$;
COMMIT;
ANALYZE;
