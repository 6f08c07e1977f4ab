public import Backstitch
public import Foundation

// For programs with stores of both databases: the container finds the store. A store's own ``SyncController`` can do
// the same and more.
extension PersistentContainer {
    /// Accepts a share, in the container's store of the shared database that can hold it; see
    /// ``SyncSharing/accept(at:)``.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` if the container has no such store; otherwise as there.
    @discardableResult
    public func acceptShare(at url: URL) async throws -> Share {
        var reason = BackstitchError(
            .invalidRequest,
            "the container has no store of the shared database; give it one of type \"Sync\" with the option "
                + "syncDatabase: \"shared\"")
        for store in syncedStores where store.options.database == .shared {
            do { return try await store.sync.sharing.accept(at: url) } catch let error as BackstitchError
                where error.code == .invalidRequest
            {
                // Another store may hold zones of this name.
                reason = error
            }
        }
        throw reason
    }

    /// The shares of objects, as the last sync has left them: of the user's own shared zones and objects, and of those
    /// of others. If several shares show an object, the share of the nearest object above it is returned. Objects
    /// without a share are left out.
    ///
    /// ```swift
    /// let share = try await container.shares(matching: [list.objectID])[list.objectID]
    /// badge.isHidden = share == nil
    /// ```
    public func shares(matching ids: [ObjectID]) async throws -> [ObjectID: Share] {
        var found: [ObjectID: Share] = [:]
        for store in syncedStores {
            found.merge(try await store.sync.sharing.shares(ofObjects: ids)) { first, _ in first }
        }
        return found
    }

    /// Whether the user may change an object; see ``SyncObjects/canUpdate(_:)``. True for objects of stores without
    /// sync, and for objects outside every store.
    public func canUpdate(_ id: ObjectID) async throws -> Bool {
        for store in syncedStores where try await !store.sync.zones.names(of: [id]).isEmpty {
            return try await store.sync.objects.canUpdate(id)
        }
        return true
    }

    /// Whether the user may delete an object; see ``SyncObjects/canDelete(_:)``. Objects outside synced stores are
    /// treated as by ``canUpdate(_:)``.
    public func canDelete(_ id: ObjectID) async throws -> Bool {
        for store in syncedStores where try await !store.sync.zones.names(of: [id]).isEmpty {
            return try await store.sync.objects.canDelete(id)
        }
        return true
    }

    /// Whether the user may save new objects of an entity below another object; see
    /// ``SyncObjects/canInsert(_:into:)``. True for a parent in a store without sync.
    public func canInsert(_ entityName: String, into parent: ObjectID) async throws -> Bool {
        for store in syncedStores where try await !store.sync.zones.names(of: [parent]).isEmpty {
            return try await store.sync.objects.canInsert(entityName, into: parent)
        }
        return true
    }

    private var syncedStores: [SyncStore] { coordinator.stores.compactMap { $0 as? SyncStore } }
}
