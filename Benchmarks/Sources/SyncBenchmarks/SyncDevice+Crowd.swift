import Backstitch
import BackstitchSync
import Foundation

extension SyncDevice {
    /// Fifty devices that sync by themselves. Contacts are saved one at a time on one of them, and each save waits
    /// until all others have the news.
    func crowd() async throws -> SyncProcess.Report {
        let devices = try (0..<50).map {
            try Contacts.container("\(folder)/\($0)", zone: zone, at: server, isAutomatic: true)
        }
        let (arrivals, feed) = AsyncStream.makeStream(of: (ObjectID, ContinuousClock.Instant).self)
        let listeners = devices.dropFirst().map { device in
            let events = device.syncEvents
            return Task {
                for await event in events {
                    guard case .finished(let summary) = event else { continue }
                    for id in summary.inserted { feed.yield((id, .now)) }
                }
            }
        }
        for device in devices { _ = try await device.requireSync().sync() }
        var delays: [Double] = []
        var told = arrivals.makeAsyncIterator()
        for number in 0..<count {
            let (id, begin) = try await devices[0].saveContact(number)
            var waiting = devices.count - 1
            while waiting > 0, let (found, time) = await told.next() {
                guard found == id else { continue }
                waiting -= 1
                if waiting == 0 { delays.append((time - begin) / .milliseconds(1)) }
            }
        }
        for listener in listeners { listener.cancel() }
        for device in devices { try device.close() }
        return SyncProcess.Report(delays: delays.sorted())
    }
}

extension PersistentContainer {
    /// Saves a contact. Returns its identity, and the time at the start of the save.
    func saveContact(_ number: Int) async throws -> (ObjectID, ContinuousClock.Instant) {
        try await perform { context in
            let contact = try context.insertObject(entityName: "Contact")
            contact["name"] = "contact \(number)"
            let begin = ContinuousClock.now
            try context.save()
            return (contact.objectID, begin)
        }
    }
}
