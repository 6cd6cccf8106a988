/// The SQL that a PostgreSQL database needs to serve a ``NearCache``; `grove shared-schema` prints it.
///
/// It makes one schema, `grove`, with a row for the feed's identity and last number, and a table of changes. Each table
/// whose rows are models gets a trigger. A transaction takes its number when it commits, in a deferred constraint
/// trigger. It holds the counter's row lock from then to the end of its commit, so that numbers become visible in
/// order.
package struct SharedSchema: Sendable {
    /// A table whose rows are models.
    package struct Table: Sendable {
        /// The table's name in SQL, with its schema if that is needed.
        package let name: String
        /// A SQL expression that gives the model's identifier from a row, which is called `r`: `'Note:' || r.id`.
        package let identifier: String

        /// Makes a table's description.
        ///
        /// Both texts become part of the SQL as they are.
        package init(_ name: String, identifier: String) {
            self.name = name
            self.identifier = identifier
        }
    }

    /// The tables whose rows are models.
    package let tables: [Table]
    /// The most identifiers that are listed for one commit; a larger commit counts as one that may have changed
    /// everything.
    package let mostChanges: Int

    /// Describes a schema.
    package init(tables: [Table], mostChanges: Int = 10_000) {
        self.tables = tables
        self.mostChanges = mostChanges
    }

    /// The SQL statements.
    ///
    /// They may be run again: tables that exist are kept.
    package var sql: String {
        ([base] + tables.map(trigger)).joined(separator: "\n")
    }

    private var base: String {
        """
        CREATE SCHEMA IF NOT EXISTS grove;
        -- One row: who numbers the commits, and the last number. Changes up to "trimmed" may be forgotten.
        CREATE TABLE IF NOT EXISTS grove.feed (
            one boolean PRIMARY KEY DEFAULT true CHECK (one),
            identity uuid NOT NULL DEFAULT gen_random_uuid(),
            last bigint NOT NULL DEFAULT 0,
            trimmed bigint NOT NULL DEFAULT 0
        );
        INSERT INTO grove.feed DEFAULT VALUES ON CONFLICT DO NOTHING;
        -- An open transaction's changes have no number yet. An empty id says that everything may have changed.
        CREATE TABLE IF NOT EXISTS grove.pending (xact xid8 NOT NULL, id text NOT NULL, PRIMARY KEY (xact, id));
        CREATE TABLE IF NOT EXISTS grove.commit (
            number bigint PRIMARY KEY, xact xid8 NOT NULL UNIQUE, at timestamptz NOT NULL DEFAULT clock_timestamp(),
            -- The client's own name of the write: a server that was killed uses the ids of lost transactions again.
            ticket text DEFAULT current_setting('grove.ticket', true));
        -- A change without an id says that everything may have changed.
        CREATE TABLE IF NOT EXISTS grove.change (number bigint NOT NULL, id text);
        CREATE INDEX IF NOT EXISTS change_number ON grove.change (number);

        CREATE OR REPLACE FUNCTION grove.number_commit() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE n bigint; c bigint;
        BEGIN
            -- Each row of "pending" calls this at COMMIT; the first call does it all.
            IF NOT EXISTS (SELECT FROM grove.pending WHERE xact = pg_current_xact_id()) THEN RETURN NULL; END IF;
            UPDATE grove.feed SET last = last + 1 RETURNING last INTO n;
            INSERT INTO grove.commit (number, xact) VALUES (n, pg_current_xact_id())
                ON CONFLICT (xact) DO UPDATE SET number = n;
            SELECT count(*) INTO c FROM grove.pending WHERE xact = pg_current_xact_id();
            IF c > \(mostChanges) OR EXISTS (SELECT FROM grove.pending WHERE xact = pg_current_xact_id() AND id = '') THEN
                INSERT INTO grove.change VALUES (n, NULL);
            ELSE
                INSERT INTO grove.change SELECT n, id FROM grove.pending WHERE xact = pg_current_xact_id();
            END IF;
            DELETE FROM grove.pending WHERE xact = pg_current_xact_id();
            PERFORM pg_notify('grove', n::text);
            RETURN NULL;
        END $$;
        DO $$ BEGIN
            IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgname = 'grove_number') THEN
                CREATE CONSTRAINT TRIGGER grove_number AFTER INSERT ON grove.pending
                    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION grove.number_commit();
            END IF;
        END $$;
        CREATE OR REPLACE FUNCTION grove.emptied() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO grove.pending VALUES (pg_current_xact_id(), '') ON CONFLICT DO NOTHING;
            RETURN NULL;
        END $$;
        -- Forgets the changes of commits that are older: call it from time to time.
        CREATE OR REPLACE FUNCTION grove.trim(age interval) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE n bigint;
        BEGIN
            SELECT max(number) INTO n FROM grove.commit WHERE at <= clock_timestamp() - age;
            IF n IS NULL THEN RETURN; END IF;
            UPDATE grove.feed SET trimmed = greatest(trimmed, n);
            DELETE FROM grove.change WHERE number <= n;
            DELETE FROM grove.commit WHERE number <= n;
        END $$;
        -- After a restore from a backup: call it before the first client connects.
        CREATE OR REPLACE FUNCTION grove.renew() RETURNS void LANGUAGE sql AS $$
            UPDATE grove.feed SET identity = gen_random_uuid(), trimmed = last;
            DELETE FROM grove.change; DELETE FROM grove.commit;
        $$;
        """
    }

    private func trigger(_ table: Table) -> String {
        let words = table.name.map { $0.isLetter || $0.isNumber ? $0 : "_" }
        let name = "grove.changed_" + String(words)
        return """
            CREATE OR REPLACE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql AS $$
            DECLARE r record;
            BEGIN
                IF TG_OP <> 'INSERT' THEN
                    r := OLD;
                    INSERT INTO grove.pending VALUES (pg_current_xact_id(), \(table.identifier)) ON CONFLICT DO NOTHING;
                END IF;
                IF TG_OP <> 'DELETE' THEN
                    r := NEW;
                    INSERT INTO grove.pending VALUES (pg_current_xact_id(), \(table.identifier)) ON CONFLICT DO NOTHING;
                END IF;
                RETURN NULL;
            END $$;
            DROP TRIGGER IF EXISTS grove_changed ON \(table.name);
            CREATE TRIGGER grove_changed AFTER INSERT OR UPDATE OR DELETE ON \(table.name)
                FOR EACH ROW EXECUTE FUNCTION \(name)();
            DROP TRIGGER IF EXISTS grove_emptied ON \(table.name);
            CREATE TRIGGER grove_emptied AFTER TRUNCATE ON \(table.name)
                FOR EACH STATEMENT EXECUTE FUNCTION grove.emptied();
            """
    }
}
