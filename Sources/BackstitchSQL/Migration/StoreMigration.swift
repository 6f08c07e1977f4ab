package import Backstitch

/// The way of a store from the model that it has to the one that it is opened with.
package struct StoreMigration: Sendable {
    /// The changes to be made, in words.
    package let plan: MigrationPlan

    let hops: [MigrationHop]
    let fingerprint: ModelFingerprint
    let lineage: [String]

    /// Makes the way, inside a transaction that the caller has begun; if it throws, the transaction must be undone.
    package func run(on connection: any SQLConnection) throws {
        for hop in hops { try hop.run(on: connection) }
        try connection.run(StoreTable.replace(fingerprint.text(), for: .model, dialect: connection.dialect))
        try connection.run(
            StoreTable.replace(StoredModelMetadata.text(ofLineage: lineage), for: .lineage, dialect: connection.dialect)
        )
    }
}
