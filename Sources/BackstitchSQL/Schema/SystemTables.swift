import Backstitch

/// The system tables that every SQL store has in addition to those of its model. Their names begin with `backstitch_`.
///
/// | table | holds |
/// |---|---|
/// | `store` | the store's identity: `format`, `identifier`, `model`; written when it is made. If the database has a log in a file of its own, its mark is there too |
/// | `counter` | the last history transaction's number; a lock on its row makes numbers rise in order of commits |
/// | `metadata` | the values that the sync store keeps by ``JournalWriting/setMetadata(_:for:)`` |
/// | `transaction`, `change` | history: author and time of each save, and the inserted, changed (with properties) and deleted objects; a row of `change` has several objects with the same change |
/// | `outbox` | unsent changes, one row for each object |
/// | `record` | the states of objects' records on the server |
/// | `placement` | the zones of objects that are not in the main one; made with the first zone |
/// | `creator` | the creators of objects; made with the first rights by creator |
package enum SystemTables {
    /// The version of these tables and of the mapping of models. A store of another version is refused.
    package static let format: Int32 = 2

    /// Checks the format of a store.
    ///
    /// - Throws: ``BackstitchError/Code/newerFormat`` if a newer version made the tables, and
    ///   ``BackstitchError/Code/storeFailure`` if a version before the first release made them.
    package static func check(_ format: Int32, of store: String) throws {
        guard format <= Self.format else {
            throw BackstitchError(
                .newerFormat,
                "\(store) has format \(format), which is newer than the formats of this version (up to "
                    + "\(Self.format)); update the program"
            )
        }
        guard format == Self.format else {
            throw BackstitchError(
                .storeFailure,
                "\(store) has format \(format), from a version before the first release, which this version "
                    + "cannot read; export its objects with the version that made it, and make the store anew")
        }
    }

    static let store = "backstitch_store"
    static let counter = "backstitch_counter"
    static let metadata = "backstitch_metadata"
    static let transaction = "backstitch_transaction"
    static let change = "backstitch_change"
    static let outbox = "backstitch_outbox"
    static let record = "backstitch_record"
    static let placement = "backstitch_placement"
    static let creator = "backstitch_creator"

    /// The tables whose rows an empty store has too.
    package static let keptWhenEmptied: Set<String> = [store, counter]

    /// Sets the counters to their values in a new store.
    package static var resetOfCounters: String { "UPDATE \(counter) SET value = 0" }

    /// The query for the number of the last history transaction.
    package static var lastTransaction: String { "SELECT value FROM \(counter) WHERE name = 'transaction'" }

    /// The query for the number of the last history transaction that was not purged; null for none.
    package static var lastKeptTransaction: String { "SELECT max(number) FROM \(transaction)" }

    /// Writes a number without any other use. It changes each time, because a database may skip the write of an
    /// unchanged value.
    package static var touch: String {
        "INSERT INTO \(counter) (name, value) VALUES ('touch', 1) ON CONFLICT (name) DO UPDATE SET value = \(counter).value + 1"
    }

    /// The statements that create the tables of every store.
    static func statements(_ dialect: some SQLDialect) -> [String] {
        let types = dialect.types, keyed = dialect.keyedTableEnding
        return [
            "CREATE TABLE \(store) (name \(types.text) PRIMARY KEY, value \(types.text) NOT NULL)\(keyed)",
            "CREATE TABLE \(counter) (name \(types.text) PRIMARY KEY, value \(types.integer) NOT NULL)\(keyed)",
            "INSERT INTO \(counter) (name, value) VALUES ('transaction', 0)",
            "CREATE TABLE \(metadata) (key \(types.text) PRIMARY KEY, value \(types.bytes) NOT NULL)\(keyed)",
        ] + history(types, keyed) + sync(types, keyed)
    }

    /// The table for zones and objects, for a store that gets its first further zone.
    static func zones(_ dialect: some SQLDialect) -> [String] {
        let types = dialect.types
        return [
            """
            CREATE TABLE IF NOT EXISTS \(placement) (
                key \(types.key) PRIMARY KEY NOT NULL, zone \(types.integer) NOT NULL)\(dialect.keyedTableEnding)
            """,
            "CREATE INDEX IF NOT EXISTS backstitch_placement_zone ON \(placement) (zone, key)",
        ]
    }

    /// The table of creators, for a store that had no rights by creator before.
    static func creators(_ dialect: some SQLDialect) -> String {
        let types = dialect.types
        return """
            CREATE TABLE IF NOT EXISTS \(creator) (
                key \(types.key) PRIMARY KEY NOT NULL, name \(types.text) NOT NULL)\(dialect.keyedTableEnding)
            """
    }

    private static func history(_ types: SQLSystemTypes, _ keyed: String) -> [String] {
        [
            """
            CREATE TABLE \(transaction) (
                number \(types.integer) PRIMARY KEY, timestamp \(types.integer) NOT NULL, author \(types.text),
                context \(types.text), token \(types.key))
            """,
            """
            CREATE TABLE \(change) (
                transaction_number \(types.integer) NOT NULL, position \(types.integer) NOT NULL,
                entity \(types.text) NOT NULL, keys \(types.bytes) NOT NULL, kind \(types.integer) NOT NULL,
                properties \(types.text), tombstone \(types.bytes), PRIMARY KEY (transaction_number, position))\(keyed)
            """,
        ]
    }

    private static func sync(_ types: SQLSystemTypes, _ keyed: String) -> [String] {
        [
            """
            CREATE TABLE \(outbox) (
                key \(types.key) PRIMARY KEY NOT NULL, entity \(types.text) NOT NULL, kind \(types.integer) NOT NULL,
                sequence \(types.integer) NOT NULL, first_sequence \(types.integer) NOT NULL, fields \(types.bytes),
                blocked \(types.text))\(keyed)
            """,
            "CREATE INDEX backstitch_outbox_waiting ON \(outbox) (sequence, key) WHERE blocked IS NULL",
            "CREATE INDEX backstitch_outbox_blocked ON \(outbox) (sequence, key) WHERE blocked IS NOT NULL",
            """
            CREATE TABLE \(record) (
                key \(types.key) PRIMARY KEY NOT NULL, entity \(types.text) NOT NULL, foreign_name \(types.text),
                change_tag \(types.text), unknown_fields \(types.bytes))\(keyed)
            """,
            "CREATE INDEX backstitch_record_name ON \(record) (foreign_name) WHERE foreign_name IS NOT NULL",
        ]
    }
}
