import Backstitch
import BackstitchSQLite
import BackstitchServer

/// The things that worlds leave to the next one of their thread: databases in memory, whose tables are there and whose
/// statements are prepared. Making them would take a sixth of a world's time. Their content is removed before they are
/// used again.
package final class Materials {
    private var stores: [Int: [SQLiteStore]] = [:]
    private var servers: [InlineZoneServer] = []
    private var states: [SQLiteState] = []

    /// Nothing yet.
    package init() {}

    /// An empty store in memory.
    func store(_ configuration: StoreConfiguration, modelVersion: Int) throws -> SQLiteStore {
        guard let old = stores[modelVersion]?.popLast() else { return try SQLiteStore(configuration) }
        return try old.remade(configuration)
    }

    /// Takes a store in memory that nobody uses any more.
    func take(_ store: SQLiteStore, modelVersion: Int) { stores[modelVersion, default: []].append(store) }

    /// Room for a copy of a store.
    func state() throws -> SQLiteState { try states.popLast() ?? SQLiteState() }

    /// Takes room that nobody uses any more.
    func take(_ state: SQLiteState) { states.append(state) }

    /// A server that knows of nothing.
    func server(_ configuration: ZoneServerConfiguration, isShared: Bool = false) throws -> InlineZoneServer {
        guard let old = servers.popLast() else { return try InlineZoneServer(configuration, isShared: isShared) }
        return try InlineZoneServer(configuration, isShared: isShared, remaking: old)
    }

    /// Takes a server that nobody uses any more.
    func take(_ server: InlineZoneServer) throws {
        try server.putAway()
        servers.append(server)
    }
}
