import Backstitch
import Foundation

/// The equipment of a case: a folder of its own, and containers on the store in it.
final class TestBench: Sendable {
    /// The kind of store under test.
    let store: StoreUnderTest
    /// A folder, empty at first. It is removed when the case has ended.
    let folder: URL
    /// The clock of every container. It stands still unless a case moves it.
    let clock = VirtualClock()

    /// Makes a bench with a new folder.
    init(_ store: StoreUnderTest) throws {
        self.store = store
        folder = FileManager.default.temporaryDirectory.appending(path: "backstitch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// A container on the store in the bench's folder.
    func container(_ model: ManagedObjectModel = .journal) throws -> PersistentContainer {
        try PersistentContainer(model: model, store: store.describe(folder), clock: clock)
    }

    /// Closes `container` and returns another one on the same store.
    func reopen(
        _ container: PersistentContainer, _ model: ManagedObjectModel = .journal
    ) throws -> PersistentContainer {
        try container.close()
        return try self.container(model)
    }

    /// Removes the folder with all files of the store.
    ///
    /// A newly opened store collects its assets on a separate thread, and may stay open for that after the end of the
    /// case. Files that appear meanwhile make the removal fail, so it is tried again.
    func remove() throws {
        for _ in 0..<100 {
            do { return try FileManager.default.removeItem(at: folder) } catch { Thread.sleep(forTimeInterval: 0.02) }
        }
        try FileManager.default.removeItem(at: folder)
    }
}

extension StoreConformance {
    /// The object, read in a new context.
    static func fresh<Object: ManagedObject>(_ object: Object, _ context: ManagedObjectContext) throws -> Object {
        let other = ManagedObjectContext(coordinator: context.coordinator)
        guard let found = try other.existingObject(with: object.objectID) as? Object else {
            throw ConformanceFailure(description: "\(object.objectID) is of another class")
        }
        return found
    }
}
