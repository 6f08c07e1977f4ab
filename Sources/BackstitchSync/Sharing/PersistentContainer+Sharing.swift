public import Backstitch
public import Foundation

// For programs with stores of both databases: the container finds the store. A store's own ``SyncController`` can do
// the same and more.
extension PersistentContainer {
    /// Takes part in what somebody shares, in the container's store of the shared database that can hold it; see
    /// ``SyncController/acceptShare(at:)``.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the container has no such store; else as there.
    @discardableResult
    public func acceptShare(at url: URL) async throws -> Share {
        var reason = BackstitchError(
            .invalidRequest,
            "the container has no store of the shared database; give it one of type \"Sync\" with the option "
                + "syncDatabase: \"shared\"")
        for store in syncedStores where store.options.database == .shared {
            do { return try await store.sync.acceptShare(at: url) } catch let error as BackstitchError
                where error.code == .invalidRequest
            {
                // Another one may hold zones of that name.
                reason = error
            }
        }
        throw reason
    }

    /// The shares that objects are in, as the last sync has left them: of one's own zones and objects that are shared,
    /// and of those of others. Where several show an object, the one of the nearest object above it. Objects that
    /// nobody shares are left out.
    ///
    /// ```swift
    /// let share = try await container.shares(matching: [list.objectID])[list.objectID]
    /// badge.isHidden = share == nil
    /// ```
    public func shares(matching ids: [ObjectID]) async throws -> [ObjectID: Share] {
        var found: [ObjectID: Share] = [:]
        for store in syncedStores {
            found.merge(try await store.sync.shares(ofObjects: ids)) { first, _ in first }
        }
        return found
    }

    /// Whether the user may change an object; see ``SyncController/canUpdate(_:)``. Objects of stores that are not
    /// synced may be changed, and those that no store has.
    public func canUpdate(_ id: ObjectID) async throws -> Bool {
        for store in syncedStores where try await !store.sync.zoneNames(of: [id]).isEmpty {
            return try await store.sync.canUpdate(id)
        }
        return true
    }

    /// Whether the user may delete an object; see ``SyncController/canDelete(_:)``. As for ``canUpdate(_:)``.
    public func canDelete(_ id: ObjectID) async throws -> Bool {
        for store in syncedStores where try await !store.sync.zoneNames(of: [id]).isEmpty {
            return try await store.sync.canDelete(id)
        }
        return true
    }

    /// Whether the user may save new objects of an entity below another object; see
    /// ``SyncController/canInsert(_:into:)``. Below objects of stores that are not synced they may be saved.
    public func canInsert(_ entityName: String, into parent: ObjectID) async throws -> Bool {
        for store in syncedStores where try await !store.sync.zoneNames(of: [parent]).isEmpty {
            return try await store.sync.canInsert(entityName, into: parent)
        }
        return true
    }

    private var syncedStores: [SyncStore] { coordinator.stores.compactMap { $0 as? SyncStore } }
}

extension SyncController {
    /// The names of the zones of those of some objects that the store has; empty for the main one.
    func zoneNames(of ids: [ObjectID]) async throws -> [ObjectID: String] {
        try await services.onWholeStore { [model = services.settings.model] store in
            try store.readJournal { journal in
                let names = try journal.zones(), zones = try journal.zones(of: ids.map(\.key))
                var found: [ObjectID: String] = [:]
                for (name, ids) in Dictionary(grouping: ids, by: \.entityName) {
                    guard let entity = model.entity(named: name)?.entity else { continue }
                    let held = Set(try journal.rows(of: entity, keys: ids.map(\.key).sorted()).keys)
                    for id in ids where held.contains(id.key) { found[id] = zones[id.key].flatMap { names[$0] } ?? "" }
                }
                return found
            }
        }
    }
}
