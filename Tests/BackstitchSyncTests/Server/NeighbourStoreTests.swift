import Backstitch
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("two stores with main zones of their own in one private database", .timeLimit(.minutes(3)))
struct NeighbourStoreTests {
    @Test("are both told when another device pushes")
    func told() async throws {
        try await SyncWorld.run { world in
            let zones = ["Work", "Home"]
            // The other devices subscribe first, so that the listening ones write last on the server.
            var others: [SyncDevice] = [], listening: [SyncDevice] = []
            for zone in zones {
                let device = try world.device(nil, [.syncZoneName: zone])
                try await device.sync.sync()
                others.append(device)
            }
            for zone in zones {
                // No look by the clock falls into the test.
                let device = try world.device(
                    automatic: true, [.syncZoneName: zone, .syncPollInterval: 3_600.0, .syncRequestTimeout: 60])
                #expect(try await eventually { try await device.sync.status.isFirstSyncComplete })
                listening.append(device)
            }
            #expect(try await eventually { await world.faults.requests.count { $0 == "aps" } >= zones.count })
            for (zone, (other, device)) in zip(zones, zip(others, listening)) {
                _ = try await other.addNote("for \(zone)")
                try await other.sync.sync()
                let isTold = try await eventually(within: .seconds(20)) {
                    try await device.titles() == ["for \(zone)"]
                }
                #expect(isTold, "\(zone)")
            }
        }
    }

    @Test("are both told in one container, and each has the objects of its zone")
    func oneContainer() async throws {
        try await SyncWorld.run { world in
            let zones = ["Work", "Home"]
            let descriptions = try zones.map { zone in
                let place = try SyncBacking.current.place(of: zone, in: world.folder(of: "neighbours"))
                let options: [StoreOption: any Sendable] = [
                    .syncServerURL: world.url.absoluteString, .syncZoneName: zone, .syncPollInterval: 3_600.0,
                    .syncRequestTimeout: 60,
                ]
                return PersistentStoreDescription(
                    type: .sync, url: place.url, options: place.options.merging(options) { $1 })
            }
            let container = try PersistentContainer(model: SyncTestModel.description, stores: descriptions)
            defer { try? container.close() }
            let stores = container.coordinator.stores.compactMap { $0 as? SyncStore }
            #expect(stores.count == zones.count)
            for store in stores { #expect(try await eventually { try await store.sync.status.isFirstSyncComplete }) }
            #expect(try await eventually { await world.faults.requests.count { $0 == "aps" } >= zones.count })
            for (zone, store) in zip(zones, stores) {
                let other = try world.device(nil, [.syncZoneName: zone])
                _ = try await other.addNote("for \(zone)")
                try await other.sync.sync()
                let isTold = try await eventually(within: .seconds(20)) {
                    try await container.perform { context in
                        var request = FetchRequest<TestNote>()
                        request.affectedStores = [store]
                        return try context.fetch(request).map(\.title) == ["for \(zone)"]
                    }
                }
                #expect(isTold, "\(zone)")
            }
        }
    }
}
