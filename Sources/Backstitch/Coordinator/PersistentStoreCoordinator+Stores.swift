import BackstitchSupport
public import Foundation

extension PersistentStoreCoordinator {
    /// Removes a store from the coordinator, and closes it. Its objects are then gone from this coordinator. Without
    /// any store, fetches find nothing, and saves of new objects throw.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the store does not belong to the coordinator, and while a
    ///   store of the coordinator is being moved; errors of the store when it closes.
    public func remove(_ store: any PersistentStore) throws {
        try content.withLock { content in
            guard !content.isMoving else {
                throw BackstitchError(
                    .invalidRequest, "a store of this coordinator is being moved; remove this one when that is done")
            }
            let members = content.members.filter { $0.store !== store }
            guard members.count < content.members.count else {
                throw BackstitchError(
                    .invalidRequest, "the store \(store.identifier) does not belong to this coordinator")
            }
            try content.replace(members, model: model)
        }
        cache.removeAll()
        try store.close()
    }

    /// Removes a store with everything that belongs to it: its files, the files beside them, its assets; for
    /// PostgreSQL, its schema. Nothing happens when there is no store.
    ///
    /// ```swift
    /// try PersistentStoreCoordinator.destroyPersistentStore(at: file, type: .sqlite)
    /// ```
    /// - Throws: ``BackstitchError/Code/notADatabase`` when there is something else at the place, and this then stays;
    ///   ``BackstitchError/Code/storeFailure`` when the store is in use.
    public static func destroyPersistentStore(
        at url: URL?, type: StoreType, options: [StoreOption: any Sendable] = [:]
    ) throws {
        let type = try StoreRegistry.type(named: type.rawValue)
        let specifications = try type.optionSpecifications(for: options) + OptionSpecification.common
        try type.destroy(at: url, options: StoreOptions(options, specifications: specifications))
    }

    /// Copies a store with all its content to another place or into another type of store, and goes on with the copy.
    /// The original stays as it is, and is closed.
    ///
    /// ```swift
    /// let store = try coordinator.migratePersistentStore(
    ///     coordinator.stores[0], to: .init(type: .postgreSQL, url: address))
    /// ```
    /// Objects keep their identities. Rows, links and assets are copied in one transaction. Between stores with a
    /// journal, the unsent changes and sync's knowledge of the server are copied as well.
    ///
    /// History is not copied: it begins anew, behind the numbers of the old one. Versions of rows begin anew too. Saves
    /// of this coordinator are refused meanwhile; other processes must not write.
    ///
    /// - Returns: The new store.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the destination has content already; errors of the
    ///   stores. The coordinator then goes on with the old store. After errors of the stores the copy is removed.
    @discardableResult
    public func migratePersistentStore(
        _ store: any PersistentStore, to description: PersistentStoreDescription
    ) throws -> any PersistentStore {
        guard let member = content.withLock({ content in content.members.first { $0.store === store } }) else {
            throw BackstitchError(
                .invalidRequest, "the store \(store.identifier) does not belong to this coordinator", key: "store")
        }
        try beginMove()
        defer { content.withLock { $0.isMoving = false } }
        var description = description
        description.configuration = member.description.configuration
        let copy = try opener.open(description)
        do {
            try StoreCopy(model: model, entities: model.entities.filter(member.holds)).run(from: store, to: copy.store)
        } catch let error as StoreCopy.NotEmpty {
            try copy.store.close()
            throw error.error
        } catch {
            try? copy.store.close()
            try? Self.destroyPersistentStore(
                at: description.url, type: description.type, options: description.options)
            throw error
        }
        try content.withLock { content in
            let members = content.members.map { $0.store === store ? copy : $0 }
            try content.replace(members, model: model)
        }
        cache.removeAll()
        try store.close()
        return copy.store
    }

    /// Returns the store for a request; nil when the request names other stores only.
    func store(for request: StoreFetchRequest) -> (any PersistentStore)? {
        let front = store
        guard let affected = request.affectedStores, !(front is UnionStore) else { return front }
        return affected.contains(front.identifier) ? front : nil
    }

    /// Runs a write, unless a store is being moved.
    func writing<Result>(_ body: (any PersistentStore) throws -> Result) throws -> Result {
        let front = try content.withLock { content in
            guard !content.isMoving else {
                throw BackstitchError(.storeFailure, "a store is being moved; save again when that is done")
            }
            content.writes += 1
            return content.front
        }
        defer { content.withLock { $0.writes -= 1 } }
        return try body(front)
    }

    /// Keeps new writes out, and waits for the writes under way.
    private func beginMove() throws {
        try content.withLock { content in
            guard !content.isMoving else {
                throw BackstitchError(.invalidRequest, "a store of this coordinator is being moved already")
            }
            content.isMoving = true
        }
        while content.withLock({ $0.writes > 0 }) { Thread.sleep(forTimeInterval: 0.001) }
    }
}
