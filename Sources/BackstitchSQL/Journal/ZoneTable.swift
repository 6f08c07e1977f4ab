import Backstitch
import Foundation

/// The further zones of a store, and the objects in them.
///
/// The names of zones are metadata. So a store of one zone needs no table for them, even if an earlier version made it.
/// Before a query of the table, the caller reads the names.
struct ZoneTable {
    private let connection: any SQLConnection

    /// The prefix of metadata keys for the names of zones.
    private static let prefix = "zone/"
    /// The prefix of metadata keys for the read-only zones.
    private static let readOnlyPrefix = "zoneReadOnly/"
    /// The prefix of metadata keys for the objects that are shared one by one.
    private static let rootsPrefix = "zoneRoots/"
    /// The key of the metadata for the rights by creator.
    private static let creatorsKey = "zoneCreators"
    /// The common prefix of all four.
    private static let commonPrefix = "zone"

    init(_ connection: any SQLConnection) { self.connection = connection }

    /// The further zones, and the zones with limited rights.
    struct Zones {
        /// The names of the zones by their numbers.
        var names: [Int64: String] = [:]
        /// The read-only zones: saves change nothing there. The main zone may be among them.
        var readOnly: Set<Int64> = []
        /// The objects shared with the user one by one, by their zone.
        var roots: [Int64: SharedRoots] = [:]
        /// The rights by the creators of objects; nil in a store without such rights.
        var creators: CreatorRights?
    }

    /// Reads all facts about the zones with one statement.
    func zones() throws -> Zones {
        var zones = Zones()
        for (key, value) in try MetadataTable(connection).values(withPrefix: Self.commonPrefix) {
            if key.hasPrefix(Self.prefix), let number = Int64(key.dropFirst(Self.prefix.count)) {
                zones.names[number] = String(decoding: value, as: UTF8.self)
            } else if key.hasPrefix(Self.readOnlyPrefix), let number = Int64(key.dropFirst(Self.readOnlyPrefix.count)) {
                zones.readOnly.insert(number)
            } else if key.hasPrefix(Self.rootsPrefix), let number = Int64(key.dropFirst(Self.rootsPrefix.count)) {
                zones.roots[number] = SharedRoots(storedForm: value)
            } else if key == Self.creatorsKey {
                zones.creators = try CreatorRights(storedForm: value)
            }
        }
        return zones
    }

    /// Forbids saves to change a zone, or allows it again.
    func setReadOnly(_ isReadOnly: Bool, _ number: Int64) throws {
        try MetadataTable(connection).set(isReadOnly ? Data([1]) : nil, for: "\(Self.readOnlyPrefix)\(number)")
    }

    /// Sets the rights to objects that are shared one by one; nil for a zone without them. Saves respect these rights.
    func setRoots(_ roots: SharedRoots?, _ number: Int64) throws {
        try MetadataTable(connection).set(roots?.storedForm, for: "\(Self.rootsPrefix)\(number)")
    }

    /// The rights by creator; nil in a store without them.
    var creatorRights: CreatorRights? {
        get throws { try MetadataTable(connection).value(for: Self.creatorsKey).map(CreatorRights.init(storedForm:)) }
    }

    /// Sets the rights by creator, and makes the table of creators with the first ones. Nil ends the rights, and
    /// forgets the creators.
    func setCreatorRights(_ rights: CreatorRights?) throws {
        let table = CreatorTable(connection), isThere = try creatorRights != nil
        if rights != nil, !isThere { try table.make() }
        if rights == nil, isThere { try table.removeAll() }
        try MetadataTable(connection).set(rights.map { try $0.storedForm }, for: Self.creatorsKey)
    }

    /// Whether the store has no further zones.
    var isEmpty: Bool { get throws { try !MetadataTable(connection).hasValue(withPrefix: Self.prefix) } }

    /// The name of a zone; nil when the zone does not exist.
    func name(of number: Int64) throws -> String? {
        try MetadataTable(connection).value(for: Self.key(of: number)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func key(of number: Int64) -> String { "\(prefix)\(number)" }

    /// Adds a zone under a number, and makes the table of placements for the first one.
    func put(_ number: Int64, named name: String) throws {
        if try isEmpty {
            for text in SystemTables.zones(connection.dialect) { try run(SQLStatement(connection.dialect, text)) }
        }
        try MetadataTable(connection).set(Data(name.utf8), for: Self.key(of: number))
    }

    /// Removes a zone, with its placements and rights. Does nothing if the zone does not exist.
    func remove(_ number: Int64) throws {
        guard try name(of: number) != nil else { return }
        var statement = SQLStatement(connection.dialect, "DELETE FROM \(SystemTables.placement) WHERE zone = ")
        statement.append(.int(number))
        try run(statement)
        try MetadataTable(connection).set(nil, for: Self.key(of: number))
        try setReadOnly(false, number)
        try setRoots(nil, number)
    }

    /// The zones of objects, without those in the main one.
    func zones(of keys: [ObjectKey]) throws -> [ObjectKey: Int64] {
        var zones: [ObjectKey: Int64] = [:]
        for chunk in SQLStatement.keyChunks(keys, dialect: connection.dialect) {
            var statement = SQLStatement(
                connection.dialect, "SELECT key, zone FROM \(SystemTables.placement) WHERE key")
            statement.append(isOneOf: chunk)
            try connection.forEachRow(of: statement) { zones[try $0.key(0)] = $0.int(1) }
        }
        return zones
    }

    func keys(in zone: Int64) throws -> [ObjectKey] {
        var statement = SQLStatement(connection.dialect, "SELECT key FROM \(SystemTables.placement) WHERE zone = ")
        statement.append(.int(zone))
        statement.append(" ORDER BY key")
        var keys: [ObjectKey] = []
        try connection.forEachRow(of: statement) { keys.append(try $0.key(0)) }
        return keys
    }

    /// The zones of objects with pending outbox entries.
    func zonesWithOutbox() throws -> Set<Int64> {
        let statement = SQLStatement(
            connection.dialect,
            "SELECT DISTINCT coalesce(place.zone, 0) FROM \(SystemTables.outbox) AS entry "
                + "LEFT JOIN \(SystemTables.placement) AS place ON place.key = entry.key WHERE entry.blocked IS NULL")
        var zones: Set<Int64> = []
        try connection.forEachRow(of: statement) { zones.insert($0.int(0)) }
        return zones
    }

    /// Notes the zone of objects; 0 is the main one. A repeated key counts once.
    func set(_ zone: Int64, of keys: [ObjectKey]) throws {
        let keys = Array(Set(keys)).sorted()
        let builder = SQLBulkBuilder(connection.dialect, [.key, .integer])
        let statement =
            zone == 0
            ? SQLBulkBuilder(connection.dialect, [.key])
                .delete(from: SystemTables.placement, where: "key = \(builder.value(0))")
            : builder.insert(
                into: SystemTables.placement, ["key, zone"], " ON CONFLICT (key) DO UPDATE SET zone = excluded.zone")
        try connection.runEach(statement, count: keys.count) { run, parameters in
            parameters.bind(keys[run], at: 1)
            if zone != 0 { parameters.bind(zone, at: 2) }
        } done: { _, _ in
        }
    }

    /// Runs a statement that is not kept prepared.
    private func run(_ statement: SQLStatement) throws {
        var statement = statement
        statement.isAdHoc = true
        try connection.run(statement)
    }
}
