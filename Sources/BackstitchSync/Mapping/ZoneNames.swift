import Backstitch
import BackstitchSupport
import CloudWire

/// The names of a store's zones in the program and on the server. On the server they begin with the name of the store's
/// main zone and a dot, because zones of other stores are there too.
///
/// | zone on the server | in the program |
/// |---|---|
/// | `Backstitch` | the main zone, without a name |
/// | `Backstitch.Club` | `Club` |
/// | `Backstitch.Club` of Alice, in the shared database | `Alice/Club` |
/// | `Backstitch` of Alice, in the shared database | `Alice` |
///
/// A slash or a per cent sign in the owner's record name is written as `%2F` or `%25`.
struct ZoneNames: Sendable {
    let main: String
    let database: SyncDatabase

    init(main: String, database: SyncDatabase = .private) { (self.main, self.database) = (main, database) }

    init(_ options: SyncOptions) { self.init(main: options.zoneName, database: options.database) }

    /// Returns the zone on the server for a name in the program.
    func onServer(_ name: String) -> ZoneID {
        guard database == .shared else { return ZoneID(zoneName: "\(main).\(name)") }
        let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        return ZoneID(
            zoneName: parts.count == 2 ? "\(main).\(parts[1])" : main,
            ownerRecordName: String(parts[0]).replacing("%2F", with: "/").replacing("%25", with: "%"))
    }

    /// Returns the name in the program; nil for the main zone, and for zones that do not belong to the store.
    func inProgram(_ zone: ZoneID) -> String? {
        let name = zone.zoneName
        let further =
            name.begins(with: "\(main).") && name.utf8.count > main.utf8.count + 1
            ? String(name.dropping("\(main).")) : nil
        guard database == .shared else { return further }
        guard let owner = zone.ownerRecordName?.replacing("%", with: "%25").replacing("/", with: "%2F"), !owner.isEmpty
        else { return nil }
        return name.isSame(as: main) ? owner : further.map { "\(owner)/\($0)" }
    }

    /// Returns whether a zone of the server is one of the store's, or may become one.
    func isOwn(_ zone: ZoneID) -> Bool {
        database == .private && zone.zoneName.isSame(as: main) || inProgram(zone) != nil
    }

    /// Returns a text that is unique among the zones of the database. In the private database all zones belong to the
    /// same user, even if a request or an answer does not name the user.
    func place(of zone: ZoneID) -> String {
        database == .private ? zone.zoneName : "\(zone.ownerRecordName ?? "")/\(zone.zoneName)"
    }
}

extension JournalReading {
    /// Returns the name on the server of a zone with this number; nil if the store does not have it.
    func nameOnServer(ofZone zone: Int64, _ names: ZoneNames) throws -> String? {
        zone == 0 ? names.main : try name(ofZone: zone).map { names.onServer($0).zoneName }
    }
}
