package import Backstitch
package import BackstitchSQL

extension SQLiteStore: SQLStore {
    /// Nil without a feed: nobody asks then.
    package var ownTransactions: OwnTransactions? { feed?.own }

    package func makeToken() -> ObjectKey? { feed == nil ? nil : configuration.generator.next() }

    /// Files are synced before the transaction, which need not hold up others meanwhile.
    package var keepsAssetsInTransactions: Bool { false }

    package func naming<Result>(_ names: Bool, _ body: () throws -> Result) throws -> Result {
        try content.naming(names, body)
    }

    package func keep(_ contents: AssetContents, on connection: SQLiteConnection?) throws {
        if !contents.isEmpty { try assets.write(contents) }
    }
}
