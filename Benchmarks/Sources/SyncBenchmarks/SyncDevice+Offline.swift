import Backstitch
import BackstitchSync
import Foundation
import Harness

extension SyncDevice {
    /// Merges offline changes. Two devices with the same contacts change each contact while both are offline: one the
    /// city, one the age. The first device syncs, and then the second meets a conflict with each contact. The second
    /// sync is measured.
    func merge() async throws -> SyncProcess.Report {
        let here = try Contacts.container(folder + "/here", zone: zone, at: server, isAutomatic: false)
        let there = try Contacts.container(folder + "/there", zone: zone, at: server, isAutomatic: false)
        try await Contacts.make(count, of: here)
        for device in [here, there] { _ = try await device.requireSync().sync() }
        try await here.changeContacts { $0["city"] = "another city" }
        try await there.changeContacts { $0["age"] = 91 }
        _ = try await here.requireSync().sync()
        let stopwatch = Stopwatch()
        let sync = try there.requireSync()
        try await stopwatch.measure {
            repeat { _ = try await sync.sync() } while try await sync.status.pendingCount > 0
        }
        _ = try await here.requireSync().sync()
        for device in [here, there] {
            let merged = try await device.perform {
                try $0.count(
                    for: FetchRequest<ManagedObject>(
                        entityName: "Contact", where: "city == %@ AND age == %@", "another city", 91))
            }
            try expect(merged, count, "contacts with both changes")
            try device.close()
        }
        return SyncProcess.Report(wall: stopwatch.wall, processor: stopwatch.processor)
    }
}

extension PersistentContainer {
    /// Changes every contact, in one save.
    fileprivate func changeContacts(_ change: @escaping @Sendable (ManagedObject) -> Void) async throws {
        try await perform { context in
            for contact in try context.fetch(FetchRequest<ManagedObject>(entityName: "Contact")) { change(contact) }
            try context.save()
        }
    }
}
