import Backstitch
import Foundation

/// The equipment of a case: a folder of its own, and containers on the store in it.
final class TestBench: Sendable {
    /// The kind of store that is tried.
    let store: StoreUnderTest
    /// Empty at first, and removed when the case has ended.
    let folder: URL
    /// The clock of every container, which stands still unless a case moves it.
    let clock = VirtualClock()

    /// Makes the folder.
    init(_ store: StoreUnderTest) throws {
        self.store = store
        folder = FileManager.default.temporaryDirectory.appending(path: "backstitch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// A container on the store in the bench's folder.
    func container(_ model: ManagedObjectModel = .journal) throws -> PersistentContainer {
        try PersistentContainer(model: model, store: store.describe(folder), clock: clock)
    }

    /// Closes `container` and gives another on the same store.
    func reopen(
        _ container: PersistentContainer, _ model: ManagedObjectModel = .journal
    ) throws -> PersistentContainer {
        try container.close()
        return try self.container(model)
    }

    /// Removes the folder with all that the store has left in it.
    ///
    /// A store that has just been opened collects its assets on a thread of its own, and may hold itself open for that
    /// when the case has ended: files that come and go meanwhile stop the removal, which is tried again then.
    func remove() throws {
        for _ in 0..<100 {
            do { return try FileManager.default.removeItem(at: folder) } catch { Thread.sleep(forTimeInterval: 0.02) }
        }
        try FileManager.default.removeItem(at: folder)
    }
}

extension StoreConformance {
    /// The object as a context reads it that has not seen it yet.
    static func fresh<Object: ManagedObject>(_ object: Object, _ context: ManagedObjectContext) throws -> Object {
        let other = ManagedObjectContext(coordinator: context.coordinator)
        guard let found = try other.existingObject(with: object.objectID) as? Object else {
            throw ConformanceFailure(description: "\(object.objectID) is of another class")
        }
        return found
    }
}
