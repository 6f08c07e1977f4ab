package import Backstitch

/// The migration of a store from its model to the one that it is opened with.
package struct StoreMigration: Sendable {
    /// The planned changes, in words.
    package let plan: MigrationPlan

    let hops: [MigrationHop]
    let fingerprint: ModelFingerprint
    let lineage: [String]

    /// Executes the migration inside a transaction that the caller has begun. If it throws, the transaction must be
    /// undone.
    ///
    /// - Parameter content: The store's bytes outside the rows.
    package func run(on connection: any SQLConnection, content: any MigrationContent) throws {
        for hop in hops { try hop.run(on: connection, content: content) }
        try connection.run(StoreTable.replace(fingerprint.text(), for: .model, dialect: connection.dialect))
        try connection.run(
            StoreTable.replace(StoredModelMetadata.text(ofLineage: lineage), for: .lineage, dialect: connection.dialect)
        )
    }
}
