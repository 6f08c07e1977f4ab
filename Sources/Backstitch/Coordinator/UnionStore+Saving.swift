import Foundation

extension UnionStore {
    /// Writes each store's part in the order of the stores, in one transaction each.
    ///
    /// A transaction covers one store only. If a store fails, the stores before it are written and the stores behind it
    /// are not. The context then keeps the unwritten changes, and another save writes them.
    func save(_ request: SaveChangesRequest) throws -> SaveResult {
        let parts = try StorePartition(self, request).parts
        try refuseKeysOfOtherStores(parts)
        var saved: Set<ObjectKey> = []
        var result: SaveResult?
        for (index, part) in parts {
            do {
                let part = try addingAssets(to: part, for: members[index].store.assets)
                result = try members[index].store.save(part)
            } catch {
                guard !saved.isEmpty else { throw error }
                throw PartialSave(
                    saved: saved,
                    error: Self.explained(
                        error, of: members[index], after: "the save was written to",
                        "The other changes are still unsaved in the context; remove the cause and save again"))
            }
            saved.formUnion(part.keys)
        }
        return result ?? SaveResult(transactionNumber: 0)
    }

    /// Returns the error of a store, after the stores before it have done their part.
    ///
    /// - Parameter done: The work of the stores before it, as the beginning of the message.
    /// - Parameter advice: The advice about the rest.
    static func explained(
        _ error: any Error, of member: StoreMember, after done: String, _ advice: String
    ) -> BackstitchError {
        let known = error as? BackstitchError
        return BackstitchError(
            known?.code ?? .storeFailure,
            "\(done) the stores before \(member.name), where it failed: \(known?.message ?? "\(error)"). \(advice)",
            objectID: known?.objectID, key: known?.key, cause: error, faults: known?.faults ?? [],
            mergeConflict: known?.mergeConflict, constraintConflict: known?.constraintConflict)
    }

    /// Returns the part with all bytes that it names: bytes of the save, and bytes that another store keeps.
    private func addingAssets(
        to part: SaveChangesRequest, for destination: any AssetStorage
    ) throws -> SaveChangesRequest {
        var part = part
        for reference in part.assetReferences
        where part.assets[reference] == nil && !destination.contains(reference) {
            part.assets[reference] = try assets.content(of: reference)
        }
        return part
    }
}

extension SaveChangesRequest {
    /// The bytes that external attributes of written rows name.
    var assetReferences: [AssetReference] { (inserts + updates.map(\.rows)).flatMap(\.assetReferences) }

    /// The objects that the request writes, including the owners of changed links.
    fileprivate var keys: Set<ObjectKey> {
        var keys = Set(inserts.flatMap(\.keys)).union(updates.flatMap(\.rows.keys)).union(deletes.flatMap(\.keys))
        for change in links { keys.formUnion((change.added + change.removed).map(\.source)) }
        return keys
    }
}
