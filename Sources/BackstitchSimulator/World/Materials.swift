import Backstitch
import BackstitchSQLite
import BackstitchServer

/// Databases in memory that a world leaves to the next one of its thread, with tables and prepared statements. To make
/// them would take a sixth of a world's time. Their content is removed before they are used again.
package final class Materials {
    private var stores: [Int: [SQLiteStore]] = [:]
    private var servers: [InlineZoneServer] = []
    private var states: [SQLiteState] = []

    /// Begins without any databases.
    package init() {}

    /// An empty store in memory.
    func store(_ configuration: StoreConfiguration, modelVersion: Int) throws -> SQLiteStore {
        guard let old = stores[modelVersion]?.popLast() else { return try SQLiteStore(configuration) }
        return try old.remade(configuration)
    }

    /// Takes an unused store in memory.
    func take(_ store: SQLiteStore, modelVersion: Int) { stores[modelVersion, default: []].append(store) }

    /// A place for a copy of a store.
    func state() throws -> SQLiteState { try states.popLast() ?? SQLiteState() }

    /// Takes an unused place for a copy.
    func take(_ state: SQLiteState) { states.append(state) }

    /// An empty server in memory.
    func server(_ configuration: ZoneServerConfiguration, isShared: Bool = false) throws -> InlineZoneServer {
        guard let old = servers.popLast() else { return try InlineZoneServer(configuration, isShared: isShared) }
        return try InlineZoneServer(configuration, isShared: isShared, remaking: old)
    }

    /// Takes an unused server back.
    func take(_ server: InlineZoneServer) throws {
        try server.putAway()
        servers.append(server)
    }
}
