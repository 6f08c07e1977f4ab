import Backstitch
import BackstitchSupport
import CloudWire

/// The services of a store's further zones. Each is created when it is first needed.
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

    /// Ends full fetches, because another process has applied pages and they have not met all received records. They
    /// begin again.
    ///
    /// - Parameter zone: The zone whose full fetch has begun since, if there is one.
    func endSweeps(but zone: Int64? = nil) {
        for (number, services) in known.withLock(\.self) where number != zone { services.sweep.end() }
    }

    func forget(_ zone: Int64) { known.withLock { $0[zone] = nil } }

    func forgetAll() { known.withLock { $0 = [:] } }
}

extension SyncServices {
    /// Returns the services of one of the store's zones.
    ///
    /// - Returns: nil when the store no longer has such a zone.
    func services(of zone: Int64) async throws -> SyncServices? {
        guard zone != settings.zoneNumber else { return self }
        let name = try await onWholeStore { try $0.readJournal { try $0.name(ofZone: zone) } }
        return name.map { services(of: zone, named: $0) }
    }

    /// Returns the services of the zone with that name. Only the main zone's services may be asked for them.
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

    /// Returns the services of the zones of objects, each with its objects.
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

    /// The zone's name in the program; for the main zone, its name on the server.
    var name: String { client.names.inProgram(client.zone) ?? settings.zone }
}
