import Backstitch

/// The tables that every SQL store has beside those of its model. Their names begin with `backstitch_`.
///
/// | table | holds |
/// |---|---|
/// | `store` | what identifies the store: `format`, `identifier`, `model`; written when it is made |
/// | `counter` | the last history transaction's number; a lock on its row makes numbers rise in order of commits |
/// | `metadata` | what the sync store keeps by ``JournalWriting/setMetadata(_:for:)`` |
/// | `transaction`, `change` | history: who saved when, and which objects came, changed (which properties) and went; a row of `change` tells the same of several |
/// | `outbox` | unsent changes, one row an object |
/// | `record` | what is known of objects' records on the server |
/// | `placement` | the zones of objects that are not in the main one; made with the first zone |
package enum SystemTables {
    /// The version of these tables and of the mapping of models. A store of another one is refused.
    package static let format: Int32 = 2

    /// - Throws: ``BackstitchError/Code/newerFormat`` for a store whose tables a newer version made, and
    ///   ``BackstitchError/Code/storeFailure`` for one of the time before the first release.
    package static func check(_ format: Int32, of store: String) throws {
        guard format <= Self.format else {
            throw BackstitchError(
                .newerFormat,
                "\(store) has format \(format), which is newer than those that this version knows (up to \(Self.format)); update the program"
            )
        }
        guard format == Self.format else {
            throw BackstitchError(
                .storeFailure,
                "\(store) has format \(format), of a version before the first release, which this one does not read; export what it "
                    + "holds by the version that made it, and make it anew")
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

    /// Tables whose rows belong to a store that holds nothing.
    package static let keptWhenEmptied: Set<String> = [store, counter]

    /// Sets the counters to what they are in a new store.
    package static var resetOfCounters: String { "UPDATE \(counter) SET value = 0" }

    /// Writes something that nothing else reads. Another number each time, since a database may write nothing for a
    /// value that is there.
    package static var touch: String {
        "INSERT INTO \(counter) (name, value) VALUES ('touch', 1) ON CONFLICT (name) DO UPDATE SET value = \(counter).value + 1"
    }

    static func statements(_ dialect: some SQLDialect) -> [String] {
        let types = dialect.types, keyed = dialect.keyedTableEnding
        return [
            "CREATE TABLE \(store) (name \(types.text) PRIMARY KEY, value \(types.text) NOT NULL)\(keyed)",
            "CREATE TABLE \(counter) (name \(types.text) PRIMARY KEY, value \(types.integer) NOT NULL)\(keyed)",
            "INSERT INTO \(counter) (name, value) VALUES ('transaction', 0)",
            "CREATE TABLE \(metadata) (key \(types.text) PRIMARY KEY, value \(types.bytes) NOT NULL)\(keyed)",
        ] + history(types, keyed) + sync(types, keyed)
    }

    /// The table of a store's zones, for one that has no other zone so far.
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
