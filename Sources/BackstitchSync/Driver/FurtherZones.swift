import Backstitch
import BackstitchSupport
import CloudWire

/// The services of the zones that a store has beside its main one, made when a zone is met first.
final class FurtherZones: Sendable {
    private let known = Locked<[Int64: SyncServices]>([:])

    func services(of zone: Int64, make: () -> SyncServices) -> SyncServices {
        known.withLock { known in
            if let services = known[zone] { return services }
            let services = make()
            known[zone] = services
            return services
        }
    }

    /// Another process has applied pages, so no full fetch has met all records that have come: it begins again.
    ///
    /// - Parameter zone: The one whose full fetch has begun since, if there is one.
    func endSweeps(but zone: Int64? = nil) {
        for (number, services) in known.withLock(\.self) where number != zone { services.sweep.end() }
    }

    func forget(_ zone: Int64) { known.withLock { $0[zone] = nil } }

    func forgetAll() { known.withLock { $0 = [:] } }
}

extension SyncServices {
    /// The services of one of the store's zones.
    ///
    /// - Returns: nil when the store has no such zone any more.
    func services(of zone: Int64) async throws -> SyncServices? {
        guard zone != settings.zoneNumber else { return self }
        let name = try await onWholeStore { try $0.readJournal { try $0.name(ofZone: zone) } }
        return name.map { services(of: zone, named: $0) }
    }

    /// The services of a zone of that name, which only the main zone's give.
    func services(of zone: Int64, named name: String) -> SyncServices {
        further.services(of: zone) {
            let onServer = client.names.onServer(name)
            var services = self
            services.store = ZoneStore(backing, zone: zone)
            services.client = client.serving(onServer)
            services.sweep = FullFetchTracker()
            services.settings.zone = client.names.place(of: onServer)
            services.settings.zoneNumber = zone
            services.settings.isOfOthers = !client.options.database.hasMainZone
            services.settings.ring = settings.ring?.serving(zone: name)
            zoneKeys?.meet(name, number: zone)
            return services
        }
    }

    /// The services of the zones of objects, each with the objects that are in it.
    func services<Subject: Sendable>(
        ofZonesOf subjects: [Subject], by id: @escaping @Sendable (Subject) -> ObjectID
    ) async throws -> [(services: SyncServices, subjects: [Subject])] {
        let (zones, names) = try await onWholeStore { store in
            try store.readJournal { (try $0.zones(of: subjects.map { id($0).key }), try $0.zones()) }
        }
        let byZone = Dictionary(grouping: subjects) { zones[id($0).key] ?? 0 }.sorted { $0.key < $1.key }
        return byZone.map { zone, subjects in
            (names[zone].map { services(of: zone, named: $0) } ?? self, subjects)
        }
    }

    /// The name that the program has given the zone; that of the main one on the server.
    var name: String { client.names.inProgram(client.zone) ?? settings.zone }
}
