import GRDB

extension SQLiteStore {
    /// Copies what the database holds now, in place of what `state` held. Bytes of assets are not in it.
    package func copy(to state: SQLiteState) throws {
        try database.request { try database.connections.backup(to: state.copy) }
    }

    /// Brings back what was copied, as a power cut may bring back an earlier state. For simulations; no request may be
    /// under way.
    package func goBack(to state: SQLiteState) throws {
        try database.request { try state.copy.backup(to: database.connections) }
    }
}
