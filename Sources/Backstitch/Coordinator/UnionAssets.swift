import Foundation

/// The assets of several stores: read from whichever has them.
struct UnionAssets: AssetStorage {
    let stores: [any AssetStorage]
    /// Where new ones go, for whom nobody says which store will refer to them.
    let first: any AssetStorage

    func write(_ data: Data) throws -> AssetReference { try first.write(data) }

    func accept(_ data: Data, as reference: AssetReference) throws { try first.accept(data, as: reference) }

    func read(_ reference: AssetReference) throws -> Data? {
        for store in stores {
            if let data = try store.read(reference) { return data }
        }
        return nil
    }

    func contains(_ reference: AssetReference) -> Bool { stores.contains { $0.contains(reference) } }

    func remove(_ reference: AssetReference) throws {
        for store in stores where store.contains(reference) { try store.remove(reference) }
    }
}

extension PersistentStoreCoordinator {
    /// Where the bytes of an object's external attributes are kept.
    func assets(for object: ManagedObject, in context: ManagedObjectContext) throws -> any AssetStorage {
        let front = store
        guard let union = front as? UnionStore else { return front.assets }
        if object.isNew {
            return try union.member(ofNew: object.entity, assigned: context.assignments[object.key]).store.assets
        }
        let place = try union.places(of: [object.key], object.entity)[object.key]
        return place.map { union.members[$0].store.assets } ?? union.assets
    }
}
